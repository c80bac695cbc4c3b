//! Every argument in a line, for texts without tables: what nobody answered first, then what was granted.

use super::{dialectic_ledger, endings};
use crate::artifacts::line::Line;
use crate::flow::FlowPoint;
use crate::trace::Trace;

/// A line for each point as texts without tables have it, the sides by turns: what nobody answered first, then what was
/// granted; none of those that are told elsewhere.
pub(in crate::artifacts) fn lines(trace: &Trace, told: &[&FlowPoint]) -> Vec<Line> {
    if dialectic_ledger::is_kept(trace) {
        return dialectic_ledger::lines(trace);
    }
    let mut points: Vec<(u8, usize, &FlowPoint)> = Vec::new();
    let all = trace.flow.points.iter();
    for point in all.filter(|point| !told.contains(point)) {
        let turn = super::rank(trace, point);
        let before = points.iter();
        let before = before.filter(|(other, _, p)| *other == turn && p.side == point.side);
        points.push((turn, before.count(), point));
    }
    points.sort_by_key(|(turn, place, _)| (*turn, *place));
    let lines = points.into_iter();
    lines.map(|(.., point)| argument(trace, point)).collect()
}

/// What such lines stand under: some of the arguments are told elsewhere, or none.
pub(in crate::artifacts) fn title(trace: &Trace, some_are_told: bool) -> &'static str {
    match (
        dialectic_ledger::is_kept(trace),
        super::by_clerk(trace),
        some_are_told,
    ) {
        (true, ..) => "How the arguments ended, as the skeptic last saw them",
        (false, true, false) => "How the arguments ended, as the clerk noted them",
        (false, true, true) => "How the other arguments ended, as the clerk noted them",
        (false, false, _) => "How the arguments ended",
    }
}

/// An argument and how it ended: `B2, Ann (no reply noted): …`, with the statements that made it and settled it.
fn argument(trace: &Trace, point: &FlowPoint) -> Line {
    let settled = endings::settled_by(trace, point);
    let line = format!(
        "{}, {} ({}): {}",
        point.id,
        trace.name_of(&point.by),
        endings::ended(trace, point),
        point.text.trim_end_matches('.'),
    );
    let cites = settled.map(|edge| edge.statement);
    Line::new(&line, [point.statement].into_iter().chain(cites).collect())
}
