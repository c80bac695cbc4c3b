//! The counted debates with their links, and the unreadable files.

use std::collections::BTreeSet;

use super::super::worth::Worth;
use super::{Cell, Figure, Limits, Section, Source, cells, links, topic};
use crate::stats::findings::{Damaged, DebateLine, Findings};
use crate::text::grouped;

/// The debates, or those to look at first.
pub(crate) fn section(source: &Source<'_>) -> Section {
    let first = first(source.findings, source.limits);
    let is_cut = first.len() < source.findings.debates.len();
    let command = source.links.commands.debates(&[]);
    let note = is_cut.then(|| format!("{BROWSED} `{command}` writes them to tables."));
    let figure = table(source.findings, first).noting(note);
    let (title, intro) = if is_cut { FIRST } else { EVERY };
    let empty = "No debate was counted.";
    Section::new("debates", title, intro, figure.filled(), empty).long()
}

/// The table of a page: those of its lists, and those to look at first.
pub(crate) fn behind(findings: &Findings, limits: Limits, mut named: BTreeSet<usize>) -> Figure {
    named.extend(first(findings, limits));
    table(findings, named)
}

/// The debates to look at first, by number.
fn first(findings: &Findings, limits: Limits) -> Vec<usize> {
    let all: Vec<usize> = (1..=findings.debates.len()).collect();
    Worth::of(findings).first(&all, limits.listed)
}

fn table(findings: &Findings, numbers: impl IntoIterator<Item = usize>) -> Figure {
    let debates = numbers.into_iter().filter_map(|n| findings.debates.get(n.checked_sub(1)?));
    let rows: Vec<&DebateLine> = debates.collect();
    let title = match findings.debates.len() {
        all if rows.len() < all => format!("{} of {} counted debates", rows.len(), grouped(all)),
        _ => "All counted debates".to_owned(),
    };
    let mut figure = Figure::new(&title, "#no.|topic|outcome|status|format|job|began");
    rows.into_iter().for_each(|line| figure.row(false, row(line)));
    figure
}

/// The title and the introduction of a list of all debates.
const EVERY: (&str, &str) = (
    "All debates",
    "In the order of their start. The number in the first column identifies the debate in the rest of this report.",
);
/// Those of a choice.
const FIRST: (&str, &str) = (
    "Debates to look at first",
    "Failed and degraded debates, those with emergency replies or fallback models, the closest, widest and most disputed, and the newest: some of each, in the order of their start. Every number in this report is of all counted debates.",
);
/// Where all of them can be looked through.
const BROWSED: &str = "All of them: `rebut view DIR` lists and filters them at `/debates`;";

fn row(line: &DebateLine) -> Vec<Cell> {
    let rehearsal = if line.rehearsal { ", rehearsal" } else { "" };
    cells![
        line.n,
        topic(line),
        links::ended(line),
        &format!("{}{rehearsal}", line.status.word()),
        &*line.format,
        &*line.job,
        &line.started_at.format("%Y-%m-%d %H:%M").to_string(),
    ]
}

/// Files that could not be read as traces.
pub(crate) fn damaged(source: &Source<'_>) -> Section {
    let files = &source.findings.damaged;
    let mut figure = Figure::new("Files that could not be read as traces", "file|cause");
    for file in files.iter().take(source.limits.listed) {
        figure.row(false, cells![&file.path, cause(file)]);
    }
    let left = files.len() - figure.rows.len();
    let more =
        (left > 0).then(|| format!("{left} more: see the report as JSON (`-o report.json`)."));
    let figures = figure.filled().map(|figure| figure.noting(more));
    let intro = "No number in this report includes these files, except the count of damaged files.";
    let empty = "Every trace was readable.";
    Section::new("damaged", "Damaged files", intro, figures, empty).long()
}

/// The cause without the path before it, which has its own column.
fn cause(file: &Damaged) -> &str {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    match file.cause.split_once(&format!("{name}: ")) {
        Some((_, cause)) if !name.is_empty() => cause,
        _ => &file.cause,
    }
}
