//! What became of an argument, in words: how it ended and by whom, and what was done about it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::artifacts::statement_place::{self, number};
use crate::event::{How, Phase, Statement};
use crate::flow::{Edge, FlowPoint, MET, PointStatus, SAVED, explained};
use crate::panel::candidates::side_of;
use crate::text;
use crate::trace::{Trace, TraceParticipant};

/// What statuses mean that do not say it themselves.
static MEANINGS: [(&str, &str); 5] = [
    ("replied to", "to the whole of it, which need not settle it"),
    (MET, "to the whole of it, when its side had no turn left to defend it"),
    (
        SAVED,
        "the reply to the whole of it was itself replied to, when the other side had no turn left",
    ),
    (
        "standing",
        "each reply to the whole of it was itself replied to, or what it was made against was withdrawn",
    ),
    ("granted", "accepted as true; what follows from it may still be disputed"),
];

/// Of a point that others could have replied to.
const NO_REPLY: &str = "no reply noted";

/// How a point ended, in words that a reader understands without the definitions.
pub(super) fn status(trace: &Trace, point: &FlowPoint) -> &'static str {
    match point.status {
        PointStatus::Dropped | PointStatus::Standing if trace.flow.is_left_of_position(point) => {
            "what is left of its position"
        }
        PointStatus::Dropped => NO_REPLY,
        PointStatus::Standing if !point.faced => "no turn left to reply",
        _ => at_the_end(trace, point).unwrap_or_else(|| trace.flow.stands(point)),
    }
}

/// What replies did to a point that the other side had no turn left to answer. A skeptic's points have a ledger instead.
pub(super) fn at_the_end(trace: &Trace, point: &FlowPoint) -> Option<&'static str> {
    let has_turn = |side: &str, n: u32| {
        trace.statements.iter().any(|s| s.saw >= n && side_of(trace, &s.by) == side)
    };
    trace.flow.at_the_end(point, has_turn).filter(|_| by_clerk(trace))
}

/// The same where points go by their ids: `narrowed to A9`, `what Ann kept of A2, no reply noted`.
pub(super) fn status_by_id(trace: &Trace, point: &FlowPoint) -> String {
    let status = status(trace, point);
    match (trace.flow.narrowed_to(point), kept_of(trace, point)) {
        (Some(_), _) => trace.flow.stands_by_id(point),
        (None, Some(wider)) => {
            format!("what {} kept of {}, {status}", trace.name_of(&point.by), wider.id)
        }
        (None, None) => status.to_owned(),
    }
}

/// The point of which this is left after a reply to that, where nobody replied to what is left.
fn kept_of<'t>(trace: &'t Trace, point: &FlowPoint) -> Option<&'t FlowPoint> {
    let wider = trace.flow.narrowed_from(point);
    let is_of_position = trace.flow.is_left_of_position(point);
    wider.filter(|_| trace.flow.is_left_over(point) && !is_of_position)
}

/// How a point ended, as short as it can be told: `when for pause, granted, not by Ben`.
pub(super) fn label(trace: &Trace, point: &FlowPoint) -> String {
    let words = [trace.case_of(point), Some(status_by_id(trace, point)), not_by(trace, point)];
    text::separated(words.into_iter().flatten(), ", ")
}

/// What is told behind how a point ended: what it was narrowed to, or by whom it was answered and not granted, as another side did.
pub(super) fn then(trace: &Trace, point: &FlowPoint) -> Option<String> {
    let narrower = trace.flow.narrowed_to(point).map(quoted);
    narrower.or_else(|| not_by(trace, point))
}

/// Who did not grant what another side granted: `not by Ben`.
fn not_by(trace: &Trace, point: &FlowPoint) -> Option<String> {
    let disputed = trace.flow.disputed(point, |by| Some(side_of(trace, by))).into_iter();
    let names = text::distinct(disputed.map(|edge| trace.name_of(&edge.by)));
    text::if_any(text::joined(names, "and")).map(|names| format!("not by {names}"))
}

/// How a point ended where no ids are explained, with those who did it and what became of replies: `granted by Ann, not by Ben`,
/// `replied to by Ann and Ben, then defended`, `narrowed to “It costs an hour”`.
pub(in crate::artifacts) fn ended(trace: &Trace, point: &FlowPoint) -> String {
    let status = explained(status(trace, point));
    let settled = trace.flow.told(point, status, |id| trace.name_of(id));
    let ended = match (trace.flow.narrowed_to(point), then(trace, point)) {
        (Some(_), Some(narrower)) => format!("narrowed to {narrower}"),
        (None, Some(not_by)) => format!("{settled}, {not_by}"),
        _ => settled,
    };
    match kept_of(trace, point) {
        Some(wider) => format!("narrowed from {}; {ended}", quoted(wider)),
        None => ended,
    }
}

/// Whether a reply to a point without one may be missing: the clerk had no room for more replies of somebody who could have replied.
pub(in crate::artifacts) fn is_uncertain(trace: &Trace, point: &FlowPoint) -> bool {
    let notes = trace.notes.iter().flat_map(|notes| &notes.statements);
    let full: BTreeSet<u32> = notes.filter(|notes| notes.is_full).map(|notes| notes.n).collect();
    let could_reply =
        |s: &Statement| s.saw >= point.statement && side_of(trace, &s.by) != point.side;
    let is_full = |s: &Statement| full.contains(&s.n) && could_reply(s);
    status(trace, point) == NO_REPLY && trace.statements.iter().any(is_full)
}

/// Who made a move, unless it goes without saying: the point's own speaker, or the other of two who spoke, unless it granted the point.
fn by<'t>(trace: &'t Trace, point: &FlowPoint, edge: &'t Edge) -> Option<&'t str> {
    let spoke = |p: &&TraceParticipant| trace.statements.iter().any(|said| said.by == p.id);
    let is_told = match edge.how {
        How::Conceded => true,
        how if how.is_own() => edge.by != point.by,
        _ => trace.contestants().filter(spoke).count() > 2,
    };
    is_told.then(|| trace.name_of(&edge.by))
}

/// Whether the points are a clerk's notes, rather than raised as such.
pub(in crate::artifacts) fn by_clerk(trace: &Trace) -> bool {
    trace.notes.iter().any(|notes| notes.by_clerk)
}

/// The names of those who made some points.
pub(super) fn makers<'t>(own: &[&'t FlowPoint], trace: &'t Trace) -> Vec<&'t str> {
    text::distinct(own.iter().map(|point| trace.name_of(&point.by)))
}

/// What the statuses that occur mean.
pub(in crate::artifacts) fn legend(
    trace: &Trace,
    points: &[&FlowPoint],
) -> Vec<(&'static str, &'static str)> {
    let occurs =
        |(word, _): &&(&str, &str)| points.iter().any(|point| status(trace, point) == *word);
    MEANINGS.iter().filter(occurs).copied().collect()
}

/// A point in quotation marks.
pub(in crate::artifacts) fn quoted(point: &FlowPoint) -> String {
    format!("“{}”", words(&point.text))
}

/// Somebody's words for quotation marks: on one line, without emphasis and without the full stop.
pub(in crate::artifacts) fn words(said: &str) -> String {
    let said = text::without_emphasis(&text::one_line(said));
    text::unquoted(&said).trim_end_matches('.').to_owned()
}

/// What was done about a point and in which statements, those moves apart that its status names: `with B1`; `defended`. Where a point
/// was used that others granted since, by whom and in which statement.
pub(super) fn became(trace: &Trace, point: &FlowPoint) -> [Vec<Value>; 2] {
    let status = trace.flow.stands(point);
    let (named, others): (Vec<&Edge>, Vec<&Edge>) =
        trace.flow.about(&point.id).partition(|edge| edge.did() == status);
    let told = |edges: Vec<&Edge>, is_named: bool| {
        let moves = edges.into_iter().map(|edge| {
            let did = if is_named { "" } else { edge.did() };
            let told = format!("{did}{}", how(trace, point, edge));
            let held = (edge.how == How::Conceded).then(|| with(trace, edge)).flatten();
            let since = trace.flow.granted_since(edge);
            let since = since.map(|it| (trace.name_of(&it.by), number(it.statement)));
            ((told.trim_start().to_owned(), held, since), number(edge.statement))
        });
        let told = text::gathered(moves).into_iter().map(|((did, held, since), within)| {
            json!({"did": did, "in": text::distinct(within), "held": held, "since": since})
        });
        told.collect()
    };
    [told(named, true), told(others, false)]
}

/// By whom a move was made, and with which point: ` by Ben with B1`. What a grant holds against a point is told behind it.
fn how(trace: &Trace, point: &FlowPoint, edge: &Edge) -> String {
    let by = by(trace, point, edge).map(|name| format!(" by {name}"));
    let with = with(trace, edge).filter(|_| edge.how != How::Conceded);
    by.unwrap_or_default() + &with.map_or_else(String::new, |with| format!(" with {with}"))
}

/// The point of another side with which a move was made, if anything is left of it, and of a reply, whether that holds: `B1`, `B1 (now
/// B4)`, `B1 (itself replied to)`.
fn with(trace: &Trace, edge: &Edge) -> Option<String> {
    let id = edge.with.as_ref().filter(|_| !edge.how.is_own())?;
    let left = trace.flow.left_of(trace.flow.point(id)?)?;
    let met = trace.flow.met(edge).map(|stands| format!(" (itself {stands})"));
    let now = (left.id != *id).then(|| format!(" (now {})", left.id));
    Some(id.clone() + &now.into_iter().chain(met).collect::<String>())
}

/// What a statement does about a point, in words.
pub(in crate::artifacts) fn does(edge: &Edge) -> &'static str {
    match edge.how {
        How::Full => "replies to",
        How::Partial => "replies in part to",
        How::Conceded => "grants",
        How::Repeated => "repeats",
        How::Withdrawn if edge.with.is_some() => "narrows",
        How::Withdrawn => "withdraws",
        How::Defended => "defends",
        How::Upheld => "keeps open",
    }
}

/// For which case a point was made, if not for its speaker's own, or that it was new at the end, where a new line of argument
/// does not count: `as devil's advocate`, `in the last round`.
pub(super) fn circumstance(trace: &Trace, point: &FlowPoint) -> Option<String> {
    let made = trace.statement(point.statement)?;
    let last = trace.rounds.last().map(|notes| notes.round);
    let is_last = trace.rounds_held() > 1 && statement_place::filed_under(trace, made) == last;
    let late = if made.phase == Phase::CLOSING {
        Some("in the closing")
    } else {
        is_last.then_some("in the last round")
    };
    trace.case_of(point).or(late.map(str::to_owned))
}
