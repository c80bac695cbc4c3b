//! Numbers by groups of debates.

use super::super::document::{Cell, DataTable, Figure, Section};
use super::super::number::{Piece, Rounding, unit_word};
use super::{SMALL, Source};
use crate::stats::findings::{Breakdown, Counts, Group, Measure};

/// The section: all debates together first, then each grouping.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let breakdowns = &source.findings.breakdowns;
    let filled = breakdowns.iter().filter(|b| !b.groups.is_empty());
    let parts = filled.map(|breakdown| part(source, breakdown)).collect();
    let intro = "Each number with its interval and the n it stands on; muted where n is under ten. Emergency, fallback and failed debates are counted and left out of comparisons.";
    Section::new(
        "groups",
        "Numbers by group",
        intro,
        parts,
        "No debate was counted.",
    )
}

fn part(source: &mut Source<'_>, breakdown: &Breakdown) -> Figure {
    match (breakdown.by.as_slice(), breakdown.groups.as_slice()) {
        ([], [all]) => Figure::table(of_all(source, all)).titled("All debates"),
        _ => Figure::table(of_groups(source, breakdown))
            .titled(&title(breakdown))
            .folded(),
    }
}

fn title(breakdown: &Breakdown) -> String {
    let groups = crate::text::count(breakdown.groups.len() as u64, "group");
    format!("By {}: {groups}", breakdown.by.join(" and "))
}

/// A row for each measure.
fn of_all(source: &Source<'_>, all: &Group) -> DataTable {
    let mut table = table(source, "Measures over all debates");
    measures(&mut table, all);
    table
}

/// Below a heading for each group, a row for each of its measures.
fn of_groups(source: &mut Source<'_>, breakdown: &Breakdown) -> DataTable {
    let mut table = table(source, &title(breakdown));
    for group in &breakdown.groups {
        table.heading(heading(source, &breakdown.by, group));
        measures(&mut table, group);
    }
    table
}

fn table(source: &Source<'_>, caption: &str) -> DataTable {
    let value = format!("#value [{}]", source.confidence());
    let columns = ["measure", "format", "unit", &value, "#n", "#topics"];
    DataTable::new(caption, &columns)
}

fn measures(table: &mut DataTable, group: &Group) {
    for measure in &group.measures {
        table.row_that_is(measure.estimate.n < SMALL, row(measure));
    }
}

fn row(measure: &Measure) -> Vec<Cell> {
    let estimate = &measure.estimate;
    vec![
        Cell::text(&measure.label),
        Cell::text(measure.format.as_deref().unwrap_or("all")),
        Cell::text(unit_word(measure.unit)),
        Cell::estimate(estimate, Rounding::Unit(measure.unit)),
        Cell::count(estimate.n),
        Cell::count(estimate.clusters),
    ]
}

/// `llama3 — 12 debates on 8 topics: 11 done, 1 degraded; judgments: 24 asked for, 24 valid`, leading to the debates.
fn heading(source: &mut Source<'_>, by: &[String], group: &Group) -> Cell {
    let named = by.iter().zip(&group.key);
    let conditions: Vec<(&str, &str)> = named
        .map(|(key, name)| (key.as_str(), name.as_str()))
        .collect();
    let what: Vec<String> = conditions
        .iter()
        .map(|(key, name)| format!("{key} {name}"))
        .collect();
    let links = &mut source.links;
    let set = links.set(&group.debates, &what.join(", "), &conditions);
    let counts = &group.counts;
    let mut cell = Cell::text(&group.key.join(", "));
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let debates = format!("debate{} on", plural(counts.planned));
    let topics = format!("topic{}", plural(counts.topics));
    let size = [(counts.planned, &*debates), (counts.topics, &*topics)];
    cell.pieces.extend(counted(" — ", &size, " "));
    cell.pieces.extend(counted(": ", &statuses(counts), ", "));
    cell.pieces
        .extend(counted("; judgments: ", &judgments(counts), ", "));
    cell.on(set)
}

fn statuses(counts: &Counts) -> [(usize, &'static str); 5] {
    [
        (counts.done, "done"),
        (counts.degraded, "degraded"),
        (counts.failed, "failed"),
        (counts.emergency, "with emergency replies"),
        (counts.fallback, "with fallback models"),
    ]
}

fn judgments(counts: &Counts) -> [(usize, &'static str); 4] {
    let judgments = counts.judgments;
    [
        (judgments.planned, "asked for"),
        (judgments.valid, "valid"),
        (judgments.invalid, "invalid"),
        (judgments.abstained, "missing"),
    ]
}

/// The counts above zero, each before its word; nothing where all are zero.
fn counted(before: &str, counts: &[(usize, &str)], between: &str) -> Vec<Piece> {
    let above = counts.iter().filter(|(n, _)| *n > 0);
    let mut lead = before;
    let mut pieces = Vec::new();
    for (n, word) in above {
        pieces.extend([
            Piece::text(lead),
            Piece::count(*n),
            Piece::text(&format!(" {word}")),
        ]);
        lead = between;
    }
    pieces
}
