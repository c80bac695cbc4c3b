//! The debates that were counted, each with its link.

use super::super::document::{Cell, DataTable, Figure, Section};
use super::super::links;
use super::Source;
use crate::stats::findings::DebateLine;

/// Debates that are listed.
const LISTED: usize = 1000;

/// The section.
pub(crate) fn section(source: &Source<'_>) -> Section {
    let debates = &source.findings.debates;
    let parts = match debates.is_empty() {
        true => Vec::new(),
        false => vec![Figure::table(table(debates))],
    };
    let intro = "In order of their paths. Numbers elsewhere in this report name them by the number in the first column.";
    Section::new(
        "debates",
        "All debates",
        intro,
        parts,
        "No debate was counted.",
    )
}

fn table(debates: &[DebateLine]) -> DataTable {
    let columns = [
        "#no.", "topic", "format", "job", "status", "outcome", "began",
    ];
    let mut table = DataTable::new("All debates that were counted", &columns);
    for line in debates.iter().take(LISTED) {
        table.row(row(line));
    }
    let left = debates.len().saturating_sub(LISTED);
    table.more =
        (left > 0).then(|| format!("{left} more: `rebut export DIR --to csv` lists them all."));
    table
}

fn row(line: &DebateLine) -> Vec<Cell> {
    let mut topic = Cell::text(&line.topic);
    topic.href = Some(links::href(&line.path));
    let rehearsal = if line.rehearsal { ", rehearsal" } else { "" };
    let ended = line.cause.as_deref().or(line.outcome.as_deref());
    vec![
        Cell::count(line.n),
        topic,
        Cell::text(&line.format),
        Cell::text(&line.job),
        Cell::text(&format!("{}{rehearsal}", line.status.word())),
        Cell::text(ended.unwrap_or("")),
        Cell::text(&line.started_at.format("%Y-%m-%d %H:%M").to_string()),
    ]
}
