//! Who beats whom: a heat map of the shares won.

use super::super::charts::heat::{self, Heat, HeatCell};
use super::super::document::{Cell, Chart, DataTable, Figure, Section};
use super::super::number::{Rounding, shown};
use super::{SMALL, Source, label};
use crate::stats::findings::{Match, StrengthBoard, Unit};

const SHARE: Rounding = Rounding::Unit(Unit::Share);
/// Rows that a map has at most; the table has all.
const DRAWN: usize = 24;

/// The section.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let boards = &source.findings.leaderboards.strengths;
    let met = |board: &&StrengthBoard| board.matches.iter().flatten().any(|m| m.n > 0);
    let parts = boards
        .iter()
        .filter(met)
        .enumerate()
        .map(|(n, board)| part(source, board, n + 1))
        .collect();
    let intro = "The share of debates that the row won against the column, draws as halves. Where n is under ten the cell is hatched: read it as a hint at most.";
    let empty = "No two contestants met in a debate with a winner.";
    Section::new("wins", "Who beats whom", intro, parts, empty)
}

fn part(source: &mut Source<'_>, board: &StrengthBoard, n: usize) -> Figure {
    let title = format!("Share won by {}", board.of);
    let desc = format!(
        "A matrix of {} rows and columns in the order of strength; the numbers are in the table below.",
        board.rows.len().min(DRAWN)
    );
    let map = map(board);
    let chart = heat::chart(&label("wins", n, &title, &desc), &map);
    let chart = chart.map(|svg| Chart::matrix(svg, &title, map.columns.len()));
    let table = table(source, board, &title);
    let caption = format!("{title}, each against each, in the order of strength.");
    Figure::new(chart.into_iter().collect(), &caption, table)
        .titled(&title)
        .with_key(
            "bare",
            "Rows against columns; columns have the numbers of the rows.",
        )
        .with_key("level-d0", "loses")
        .with_key("level-d4", "even")
        .with_key("level-d8", "wins")
        .with_key("hatched", "n under 10")
}

fn map(board: &StrengthBoard) -> Heat {
    let rows = board.rows.iter().take(DRAWN).enumerate();
    let cell = |m: &Match| {
        m.score.map(|score| HeatCell {
            shown: shown(score, SHARE),
            n: m.n,
            level: score,
            hatched: m.n < SMALL,
            own: false,
        })
    };
    let cells = board.matches.iter().take(DRAWN);
    Heat {
        rows: rows
            .map(|(i, row)| format!("{} {}", i + 1, row.name))
            .collect(),
        columns: (1..=board.rows.len().min(DRAWN))
            .map(|n| n.to_string())
            .collect(),
        cells: cells
            .map(|row| row.iter().take(DRAWN).map(cell).collect())
            .collect(),
        diverging: true,
    }
}

fn table(source: &mut Source<'_>, board: &StrengthBoard, title: &str) -> DataTable {
    let of = board.of.as_str();
    let won = format!("#won [{}]", source.confidence());
    let mut table = DataTable::new(title, &[of, "against", &won, "#debates"]);
    for (i, row) in board.rows.iter().enumerate() {
        let matches = board.matches.get(i).map(Vec::as_slice).unwrap_or_default();
        for (other, m) in board.rows.iter().zip(matches).filter(|(_, m)| m.n > 0) {
            let what = format!("{} against {}", row.name, other.name);
            let set = source.set(&m.debates, &what);
            let cells = vec![
                Cell::text(&row.name),
                Cell::text(&other.name),
                Cell::interval(m.score, m.low.zip(m.high), SHARE, m.reason.as_deref()),
                Cell::count(m.n).on(set),
            ];
            table.row_that_is(m.n < SMALL, cells);
        }
    }
    table
}
