//! The short form of a report, which fits into a prompt or on a page, however many debates there are.

use super::document::{Cell, Count, Document, Figure, Section};
use super::list_limits::ALL;
use super::number::Piece;
use super::sections::{Source, debaters, leaderboards, overview, won};
use super::{links, one_topic};
use crate::html::svg::clipped;
use crate::stats::findings::Findings;
use crate::text::{count, shorten};

/// Maximum tokens that a short report has.
pub(super) const MOST_TOKENS: u64 = 4_000;

/// How much of each list a short report shows, the most first: the first that fits is taken.
pub(super) const ROOMS: [Room; 4] = [room(10, 8), room(8, 6), room(5, 4), room(3, 3)];

/// Characters of a sentence.
const SENTENCE_CHARS: usize = 800;
/// Notes of a table.
const NOTES: usize = 3;
/// Characters of a cell of text.
const CELL_CHARS: usize = 48;

/// How much there is room for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    rows: usize,
    sentences: usize,
}

pub(super) const fn room(rows: usize, sentences: usize) -> Room {
    Room { rows, sentences }
}

/// What was run, how it ended, the verdict, what to distrust, leaderboards, what debaters do, and where the rest stands.
pub(super) fn document(findings: &Findings, room: Room) -> Document {
    let mut source = Source::new(findings, ALL);
    let (counts, _) = overview::counts(&mut source);
    let (leaderboard, _) = leaderboards::sections(&mut source);
    let boards =
        leaderboards::of_models(&mut source).into_iter().map(|figure| cut(figure, room)).collect();
    // One debate or one model ranks nobody, as the findings say.
    let is_told = findings.counts.counted == 1 || findings.counts.models == 1;
    let no_board = leaderboard.empty.clone().filter(|_| !is_told);
    let debaters = what_debaters_do(findings, room);
    let nothing = debaters.empty.clone();
    let document = Document {
        title: overview::title(&source),
        design_line: overview::design_line(&source),
        design: overview::design(&source),
        won: won::lines(&source, room.rows),
        outcomes: links::outcomes(findings),
        found: overview::heading(&source),
        headlines: overview::with_key(sentences(&findings.headlines, room)),
        cautions: sentences(&findings.cautions, room),
        counts: counts.into_iter().map(|it| Count { cell: plain(it.cell), ..it }).collect(),
        leaderboard: Section { figures: boards, empty: no_board, ..leaderboard },
        sections: Vec::from_iter(nothing.is_none().then_some(debaters)),
        nothing: nothing.map(|why| format!("No data on what debaters do: {why}.")),
        command: Some(shorten(&findings.provenance.command, SENTENCE_CHARS)),
        ..Document::default()
    };
    if findings.counts.topics == 1 { one_topic::without_reasons(document) } else { document }
}

fn what_debaters_do(findings: &Findings, room: Room) -> Section {
    let figure = debaters::brief(&findings.debaters);
    let figures = figure.filled().map(|figure| cut(figure, room));
    let intro = format!(
        "From the notes on the arguments: a model's reading of the debates, not a judgment. {}.",
        debaters::OTHERS
    );
    Section::new("debaters", "What debaters do", intro, figures, debaters::NOT_NOTED)
}

/// The first sentences, and how many more there are.
fn sentences(all: &[String], room: Room) -> Vec<String> {
    let shown = all.iter().take(room.sentences).map(|sentence| shorten(sentence, SENTENCE_CHARS));
    let left = all.len().saturating_sub(room.sentences);
    let more = (left > 0).then(|| format!("{left} more: see the full report."));
    shown.chain(more).collect()
}

/// The first rows of a figure, which lead nowhere, with the reasons that they need.
fn cut(figure: Figure, room: Room) -> Figure {
    let left = figure.rows.len().saturating_sub(room.rows);
    let more = (left > 0).then(|| format!("{}: see the full report.", count(left, "more row")));
    let notes: Vec<String> =
        figure.notes.iter().take(NOTES).map(|note| shorten(note, SENTENCE_CHARS)).collect();
    let mut kept = Figure {
        rows: Vec::new(),
        reasons: Vec::new(),
        notes: Vec::new(),
        charts: Vec::new(),
        // Its rows have only the cells of the columns that it has.
        left_out: Vec::new(),
        ..figure
    };
    for row in figure.rows.into_iter().take(room.rows) {
        let reason = |n: usize| shorten(&figure.reasons[n - 1], SENTENCE_CHARS);
        let cells =
            row.cells.into_iter().map(|cell| Cell { reason: cell.note.map(reason), ..plain(cell) });
        kept.row(row.muted, cells.collect());
    }
    kept.noting(notes.into_iter().chain(more))
}

/// A cell that leads nowhere, of bounded length.
fn plain(cell: Cell) -> Cell {
    let short = |piece: Piece| match piece.value {
        Some(_) => piece,
        None => Piece { text: clipped(&piece.text, CELL_CHARS), ..piece },
    };
    Cell::from(cell.pieces.into_iter().map(short).collect::<Vec<Piece>>())
}
