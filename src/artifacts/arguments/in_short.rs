//! How an argument ended, in the words of "In short".

use super::endings::{
    CONCEDED, COUNTERED, PREVAILED, STANDS, disputed, granted_before, held_against, quoted,
    settlers, settling, since, some_holding, status,
};
use super::sight::last_answer;
use crate::event::Phase;
use crate::flow::{FlowPoint, PointStatus};
use crate::text;
use crate::trace::Trace;

/// How a point ended, or `several` alike, where no legend and no ids are: who conceded is named, who replied is not, and a point that
/// did for another is quoted.
pub(super) fn in_short(trace: &Trace, point: &FlowPoint, several: bool) -> String {
    match status(trace, point) {
        CONCEDED => {
            let by = settlers(trace, point);
            let (held, disputed) = (but_held(trace, point, several), disputed(trace, point));
            format!("{CONCEDED}{by}{held}{disputed}")
        }
        STANDS => "replied to; that reply was answered".to_owned(),
        PREVAILED => "what it replied to was withdrawn".to_owned(),
        COUNTERED => "what it replied to was defended".to_owned(),
        status if point.status == PointStatus::Withdrawn => {
            let granted = granted_before(trace, point);
            let after = if granted.is_empty() { after(trace, point) } else { String::new() };
            format!("{granted}{status}{after}{}", since(trace, point))
        }
        status => format!("{status}{}{}", unseen_in(trace, point), since(trace, point)),
    }
}

/// ` in the closing`: where the last reply came, if that was late; behind earlier ones, `, last in the closing`.
fn unseen_in(trace: &Trace, point: &FlowPoint) -> &'static str {
    let answer = last_answer(trace, point).and_then(|edge| trace.statement(edge.statement));
    let Some(answer) = answer.filter(|answer| answer.phase == Phase::CLOSING) else {
        return "";
    };
    let mut replies = trace.flow.about(&point.id).filter(|edge| !edge.how.is_own());
    let had_earlier = replies.any(|edge| edge.statement < answer.n);
    if had_earlier { ", last in the closing" } else { " in the closing" }
}

/// ` after Ann's “…”`: the point with which another side last replied to one before it was withdrawn; without such a point, ` after a
/// reply by Ann`.
fn after(trace: &Trace, point: &FlowPoint) -> String {
    let mut before =
        settling(trace, point).map(|settling| settling.before).unwrap_or_default().into_iter();
    let Some(reply) = before.rfind(|edge| !edge.how.is_own()) else {
        return String::new();
    };
    let name = trace.name_of(&reply.by);
    let with = reply.with.as_ref().and_then(|id| trace.flow.point(id));
    match with {
        Some(with) => format!(" after {} {}", text::possessive(name), quoted(with)),
        None => format!(" after a reply by {name}"),
    }
}

/// `, who held “…” against it`; where not all who conceded a point held one, `; Ann held “…” against it`.
fn but_held(trace: &Trace, point: &FlowPoint, several: bool) -> String {
    let held = held_against(trace, point, quoted);
    let (held, it) = (text::joined(held, "and"), if several { "each" } else { "it" });
    match some_holding(trace, point) {
        _ if held.is_empty() => held,
        None => format!(", who held {held} against {it}"),
        Some(who) => format!("; {who} held {held} against {it}"),
    }
}
