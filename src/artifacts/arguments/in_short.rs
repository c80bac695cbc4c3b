//! What each side held in the end and what it gave up, in a sentence each.

use std::cmp::Reverse;

use super::endings::{self, by_clerk, makers, quoted};
use crate::artifacts::{banner, positions};
use crate::flow::{FlowPoint, PointStatus};
use crate::panel::candidates::side_of;
use crate::text;
use crate::trace::Trace;

/// Points that a side held, as far as they are told.
const HELD: usize = 2;

/// The points that are told of all that sides held in the end.
pub(in crate::artifacts) fn held(trace: &Trace) -> Vec<&FlowPoint> {
    let points = trace.flow.points.iter().filter(|point| !point.status.is_given_up());
    let sides = text::gathered(points.map(|point| (point.side.as_str(), point)));
    sides.into_iter().flat_map(|(side, held)| best(trace, side, held)).collect()
}

/// `As the clerk noted it, Ann gave up its position; it argued “…” (granted by Ben), and gave up “…”.`, then the other sides.
pub(in crate::artifacts) fn sentences(trace: &Trace) -> Vec<String> {
    let points = trace.flow.points.iter();
    let sides = text::gathered(points.map(|point| (point.side.as_str(), point)));
    let mut by = if by_clerk(trace) { "As the clerk noted it, " } else { "" };
    let one = |(side, own): (&str, Vec<&FlowPoint>)| {
        let name = match makers(&own, trace)[..] {
            [only] => only,
            _ => trace.name_of(side),
        };
        let sentence = format!("{name} {}.", did(trace, side, &own));
        match std::mem::take(&mut by) {
            "" => banner::begun(trace, &sentence),
            by => format!("{by}{sentence}"),
        }
    };
    sides.into_iter().map(one).collect()
}

/// What a side did. What is left of a narrowed position is told among what it argued.
fn did(trace: &Trace, side: &str, own: &[&FlowPoint]) -> String {
    let gone = positions::of_side(trace, side).filter(|it| it.left.is_none());
    let gone = gone.map(|_| "gave up its position".to_owned());
    let argued = text::if_any(argued(trace, side, own));
    text::separated(gone.into_iter().chain(argued), "; it ")
}

/// What a side argued, what it kept of points that it narrowed, each with what became of the narrower one, and a point that it gave
/// up.
fn argued(trace: &Trace, side: &str, own: &[&FlowPoint]) -> String {
    let (gone, held): (Vec<&FlowPoint>, Vec<_>) =
        own.iter().copied().partition(|point| point.status.is_given_up());
    let is_narrower = |point: &&FlowPoint| trace.flow.narrowed_from(point).is_some();
    let (kept, argued): (Vec<&FlowPoint>, Vec<_>) =
        best(trace, side, held).into_iter().partition(is_narrower);
    let told = |did: &str, points: Vec<&FlowPoint>| {
        let all = text::joined(points.into_iter().map(|point| told(trace, point)), "and");
        text::if_any(all).map(|all| format!("{did} {all}"))
    };
    let held = [told("argued", argued), told("kept", kept)].into_iter().flatten();
    let held = text::if_any(text::joined(held, "and"));
    let gone = gone.into_iter().rfind(|point| trace.flow.narrowed_to(point).is_none());
    let gave_up = gone.map(|point| {
        let first = trace.flow.widening(point).last().unwrap_or(point);
        let narrowed = if first.id == point.id { "" } else { ", which it had narrowed" };
        format!("gave up {}{narrowed}", quoted(first))
    });
    text::separated(held.into_iter().chain(gave_up), ", and ")
}

/// `“It costs an hour” (when for pause; granted by Ben)`; of what was kept of a point, of which.
fn told(trace: &Trace, point: &FlowPoint) -> String {
    let wider = trace.flow.narrowed_from(point).filter(|_| !trace.flow.is_left_over(point));
    let wider = wider.map(|wider| format!("narrowed from {}", quoted(wider)));
    let full = endings::is_uncertain(trace, point).then_some("the clerk's entries were full");
    let ended = Some(endings::ended(trace, point));
    let ended = [trace.case_of(point), wider, ended, full.map(str::to_owned)].into_iter().flatten();
    format!("{} ({})", quoted(point), text::separated(ended, "; "))
}

/// Those points of a side that say most of what it held in the end, in their order: what is left of its position; what it argued as
/// its own view and for the stance that it ended with, before others; what its case began with or others granted; what was narrowed,
/// or held or made in its last turn; what nobody answered. Of equals, those on which others moved most.
fn best<'t>(trace: &'t Trace, side: &str, mut held: Vec<&'t FlowPoint>) -> Vec<&'t FlowPoint> {
    let left = positions::of_side(trace, side).and_then(|it| it.left);
    let last = trace.statements.iter().rfind(|s| side_of(trace, &s.by) == side).map(|s| s.n);
    let weight = |point: &FlowPoint| {
        let about = trace.flow.about(&point.id);
        let (own, others): (Vec<_>, Vec<_>) = about.partition(|edge| edge.how.is_own());
        let own = own.iter().map(|edge| edge.statement).chain([point.statement]);
        let is_late = own.max() == last || trace.flow.narrowed_from(point).is_some();
        let is_unanswered =
            point.faced && point.status.is_unanswered() && !trace.flow.is_left_over(point);
        let is_granted = point.status == PointStatus::Conceded;
        let weight = 4 * (u8::from(trace.flow.is_first(point)) + u8::from(is_granted));
        let weight = weight + 2 * u8::from(is_late && !is_granted) + u8::from(is_unanswered);
        (left == Some(point), trace.case_of(point).is_none(), weight, others.len(), is_late)
    };
    let order = held.clone();
    held.sort_by_cached_key(|point| Reverse(weight(point)));
    held.truncate(HELD + usize::from(left.is_some()));
    order.into_iter().filter(|point| held.contains(point)).collect()
}
