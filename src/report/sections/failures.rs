//! What went wrong, by cause, and what could not be read.

use super::super::charts::tally;
use super::super::document::{Cell, Chart, DataTable, Figure, Section};
use super::{Source, label};
use crate::stats::findings::{Damaged, Failure};

/// Bars that the chart has at most; the table has all.
const DRAWN: usize = 25;
/// Damaged files that are listed.
const LISTED: usize = 1000;

/// What went wrong.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let rows = &source.findings.failures;
    let parts = match rows.is_empty() {
        true => Vec::new(),
        false => vec![part(source, rows)],
    };
    let intro = "Incidents and causes of failed debates, the most frequent first. Debates with emergency replies or fallback models are counted, not compared.";
    Section::new(
        "failures",
        "Failures by cause",
        intro,
        parts,
        "Nothing went wrong.",
    )
}

fn part(source: &mut Source<'_>, rows: &[Failure]) -> Figure {
    let title = "Incidents by cause";
    let drawn = rows.iter().take(DRAWN);
    let bars: Vec<(String, usize)> = drawn.map(|f| (words(&f.kind), f.incidents)).collect();
    let desc = "A bar for each cause, as long as it was frequent.";
    let chart = tally::chart(&label("failures", 1, title, desc), &bars);
    let mut table = DataTable::new(title, &["cause", "#incidents", "#debates"]);
    for failure in rows {
        let set = source.set(&failure.debates, &words(&failure.kind));
        table.row(vec![
            Cell::text(&words(&failure.kind)),
            Cell::count(failure.incidents),
            Cell::debates(set),
        ]);
    }
    Figure::new(
        chart.into_iter().map(Chart::fluid).collect(),
        "How often each cause was seen.",
        table,
    )
}

/// `invalid_ballot` as words.
fn words(kind: &str) -> String {
    kind.replace('_', " ")
}

/// Files that could not be read as traces.
pub(crate) fn damaged(source: &Source<'_>) -> Section {
    let files = &source.findings.damaged;
    let parts = match files.is_empty() {
        true => Vec::new(),
        false => vec![Figure::table(damaged_table(files))],
    };
    let intro = "These are in no number of this report but the count of damaged files.";
    Section::new(
        "damaged",
        "Damaged files",
        intro,
        parts,
        "Every trace could be read.",
    )
}

/// The cause without the path before it, which stands in a column of its own.
fn cause(file: &Damaged) -> &str {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    match file.cause.split_once(&format!("{name}: ")) {
        Some((_, cause)) if !name.is_empty() => cause,
        _ => &file.cause,
    }
}

fn damaged_table(files: &[Damaged]) -> DataTable {
    let mut table = DataTable::new("Files that could not be read as traces", &["file", "cause"]);
    for file in files.iter().take(LISTED) {
        table.row(vec![Cell::text(&file.path), Cell::text(cause(file))]);
    }
    let left = files.len().saturating_sub(LISTED);
    table.more =
        (left > 0).then(|| format!("{left} more are in the report as JSON (`-o report.json`)."));
    table
}
