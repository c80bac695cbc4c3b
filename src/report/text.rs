//! The presentation tree as plain text for a terminal.

mod table;

use super::brief::{self, Room, room};
use super::document::{Check, Count, Document, Figure, Section};
use super::links::Outcome;
use super::list_limits::ALL;
use super::sections::{Source, breakdowns};
use super::{full, one_topic};
use crate::stats::findings::Findings;
use crate::text::lines::wrapped;
use crate::text::{if_any, sentence, separated, told_if};
use table::table;

/// Characters of a line of text, if no terminal sets another number.
pub const WIDTH: usize = 100;

/// Lines of a short report, without the groups that were asked for.
const MOST_LINES: usize = 60;
/// How much of each list it shows, the most first: the first that fits is taken.
const ROOMS: [Room; 4] = [room(10, 6), room(8, 4), room(6, 3), room(5, 2)];

/// The report as plain text for a terminal, in lines of this many characters as far as tables can give way.
pub fn text(findings: &Findings, width: usize) -> String {
    let mut document = fitting(full::document(findings, ALL), findings);
    let (long, short): (Vec<Section>, Vec<Section>) =
        document.sections.into_iter().partition(|section| section.long);
    document.sections = short;
    let long: Vec<String> = long.iter().map(|section| section.title.to_lowercase()).collect();
    let also = || format!(" `rebut report` also has: {}.", long.join(", "));
    let also = told_if(!long.is_empty(), also);
    let nothing = document.nothing.as_deref().unwrap_or_default();
    let more = format!("All numbers: --format json.{also}");
    ended(&document, [nothing, &more], width)
}

/// The findings, caveats and ranks, and the groups that were asked for.
pub fn short_text(findings: &Findings, width: usize) -> String {
    let mut document = Document::default();
    for room in ROOMS {
        document = without_details(fitting(brief::document(findings, room), findings));
        if rendered(&document, width).len() < MOST_LINES {
            break;
        }
    }
    if is_grouped(findings) {
        document.sections.push(breakdowns::section(&mut Source::new(findings, ALL)));
    }
    let more = "The full report: --full; as a page: the same with `rebut report`.";
    ended(&document, ["", more], width)
}

/// Without the checks that are met, and with the first board only, which ranks.
fn without_details(mut document: Document) -> Document {
    let all = document.design.len();
    document.design.retain(|check| check.bad || check.open);
    if document.design.len() < all {
        let sentence = "Other checks are met: see --full.".to_owned();
        document.design.push(Check { sentence, bad: false, open: false });
    }
    document.leaderboard.figures.truncate(1);
    Document { design_line: None, sections: Vec::new(), nothing: None, ..document }
}

fn is_grouped(findings: &Findings) -> bool {
    findings.breakdowns.iter().any(|it| !it.by.is_empty())
}

/// What can be said of so many topics.
fn fitting(document: Document, findings: &Findings) -> Document {
    match findings.counts.topics {
        1 => one_topic::of_one_topic(document, is_grouped(findings)),
        // Without a debate, the first finding is the reason for all that is missing.
        0 => Document { nothing: None, ..document },
        _ => document,
    }
}

/// The report with the lines at its end: what is missing, and where more is.
fn ended(document: &Document, [nothing, more]: [&str; 2], width: usize) -> String {
    let mut lines = rendered(document, width);
    let has_intervals = document.has_intervals();
    let intervals = told_if(has_intervals, || "Intervals are 95%, clustered by topic. ".to_owned());
    lines.push(String::new());
    lines.extend(wrapped(nothing, "", "", width));
    lines.extend(wrapped(&(intervals + more), "", "", width));
    lines.join("\n") + "\n"
}

/// The document but for its charts and the lists of debates, in lines of this many characters.
fn rendered(document: &Document, width: usize) -> Vec<String> {
    let mut lines = vec![document.title.clone()];
    let design: Vec<String> = document.design.iter().map(Check::told).collect();
    let (before, behind) = match &document.design_line {
        Some(line) => (std::slice::from_ref(line), &design[..]),
        None => (&design[..], &[][..]),
    };
    lines.extend(list("Design check", before, width));
    lines.extend(list("Who won", &document.won, width));
    lines.extend(list("Outcomes", &outcomes(document), width));
    lines.extend(list(document.found, &document.headlines, width));
    lines.extend(list("Caveats", &document.cautions, width));
    lines.extend(list("Counts", counts(&document.counts).as_slice(), width));
    let board = &document.leaderboard;
    let is_told = board.empty.is_some() || !board.figures.is_empty();
    lines.extend(is_told.then(|| section(board, width)).into_iter().flatten());
    lines.extend(document.sections.iter().flat_map(|it| section(it, width)));
    lines.extend(list("Design check in detail", behind, width));
    lines
}

fn heading(title: &str) -> [String; 3] {
    let rule = "─".repeat(title.chars().count());
    [String::new(), title.to_owned(), rule]
}

fn list(title: &str, items: &[String], width: usize) -> Vec<String> {
    let heading = heading(title).into_iter().filter(|_| !items.is_empty());
    let items = items.iter().flat_map(|it| wrapped(it, "- ", "  ", width));
    heading.chain(items).collect()
}

/// The outcomes, each with where its debate is.
fn outcomes(document: &Document) -> Vec<String> {
    let told = |it: &Outcome| {
        let (topic, ended) = (sentence(&it.debate.topic), sentence(&it.ended));
        format!("{topic} {ended} {}", it.debate.href)
    };
    document.outcomes.iter().map(told).collect()
}

/// The counts, in a line.
fn counts(counts: &[Count]) -> Option<String> {
    let told = counts.iter().map(|count| {
        let pieces = count.cell.pieces.iter().map(|piece| &piece.text);
        format!("{} {}", count.label, separated(pieces, ""))
    });
    if_any(separated(told, ", "))
}

fn section(section: &Section, width: usize) -> Vec<String> {
    let mut lines = heading(section.title).to_vec();
    lines.extend(wrapped(&section.intro, "", "", width));
    let empty = section.empty.as_ref().map(|why| match section.id {
        "board" => format!("No leaderboard: {why}."),
        _ => why.clone(),
    });
    lines.extend(wrapped(&empty.unwrap_or_default(), "", "", width));
    for (n, one) in section.figures.iter().enumerate() {
        lines.extend((n > 0 || !section.intro.is_empty()).then(String::new));
        lines.extend(figure(one, width));
    }
    lines
}

fn figure(figure: &Figure, width: usize) -> Vec<String> {
    let title = match &figure.finding {
        Some(finding) => format!("{}: {finding}", figure.title),
        None => figure.title.clone(),
    };
    let mut lines = wrapped(&title, "", "", width);
    lines.extend(wrapped(&figure.caption, "", "", width));
    if !figure.rows.is_empty() {
        lines.extend(table(figure, width));
    }
    for (n, reason) in (1..).zip(&figure.reasons) {
        lines.extend(wrapped(reason, &format!("  ({n}) "), "      ", width));
    }
    for note in &figure.notes {
        lines.extend(wrapped(note, "  - ", "    ", width));
    }
    lines
}
