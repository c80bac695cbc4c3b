//! Numbers by groups of debates.

use std::cmp::Reverse;

use super::super::list_limits::{ALL, Limits};
use super::super::number::unit_word;
use super::{Cell, Figure, Piece, Section, Source, cells, count, small};
use crate::event::IncidentKind;
use crate::stats::findings::{Breakdown, Counts, Group};
use crate::text::one_line;

/// The measures that are shown where there is no room for all: others have tables of their own.
const MAIN: [&str; 12] = [
    "win_rate",
    "score.total",
    "points",
    "stand",
    "consensus",
    "auto_score",
    "rating",
    "done",
    "unusable_ballots",
    "unusable_readings",
    "reply_tokens",
    "model_minutes",
];
/// Groupings that are asked for most, and how many times more groups they may have.
const OFTEN: [&str; 4] = ["format", "model", "order", "judge"];
const MORE: usize = 3;

/// The section: all debates together first, then each grouping.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let breakdowns = &source.findings.breakdowns;
    let filled = breakdowns.iter().filter(|b| !b.groups.is_empty());
    let figures: Vec<Figure> = filled.map(|b| figure(source, b)).collect();
    let intro = "Each number with its interval, n and clusters (topics, or of questions those that belong together); muted if n is under 10. Rounds, incidents and time are those of whole debates; so are tokens, unless grouped by model. Debates with emergency replies, fallback models or failures are counted but excluded from comparisons.";
    let empty = "No debate was counted.";
    Section::new("groups", "Numbers by group", intro, figures, empty)
}

/// Below a heading for each group, a row for each of its measures.
fn figure<'f>(source: &mut Source<'f>, breakdown: &'f Breakdown) -> Figure {
    let groups = count(breakdown.groups.len(), "group");
    let title = match breakdown.by.as_slice() {
        [] => "All debates".to_owned(),
        by => format!("By {}: {groups}", by.join(" and ")),
    };
    let shown = largest(&breakdown.groups, most_groups(&breakdown.by, source.limits));
    let mut figure = Figure::new(&title, "measure|format|unit|±value|#n|#clusters");
    figure.folded = !breakdown.by.is_empty();
    let main_only = figure.folded && source.limits != ALL;
    if main_only {
        let part = part(shown.len(), breakdown.groups.len());
        let command = source.links.commands.groups(&breakdown.by);
        let note = format!("Shown: {part}. All measures of all groups: `{command}`.");
        figure = figure.noting([note]);
        figure.part = Some(part);
    }
    for group in shown {
        figure.heading(heading(source, &breakdown.by, group));
        let measures = group.measures.iter();
        for measure in measures.filter(|measure| !main_only || MAIN.contains(&&*measure.name)) {
            let estimate = &measure.estimate;
            let cells = cells![
                &measure.label,
                measure.format.as_deref().unwrap_or("all"),
                unit_word(measure.unit),
                Cell::estimate(estimate, measure.unit),
                estimate.n,
                estimate.clusters,
            ];
            figure.row(small(estimate), cells);
        }
    }
    figure
}

/// How many groups a table may have.
fn most_groups(by: &[String], limits: Limits) -> usize {
    let is_often = by.iter().all(|key| OFTEN.contains(&&**key));
    let times = if is_often { MORE } else { 1 };
    limits.groups.saturating_mul(times)
}

/// Which groups and measures are shown, where not all are.
fn part(shown: usize, all: usize) -> String {
    if shown < all {
        format!("the main measures of the {shown} with most debates")
    } else {
        "the main measures".to_owned()
    }
}

/// So many groups with most debates, in their order.
fn largest(groups: &[Group], most: usize) -> Vec<&Group> {
    let mut by_size: Vec<(usize, &Group)> = groups.iter().enumerate().collect();
    by_size.sort_by_key(|(_, group)| Reverse(group.debates.len()));
    by_size.truncate(most);
    by_size.sort_by_key(|(place, _)| *place);
    by_size.into_iter().map(|(_, group)| group).collect()
}

/// `llama3 — 12 debates on 8 topics: 11 done, 1 degraded; judgments: 24 requested, 24 valid`, leading to the debates.
fn heading<'f>(source: &mut Source<'f>, by: &[String], group: &'f Group) -> Cell {
    let named = by.iter().zip(&group.key);
    let conditions: Vec<(&str, &str)> = named.map(|(key, name)| (&**key, &**name)).collect();
    let name = if by.is_empty() { "all debates".to_owned() } else { group.key.join(", ") };
    let what =
        conditions.iter().map(|(key, name)| format!("{key} {name}")).collect::<Vec<_>>().join(", ");
    let set = (source.links).set((&group.debates).into(), &what, &conditions);
    let counts = &group.counts;
    let noun = |n: usize, one, many| (n, if n == 1 { one } else { many });
    let size =
        [noun(counts.counted, "debate on", "debates on"), noun(counts.topics, "topic", "topics")];
    let incidents = group.incidents.iter().map(|(kind, n)| (*n, IncidentKind::of(kind).words(*n)));
    let mut cell = Cell::from(&name);
    cell.pieces.extend(counted(" — ", size, " "));
    cell.pieces.extend(counted(": ", statuses(counts), ", "));
    let weak = (counts.weak, format!("of {}", counts.decided));
    cell.pieces.extend(counted("; weak evidence: ", [weak], ""));
    let judgments = counted("; judgments: ", judgments(counts), ", ");
    cell.pieces.extend(judgments);
    let incidents = counted("; incidents in them: ", incidents, ", ");
    cell.pieces.extend(incidents);
    cell.linked(set)
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
        (judgments.planned, "requested"),
        (judgments.valid, "valid"),
        (judgments.invalid, "invalid"),
        (judgments.abstained, "missing"),
    ]
}

/// The counts above zero, each before its word; nothing if all are zero.
fn counted(
    before: &str,
    counts: impl IntoIterator<Item = (usize, impl AsRef<str>)>,
    between: &str,
) -> Vec<Piece> {
    let above = counts.into_iter().filter(|(n, _)| *n > 0);
    let leads = std::iter::once(before).chain(std::iter::repeat(between));
    let pieces = above.zip(leads).flat_map(|((n, word), lead)| {
        let word = format!(" {}", one_line(word.as_ref()));
        [Piece::text(lead), Piece::count(n), Piece::text(&word)]
    });
    pieces.collect()
}
