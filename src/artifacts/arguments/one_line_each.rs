//! Every argument in a line, for texts without tables: the sides by turns, what was granted first.

use super::{dialectic_ledger, endings, in_short, sight};
use crate::artifacts::line::Line;
use crate::artifacts::statement_place::number;
use crate::flow::{FlowPoint, PointStatus};
use crate::text;
use crate::trace::Trace;

/// A line for each point as texts without tables have it.
pub(in crate::artifacts) fn lines(trace: &Trace) -> Vec<Line> {
    each(trace, &[], argument)
}

/// The same of points that are not told elsewhere: how each ended, in words that need no other line.
pub(in crate::artifacts) fn in_short(trace: &Trace, told: &[&FlowPoint]) -> Vec<Line> {
    each(trace, told, |trace, point| {
        told_as(trace, point, &in_short::in_short(trace, point, false), &number(point.statement))
    })
}

fn each(
    trace: &Trace,
    told: &[&FlowPoint],
    line: impl Fn(&Trace, &FlowPoint) -> String,
) -> Vec<Line> {
    if dialectic_ledger::is_kept(trace) {
        return dialectic_ledger::lines(trace);
    }
    let lines = in_order(trace, told).into_iter().map(|point| line(trace, point));
    lines.map(|line| Line::new(&line, Vec::new())).collect()
}

/// All points but those that are told elsewhere, the sides by turns: of each first what was granted, then what nobody answered.
pub(in crate::artifacts) fn in_order<'t>(
    trace: &'t Trace,
    told: &[&FlowPoint],
) -> Vec<&'t FlowPoint> {
    let mut all = super::ranked(trace);
    all.retain(|point| !told.contains(point));
    all.sort_by_key(|point| point.status != PointStatus::Conceded);
    let mut points: Vec<(usize, &FlowPoint)> = Vec::new();
    for point in all {
        let before = points.iter().filter(|(_, other)| other.side == point.side);
        points.push((before.count(), point));
    }
    points.sort_by_key(|(place, _)| *place);
    points.into_iter().map(|(_, point)| point).collect()
}

/// What such lines stand under: some of the arguments are told elsewhere, or none.
pub(in crate::artifacts) fn title(trace: &Trace, some_are_told: bool) -> &'static str {
    match (dialectic_ledger::is_kept(trace), super::by_clerk(trace), some_are_told) {
        (true, ..) => "How the arguments ended, as the skeptic last saw them",
        (false, true, false) => "How the arguments ended, as the clerk noted them",
        (false, true, true) => "How the other arguments ended, as the clerk noted them",
        (false, false, _) => "How the arguments ended",
    }
}

/// An argument, how it ended, and the course of that: `B2, Ann (granted by Ben): … (made in 002; granted in 005)`.
fn argument(trace: &Trace, point: &FlowPoint) -> String {
    let late = endings::circumstance(trace, point);
    let late = late.map_or_else(String::new, |it| format!(", {}", it.trim_start_matches("made ")));
    let moves = endings::moves(trace, point).into_iter();
    let moves = moves.map(|(did, within)| format!("{did} in {}", text::joined(within, "and")));
    let course = [format!("made in {}{late}", number(point.statement))].into_iter().chain(moves);
    let course = text::separated(course.chain(sight::last_word(trace, point)), "; ");
    told_as(trace, point, &endings::ended(trace, point), &course)
}

fn told_as(trace: &Trace, point: &FlowPoint, ended: &str, course: &str) -> String {
    let (id, by) = (&point.id, trace.name_of(&point.by));
    format!("{id}, {by} ({ended}): {} ({course})", point.text.trim_end_matches('.'))
}
