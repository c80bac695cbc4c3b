//! The presentation tree as plain text for a terminal.

mod table;

use super::document::{Check, Count, Document, Figure, Section};
use super::list_limits::ALL;
use super::{full, one_topic};
use crate::stats::findings::Findings;
use crate::text::lines::wrapped;
use table::table;

/// Characters of a line of text, if no terminal sets another number.
pub const WIDTH: usize = 100;

/// The report as plain text for a terminal, in lines of this many characters as far as tables can give way.
pub fn text(findings: &Findings, width: usize) -> String {
    let document = full::document(findings, ALL);
    let is_grouped = findings.breakdowns.iter().any(|it| !it.by.is_empty());
    let document = match findings.counts.topics {
        1 => one_topic::of_one_topic(document, is_grouped),
        // Without a debate, the first finding is the reason for all that is missing.
        0 => Document { nothing: None, ..document },
        _ => document,
    };
    rendered(&document, width)
}

/// The document but for its charts, the lists of debates and what is too long, in lines of this many characters.
fn rendered(document: &Document, width: usize) -> String {
    let mut lines = vec![document.title.clone()];
    let design: Vec<String> = document.design.iter().map(Check::told).collect();
    lines.extend(list("Design check", &design, width));
    lines.extend(list(document.found, &document.headlines, width));
    lines.extend(list("Caveats", &document.cautions, width));
    lines.extend(list("Counts", counts(&document.counts).as_slice(), width));
    lines.extend(section(&document.leaderboard, width));
    let (long, short): (Vec<&Section>, Vec<&Section>) =
        document.sections.iter().partition(|section| section.long);
    lines.extend(short.into_iter().flat_map(|it| section(it, width)));
    lines.push(String::new());
    let nothing = document.nothing.as_deref().unwrap_or_default();
    lines.extend(wrapped(nothing, "", "", width));
    let long: Vec<String> = long.iter().map(|s| s.title.to_lowercase()).collect();
    let more = if long.is_empty() {
        String::new()
    } else {
        format!(" `rebut report` also has: {}.", long.join(", "))
    };
    let end = format!("Intervals are 95%, clustered by topic. All numbers: --format json.{more}");
    lines.extend(wrapped(&end, "", "", width));
    lines.join("\n") + "\n"
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

/// The counts, in a line.
fn counts(counts: &[Count]) -> Option<String> {
    let told: Vec<String> = counts
        .iter()
        .map(|count| {
            let pieces = count.cell.pieces.iter();
            let number: String = pieces.map(|piece| piece.text.as_str()).collect();
            format!("{} {number}", count.label)
        })
        .collect();
    (!told.is_empty()).then(|| told.join(", "))
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
    let caption = &figure.caption;
    let title = match &figure.finding {
        Some(finding) => format!("{}: {finding}", figure.title),
        None => figure.title.clone(),
    };
    let mut lines =
        if caption.starts_with(&title) { Vec::new() } else { wrapped(&title, "", "", width) };
    lines.extend(wrapped(caption, "", "", width));
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
