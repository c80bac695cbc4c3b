//! Arguments of two sides that were replied to in part, each with the argument that did it: what they left open between them.

use std::cmp::Reverse;
use std::iter;

use super::endings::{self, quoted};
use super::weight::{FEW, weight};
use crate::artifacts::stances;
use crate::event::How;
use crate::flow::{Edge, FlowPoint, PointStatus};
use crate::text;
use crate::trace::Trace;

/// Threads that are told.
const TOLD: usize = 2;

/// The replies on which the status of a point rests, of the one that replied to it, and so on.
pub(super) struct Thread<'t>(Vec<&'t Edge>);

/// The longest threads where there are few sides that differ, and of equal ones those of weight.
pub(super) fn threads<'t>(trace: &'t Trace) -> Vec<Thread<'t>> {
    let all = trace.flow.points.iter();
    let replies: Vec<&Edge> = all.clone().filter_map(|point| reply(trace, point)).collect();
    let is_reply = |point: &FlowPoint| replies.iter().any(|it| it.with.as_ref() == Some(&point.id));
    let begin = all.clone().filter(|it| !is_reply(it) && stances::left(trace, it).is_none());
    let begin = begin.filter_map(|it| reply(trace, it));
    let mut threads: Vec<Thread<'t>> = begin.map(|first| Thread::from(trace, first)).collect();
    let first = |thread: &Thread<'t>| thread.points(trace).first().map(|it| weight(trace, it));
    threads.sort_by_key(|thread| Reverse((thread.0.len(), first(thread))));
    let sides = text::distinct(all.map(|point| point.side.as_str())).len();
    let are_told = sides <= FEW && !stances::end_alike(trace);
    threads.truncate(if are_told { TOLD } else { 0 });
    threads
}

/// The last reply in part to a point that had no other.
fn reply<'t>(trace: &'t Trace, point: &'t FlowPoint) -> Option<&'t Edge> {
    let open = Some(point).filter(|point| point.status == PointStatus::PartlyAnswered);
    endings::settled_by(trace, open?).filter(|edge| edge.how == How::Partial)
}

impl<'t> Thread<'t> {
    fn from(trace: &'t Trace, first: &'t Edge) -> Self {
        let next = |edge: &&'t Edge| {
            let next = reply(trace, trace.flow.point(edge.with.as_ref()?)?)?;
            (next.statement > edge.statement).then_some(next)
        };
        Self(iter::successors(Some(first), next).collect())
    }

    /// The points in it.
    pub(super) fn points(&self, trace: &'t Trace) -> Vec<&'t FlowPoint> {
        let first = self.0.first().map(|edge| &edge.at);
        let ids = first.into_iter().chain(self.0.iter().filter_map(|edge| edge.with.as_ref()));
        ids.filter_map(|id| trace.flow.point(id)).collect()
    }

    /// `Ann's “…”, replied to in part by Ben with “…”, that in turn by Ann with “…”, too late for a reply`
    pub(super) fn told(&self, trace: &'t Trace) -> String {
        let points = self.points(trace);
        let reply = |(place, edge): (usize, &&Edge)| {
            let did = if place == 0 { "replied to in part" } else { "that in turn" };
            let with = edge.with.as_ref().and_then(|id| trace.flow.point(id));
            let with = with.map_or_else(String::new, |it| format!(" with {}", quoted(it)));
            format!("{did} by {}{with}", trace.name_of(&edge.by))
        };
        let owner =
            |it: &&FlowPoint| format!("{} {}", text::possessive(trace.name_of(&it.by)), quoted(it));
        let end = match points[..] {
            [.., last] if endings::is_late(trace, last) => ", too late for a reply",
            [.., last] if endings::is_unanswered(trace, last) => ", with no reply noted",
            _ => {
                let last = self.0.last().and_then(|edge| trace.flow.point(&edge.at));
                last.map_or("", |point| endings::since(trace, point))
            }
        };
        let replies = self.0.iter().enumerate().map(reply);
        text::separated(points.first().map(owner).into_iter().chain(replies), ", ") + end
    }
}
