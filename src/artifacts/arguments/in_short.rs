//! What each side held in the end and what it gave up, in a sentence each.

use std::cmp::Reverse;

use super::endings::{self, by_clerk, makers, quoted};
use crate::artifacts::{banner, positions};
use crate::flow::{Edge, FlowPoint, PointStatus};
use crate::panel::candidates::side_of;
use crate::text;
use crate::trace::Trace;

/// Points that a side held, as far as they are told.
const HELD: usize = 2;

/// The points that are told of all that sides held in the end.
pub(super) fn held(trace: &Trace) -> Vec<&FlowPoint> {
    let points = trace.flow.points.iter().filter(|point| !point.status.is_given_up());
    let sides = text::gathered(points.map(|point| (point.side.as_str(), point)));
    sides.into_iter().flat_map(|(side, held)| best(trace, side, held)).collect()
}

/// `As the clerk noted it, Ann narrowed its position to “…” (no reply noted); it argued “…” (granted by Ben), and gave up “…”
/// (withdrawn).`, then the other sides.
pub(in crate::artifacts) fn sentences(trace: &Trace) -> Vec<String> {
    let points = trace.flow.points.iter();
    let sides = text::gathered(points.map(|point| (point.side.as_str(), point)));
    let mut by = if by_clerk(trace) { "As the clerk noted it, " } else { "" };
    let one = |(side, own): (&str, Vec<&FlowPoint>)| {
        let name = match makers(&own, trace)[..] {
            [only] => only,
            _ => trace.name_of(side),
        };
        let sentence = format!("{name} {}.", did(trace, name, side, own));
        match std::mem::take(&mut by) {
            "" => banner::begun(trace, &sentence),
            by => format!("{by}{sentence}"),
        }
    };
    sides.into_iter().map(one).collect()
}

/// What a side did, its position first.
fn did(trace: &Trace, name: &str, side: &str, mut own: Vec<&FlowPoint>) -> String {
    let position = positions::last(trace, &positions::arguing(trace, side));
    own.retain(|point| position.and_then(|(_, left)| left) != Some(*point));
    let position = position.map(|(edge, left)| narrowed(trace, name, edge, left));
    let argued = text::if_any(argued(trace, side, &own));
    text::separated(position.into_iter().chain(argued), "; it ")
}

/// What became of the position of those who go by this name, and who of them did it: `narrowed its position to “…” (granted by Ben)`.
fn narrowed(trace: &Trace, name: &str, edge: &Edge, left: Option<&FlowPoint>) -> String {
    let by = Some(trace.name_of(&edge.by)).filter(|by| *by != name);
    let by = by.map_or_else(String::new, |by| format!(" (by {by})"));
    let to = left.map(|p| format!(" to {} ({})", quoted(p), endings::ended(trace, p)));
    format!("{} its position{by}{}", positions::put(left), to.unwrap_or_default())
}

/// What a side held, and one point that it gave up. A point that was narrowed is told by what became of the narrower one.
fn argued(trace: &Trace, side: &str, own: &[&FlowPoint]) -> String {
    let (gone, held): (Vec<&FlowPoint>, Vec<_>) =
        own.iter().copied().partition(|point| point.status.is_given_up());
    let held = best(trace, side, held).into_iter();
    let held = held.map(|p| format!("{} ({})", quoted(p), endings::ended(trace, p)));
    let argued = text::if_any(text::joined(held, "and")).map(|held| format!("argued {held}"));
    let gone = gone.into_iter().rfind(|point| trace.flow.narrowed_to(point).is_none());
    let gave_up = gone.map(|point| {
        let first = trace.flow.widening(point).last().unwrap_or(point);
        let before = if first.id == point.id { "" } else { "narrowed, then " };
        format!("gave up {} ({before}{})", quoted(first), endings::ended(trace, point))
    });
    text::separated(argued.into_iter().chain(gave_up), ", and ")
}

/// Those points of a side that say most of what it held in the end, in their order: granted by others, or held or made in its last
/// turn; then what nobody answered, and what its case began with or came down to.
fn best<'t>(trace: &'t Trace, side: &str, mut held: Vec<&'t FlowPoint>) -> Vec<&'t FlowPoint> {
    let last = trace.statements.iter().rfind(|s| side_of(trace, &s.by) == side).map(|s| s.n);
    let weight = |point: &FlowPoint| {
        let mut own = trace.flow.about(&point.id).filter(|edge| edge.how.is_own());
        let is_last = Some(point.statement) == last || own.any(|it| Some(it.statement) == last);
        let is_granted = point.status == PointStatus::Conceded;
        let is_unanswered =
            point.faced && point.status.is_unanswered() && !trace.flow.is_left_over(point);
        let is_claim = trace.flow.is_first(point) || trace.flow.narrowed_from(point).is_some();
        2 * (u8::from(is_granted) + u8::from(is_last))
            + u8::from(is_unanswered)
            + u8::from(is_claim)
    };
    let order = held.clone();
    held.sort_by_cached_key(|point| Reverse(weight(point)));
    held.truncate(HELD);
    order.into_iter().filter(|point| held.contains(point)).collect()
}
