//! What became of an argument, in words: how it ended and by whom, and what was done about it.

use serde_json::{Value, json};

use crate::artifacts::statement_place::{self, number};
use crate::event::{How, Phase};
use crate::flow::{Edge, FlowPoint, PointStatus};
use crate::text;
use crate::trace::Trace;

/// What statuses mean that do not say it themselves.
static MEANINGS: [(&str, &str); 3] = [
    ("replied to", "to the whole of it, which need not settle it"),
    (
        "standing",
        "each reply to the whole of it was itself replied to, or what it was made against was withdrawn",
    ),
    ("granted", "accepted as true; what follows from it may still be disputed"),
];

/// How a point ended, in words that a reader understands without the definitions.
pub(super) fn status(point: &FlowPoint) -> &'static str {
    match point.status {
        PointStatus::Dropped => "no reply noted",
        PointStatus::Standing if !point.faced => "no turn left to reply",
        status => status.words(),
    }
}

/// The same with those who did it: `granted by Ann`, `replied to in part by Ann and Ben`.
pub(in crate::artifacts) fn ended(trace: &Trace, point: &FlowPoint) -> String {
    let settles = |edge: &&Edge| match (point.status, edge.how) {
        (PointStatus::Conceded, how) => how == How::Conceded,
        (PointStatus::Answered, how) => how == How::Full,
        (PointStatus::PartlyAnswered, how) => how.is_reply(),
        _ => false,
    };
    let by = trace.flow.about(&point.id).filter(settles).map(|edge| trace.name_of(&edge.by));
    if let Some(narrower) = trace.flow.narrowed_to(point) {
        return format!("narrowed to {}", narrower.id);
    }
    match text::joined(text::distinct(by), "and") {
        nobody if nobody.is_empty() => status(point).to_owned(),
        by => format!("{} by {by}", status(point)),
    }
}

/// What the statuses that occur mean.
pub(in crate::artifacts) fn legend(points: &[&FlowPoint]) -> Vec<(&'static str, &'static str)> {
    let occurs = |(word, _): &&(&str, &str)| points.iter().any(|point| status(point) == *word);
    MEANINGS.iter().filter(occurs).copied().collect()
}

/// A point in quotation marks.
pub(super) fn quoted(point: &FlowPoint) -> String {
    format!("“{}”", words(&point.text))
}

/// Somebody's words for quotation marks: on one line, without emphasis and without the full stop.
pub(in crate::artifacts) fn words(said: &str) -> String {
    let said = text::without_emphasis(&text::one_line(said));
    text::unquoted(&said).trim_end_matches('.').to_owned()
}

/// What was done about a point and in which statements: `reply by Ben with B1`, `defended`.
pub(super) fn became(trace: &Trace, point: &FlowPoint) -> Vec<Value> {
    let about = trace.flow.about(&point.id);
    let moves = about.map(|edge| (did(trace, point, edge), number(edge.statement)));
    let same = text::gathered(moves).into_iter();
    same.map(|(did, within)| json!({"did": did, "in": text::distinct(within)})).collect()
}

/// A move with who made it, unless it is the point's own speaker, and the point with which.
fn did(trace: &Trace, point: &FlowPoint, edge: &Edge) -> String {
    let did = match edge.how {
        How::Full => "reply",
        How::Partial => "reply in part",
        How::Conceded => "granted",
        How::Repeated => "repeated",
        How::Withdrawn if edge.with.is_some() => "narrowed",
        How::Withdrawn => "withdrawn",
        How::Defended => "defended",
        How::Upheld => "kept open",
    };
    let by = (edge.by != point.by).then(|| format!(" by {}", trace.name_of(&edge.by)));
    let with = edge.with.as_ref().filter(|id| trace.flow.is_held(id));
    let with = with.map(|id| match edge.how {
        How::Conceded => format!(", with {id} held against it,"),
        _ => format!(" with {id}"),
    });
    format!("{did}{}{}", by.unwrap_or_default(), with.unwrap_or_default())
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

/// In which role a point was made, if not for its speaker's own view, or that it was new at the end, where it earns no credit: `as
/// devil's advocate`, `in the last round`.
pub(super) fn circumstance(trace: &Trace, point: &FlowPoint) -> Option<&'static str> {
    let made = trace.statement(point.statement)?;
    let last = trace.rounds.last().map(|notes| notes.round);
    let is_last = trace.rounds_held() > 1 && statement_place::round_of(trace, made) == last;
    let late = if made.phase == Phase::CLOSING {
        Some("in the closing")
    } else {
        is_last.then_some("in the last round")
    };
    trace.role_of_point(point).or(late)
}
