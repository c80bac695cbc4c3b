//! What became of an argument, in words: how it ended and by whom, and what was done about it.

use serde_json::{Value, json};

use crate::artifacts::statement_place::{self, number};
use crate::event::{How, Phase};
use crate::flow::{Edge, FlowPoint, PointStatus};
use crate::panel::candidates::side_of;
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
pub(super) fn status(trace: &Trace, point: &FlowPoint) -> &'static str {
    match point.status {
        PointStatus::Dropped => "no reply noted",
        PointStatus::Standing if !point.faced => "no turn left to reply",
        _ => trace.flow.stands(point),
    }
}

/// The same with the id of a narrower point: `narrowed to A9`.
pub(super) fn status_by_id(trace: &Trace, point: &FlowPoint) -> String {
    match trace.flow.narrowed_to(point) {
        Some(_) => trace.flow.stands_by_id(point),
        None => status(trace, point).to_owned(),
    }
}

/// The same with those who did it, where others could have: `granted by Ann`, `replied to by Ann and Ben, then defended`.
pub(in crate::artifacts) fn ended(trace: &Trace, point: &FlowPoint) -> String {
    let settles = |edge: &&Edge| match point.status {
        PointStatus::Conceded => edge.how == How::Conceded,
        PointStatus::Answered => edge.how == How::Full,
        PointStatus::PartlyAnswered => edge.how.is_reply(),
        _ => false,
    };
    let by = trace.flow.about(&point.id).filter(settles).filter_map(|edge| by(trace, point, edge));
    match text::joined(text::distinct(by), "and") {
        nobody if nobody.is_empty() => status_by_id(trace, point),
        by => {
            let status = status(trace, point);
            let (did, then) = status.split_at(status.find(',').unwrap_or(status.len()));
            format!("{did} by {by}{then}")
        }
    }
}

/// Who made a move, unless it goes without saying: the point's own speaker, or the only opponent.
fn by<'t>(trace: &'t Trace, point: &FlowPoint, edge: &'t Edge) -> Option<&'t str> {
    let others = trace.contestants().filter(|p| {
        let spoke = || trace.statements.iter().any(|said| said.by == p.id);
        side_of(trace, &p.id) != point.side && spoke()
    });
    let is_told = if edge.how.is_own() { edge.by != point.by } else { others.count() > 1 };
    is_told.then(|| trace.name_of(&edge.by))
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
pub(super) fn quoted(point: &FlowPoint) -> String {
    format!("“{}”", words(&point.text))
}

/// Somebody's words for quotation marks: on one line, without emphasis and without the full stop.
pub(in crate::artifacts) fn words(said: &str) -> String {
    let said = text::without_emphasis(&text::one_line(said));
    text::unquoted(&said).trim_end_matches('.').to_owned()
}

/// What was done about a point and in which statements, those moves apart that its status names: `with B1`; `defended`.
pub(super) fn became(trace: &Trace, point: &FlowPoint) -> [Vec<Value>; 2] {
    let status = trace.flow.stands(point);
    let (named, others): (Vec<&Edge>, Vec<&Edge>) =
        trace.flow.about(&point.id).partition(|edge| did(edge) == status);
    let told = |edges: Vec<&Edge>, is_named: bool| {
        let moves = edges.into_iter().map(|edge| {
            let did = if is_named { "" } else { did(edge) };
            let told = format!("{did}{}", how(trace, point, edge));
            (told.trim_start().to_owned(), number(edge.statement))
        });
        let same = text::gathered(moves).into_iter();
        same.map(|(did, within)| json!({"did": did, "in": text::distinct(within)})).collect()
    };
    [told(named, true), told(others, false)]
}

/// A move, in the words of the status that it gives, where it gives one.
fn did(edge: &Edge) -> &'static str {
    match edge.how {
        How::Full => PointStatus::Answered.words(),
        How::Partial => PointStatus::PartlyAnswered.words(),
        How::Conceded => PointStatus::Conceded.words(),
        How::Withdrawn if edge.with.is_some() => PointStatus::Narrowed.words(),
        How::Withdrawn => PointStatus::Withdrawn.words(),
        How::Repeated => "repeated",
        How::Defended => "defended",
        How::Upheld => "kept open",
    }
}

/// By whom a move was made, and with which point, if that is still held or was granted: ` by Ben with B1`.
fn how(trace: &Trace, point: &FlowPoint, edge: &Edge) -> String {
    let by = by(trace, point, edge).map(|name| format!(" by {name}"));
    let with = edge.with.as_ref().filter(|id| trace.flow.is_held(id) && !edge.how.is_own());
    let with = with.map(|id| match edge.how {
        How::Conceded => format!(" with {id} held against it"),
        _ => format!(" with {id}{}", granted_since(trace, point, id)),
    });
    format!("{}{}", by.unwrap_or_default(), with.unwrap_or_default())
}

/// `, which Ann granted,`: that a point's own side granted what was set against it.
fn granted_since(trace: &Trace, point: &FlowPoint, with: &str) -> String {
    let with = trace.flow.point(with);
    let mut granting = with.into_iter().flat_map(|with| trace.flow.granting(with));
    let own = granting.find(|edge| side_of(trace, &edge.by) == point.side);
    own.map_or_else(String::new, |edge| format!(", which {} granted,", trace.name_of(&edge.by)))
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
