//! Who had a turn to reply to an argument, and was of another mind than its speaker.

use crate::flow::FlowPoint;
use crate::panel::candidates::side_of;
use crate::text;
use crate::trace::{Trace, TraceParticipant};

/// The sides that had a turn to reply to a point on the record since a statement, and were not then of one mind with its speaker.
pub(super) fn silent<'t>(trace: &'t Trace, point: &FlowPoint, since: u32) -> Vec<&'t str> {
    let others = others(trace, point).filter(|p| {
        let mut own = trace.statements.iter().filter(|s| s.by == p.id);
        own.any(|s| s.saw >= since && !trace.agrees(&p.id, point, s.round))
    });
    text::distinct(others.map(|p| side_of(trace, &p.id)))
}

/// Those on another side who had no turn to reply to a point, and were not of one mind with its speaker in the end.
pub(super) fn without_turn<'t>(
    trace: &'t Trace,
    point: &FlowPoint,
) -> impl Iterator<Item = &'t TraceParticipant> {
    others(trace, point).filter(move |p| {
        let mut own = trace.statements.iter().filter(|s| s.by == p.id);
        !trace.agrees(&p.id, point, u32::MAX) && !own.any(|s| s.saw >= point.statement)
    })
}

/// Those on other sides than a point.
fn others<'t>(trace: &'t Trace, point: &FlowPoint) -> impl Iterator<Item = &'t TraceParticipant> {
    let all = trace.contestants();
    all.filter(move |p| side_of(trace, &p.id) != point.side)
}
