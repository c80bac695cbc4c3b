//! The report on a terminal, or in short, if there is so little data that most numbers say nothing.

use super::document::{Document, Figure, INTERVAL, Section};
use statistics::estimate::ONE_CLUSTER;

/// What can be said of debates on one topic, by the anchors of sections.
const KEPT: [&str; 4] = ["debaters", "failures", "damaged", "debates"];

/// Numbers by group, which are shown if somebody asked for groups.
const GROUPS: &str = "groups";

/// The report on one topic: without comparisons, of which nothing is sure, and with the reason for that told once.
pub(super) fn of_one_topic(mut document: Document, is_grouped: bool) -> Document {
    let is_kept =
        |section: &Section| KEPT.contains(&section.id) || is_grouped && section.id == GROUPS;
    let (kept, out): (Vec<Section>, Vec<Section>) =
        document.sections.into_iter().partition(is_kept);
    let out: Vec<String> = out.iter().map(|it| it.title.to_lowercase()).collect();
    let (is_any, out) = (!out.is_empty(), out.join(", "));
    let omitted = || format!("Omitted, because one topic says little about them: {out}.");
    document.nothing = is_any.then(omitted);
    document.sections = kept;
    without_reasons(document)
}

/// A report whose figures do not tell that one topic gives no interval.
pub(super) fn without_reasons(mut document: Document) -> Document {
    let board = document.leaderboard.figures.iter_mut();
    let others = document.sections.iter_mut().flat_map(|section| &mut section.figures);
    board.chain(others).for_each(without_that_reason);
    document
}

/// Takes the reason from a figure that gives no other, since it stands among the caveats; its columns announce no intervals.
fn without_that_reason(figure: &mut Figure) {
    if figure.reasons != [ONE_CLUSTER] {
        return;
    }
    figure.reasons.clear();
    for column in &mut figure.columns {
        column.title = column.title.trim_end_matches(INTERVAL).to_owned();
    }
    let cells = figure.rows.iter_mut().flat_map(|row| &mut row.cells);
    cells.for_each(|cell| cell.note = None);
}
