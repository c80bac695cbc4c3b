//! Numbers by groups of debates.

use super::super::number::{Form, unit_word};
use super::super::page::{Cell, Part, Section, Table};
use super::{SMALL, Source};
use crate::stats::findings::{Breakdown, Counts, Group, Measure};

/// The section: all debates together first, as a table of measures, then each grouping.
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

fn part(source: &mut Source<'_>, breakdown: &Breakdown) -> Part {
    match (breakdown.by.as_slice(), breakdown.groups.as_slice()) {
        ([], [all]) => Part::table(of_all(source, all)).titled("All debates"),
        _ => Part::table(of_groups(source, breakdown)).titled(&title(&breakdown.by)),
    }
}

fn title(by: &[String]) -> String {
    format!("By {}", by.join(" and "))
}

/// A row for each measure.
fn of_all(source: &mut Source<'_>, all: &Group) -> Table {
    let value = format!("#value [{}]", source.confidence());
    let columns = ["measure", "format", "unit", &value, "#n", "#topics"];
    let mut table = Table::new("Measures over all debates", &columns);
    for measure in &all.measures {
        let estimate = &measure.estimate;
        table.row_that_is(
            estimate.n < SMALL,
            vec![
                Cell::text(&measure.label),
                Cell::text(measure.format.as_deref().unwrap_or("all")),
                Cell::text(unit_word(measure.unit)),
                Cell::estimate(estimate, Form::Of(measure.unit)),
                Cell::count(estimate.n),
                Cell::count(estimate.clusters),
            ],
        );
    }
    table
}

/// A measure's name and format: what makes a column.
type Column<'a> = (&'a str, Option<&'a str>);

/// A row for each group, a column for each measure that one of them has.
fn of_groups(source: &mut Source<'_>, breakdown: &Breakdown) -> Table {
    let groups = &breakdown.groups;
    let mut measured: Vec<(Column<'_>, &Measure)> = Vec::new();
    for measure in groups.iter().flat_map(|group| &group.measures) {
        if measured.iter().all(|(known, _)| *known != column(measure)) {
            measured.push((column(measure), measure));
        }
    }
    let mut titles: Vec<String> = breakdown.by.clone();
    titles.extend(COUNTED.map(|(title, _)| format!("#{title}")));
    titles.extend(measured.iter().map(|(_, measure)| heading(measure)));
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let caption = format!(
        "{}, with {} intervals",
        title(&breakdown.by),
        source.confidence()
    );
    let mut table = Table::new(&caption, &titles);
    for group in groups {
        let cells = row(source, &breakdown.by, group, &measured);
        table.row_that_is(group.counts.planned < SMALL, cells);
    }
    table
}

/// A count of a group.
type Counted = fn(&Counts) -> usize;

/// What is counted in every group; the first links to its debates.
const COUNTED: [(&str, Counted); 8] = [
    ("debates", |c| c.planned),
    ("done", |c| c.done),
    ("degraded", |c| c.degraded),
    ("failed", |c| c.failed),
    ("emergency", |c| c.emergency),
    ("fallback", |c| c.fallback),
    ("judgments", |c| c.judgments.planned),
    ("of no use", |c| c.judgments.invalid),
];

fn column(measure: &Measure) -> Column<'_> {
    (&measure.name, measure.format.as_deref())
}

fn heading(measure: &Measure) -> String {
    match &measure.format {
        Some(format) => format!("#{} ({format})", measure.label),
        None => format!("#{}", measure.label),
    }
}

fn row(
    source: &mut Source<'_>,
    by: &[String],
    group: &Group,
    measured: &[(Column<'_>, &Measure)],
) -> Vec<Cell> {
    let named = by.iter().zip(&group.key);
    let conditions: Vec<(&str, &str)> = named
        .map(|(key, name)| (key.as_str(), name.as_str()))
        .collect();
    let what: Vec<String> = conditions
        .iter()
        .map(|(key, name)| format!("{key} {name}"))
        .collect();
    let set = source
        .links
        .of(&group.debates, &what.join(", "), &conditions);
    let mut cells: Vec<Cell> = group.key.iter().map(|name| Cell::text(name)).collect();
    for (at, (_, counted)) in COUNTED.iter().enumerate() {
        let cell = Cell::count(counted(&group.counts));
        cells.push(if at == 0 { cell.on(set.clone()) } else { cell });
    }
    for (wanted, _) in measured {
        let found = group.measures.iter().find(|m| column(m) == *wanted);
        cells.push(found.map_or_else(|| Cell::text(""), measure));
    }
    cells
}

fn measure(measure: &Measure) -> Cell {
    let estimate = &measure.estimate;
    Cell::estimate(estimate, Form::Of(measure.unit))
        .with_n(estimate.n)
        .muted(estimate.n < SMALL)
}
