//! What an argument weighs in a debate, and for how many there is room in a text.

use std::collections::BTreeSet;

use crate::artifacts::interruptions;
use crate::event::How;
use crate::flow::{Edge, FlowPoint, PointStatus};
use crate::trace::Trace;

/// Sides that are told of.
pub(super) const SIDES: usize = 4;
/// Up to so many sides have room for all of their points.
pub(super) const FEW: usize = 2;
/// As many replies as a concession counts for.
const GRANTED: usize = 2;

/// What a point weighs: in how many statements somebody came back to it or used it, where to grant turns more than a reply; of equal
/// ones, a point of one's own more than one that replies to another.
pub(super) fn weight(trace: &Trace, point: &FlowPoint) -> (usize, bool) {
    let is_about = |edge: &&Edge| edge.at == point.id || edge.with.as_ref() == Some(&point.id);
    let about = trace
        .flow
        .edges
        .iter()
        .filter(is_about)
        .filter(|edge| edge.how != How::Repeated || !was_asked_for(trace, edge));
    let later: BTreeSet<u32> =
        about.map(|edge| edge.statement).filter(|n| *n > point.statement).collect();
    let granted = GRANTED * usize::from(point.status == PointStatus::Conceded);
    (later.len() + granted, replies_to(trace, point).is_none())
}

/// Whether a move was made in an answer to an interruption, which asks for it.
pub(super) fn was_asked_for(trace: &Trace, edge: &Edge) -> bool {
    let said = trace.statement(edge.statement);
    said.is_some_and(|s| interruptions::is_answer(trace, s))
}

/// The point to which another was a reply when it was made.
fn replies_to<'t>(trace: &'t Trace, point: &FlowPoint) -> Option<&'t FlowPoint> {
    let mut edges = trace.flow.edges.iter();
    let with = edges.find(|edge| {
        // What is held against a conceded point is no reply to it.
        edge.how.is_reply()
            && edge.with.as_ref() == Some(&point.id)
            && edge.statement == point.statement
    })?;
    trace.flow.point(&with.at)
}
