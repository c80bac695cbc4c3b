//! The counted debates with their links, and the unreadable files.

use super::{Cell, Figure, Section, Source, cells, links, topic};
use crate::stats::findings::{Damaged, DebateLine};

/// Debates, and damaged files, that are listed.
const LISTED: usize = 1000;

/// The debates.
pub(crate) fn section(source: &Source<'_>) -> Section {
    let debates = &source.findings.debates;
    let columns = "#no.|topic|outcome|status|format|job|began";
    let mut figure = Figure::new("All counted debates", columns);
    for line in debates.iter().take(LISTED) {
        figure.row(false, row(line));
    }
    let command = "`rebut export DIR --to csv` lists them all.";
    let figures = listed(figure, debates.len(), command);
    let intro = "In the order of their paths. The number in the first column identifies the debate in the rest of this report.";
    let empty = "No debate was counted.";
    Section::new("debates", "All debates", intro, figures, empty).long()
}

/// A figure with a note on what it omits; none if there is nothing to list.
fn listed(figure: Figure, all: usize, elsewhere: &str) -> Option<Figure> {
    let left = all.saturating_sub(LISTED);
    let note = (left > 0).then(|| format!("{left} more: {elsewhere}"));
    Some(figure.filled()?.noting(note))
}

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
    for file in files.iter().take(LISTED) {
        figure.row(false, cells![&file.path, cause(file)]);
    }
    let figures = listed(
        figure,
        files.len(),
        "see the report as JSON (`-o report.json`).",
    );
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
