//! How the arguments ended, as `summary.md` and `index.md` show it: the flow, with links to the statements behind it.

use serde_json::{Value, json};

use crate::event::How;
use crate::flow::{Edge, FlowPoint, PointStatus};
use crate::text;
use crate::trace::Trace;

/// Points that are listed; of more, those that nobody answered or granted come first.
const LISTED: usize = 30;
/// Unanswered questions that are listed, the first.
const WAITING: usize = 10;

/// The points by side, those that survived first, each with what became of it.
pub(super) fn ended(trace: &Trace) -> Value {
    let mut points = ranked(trace);
    let left_out = points.len().saturating_sub(LISTED);
    points.truncate(LISTED);
    json!({
        "sides": by_side(trace, &points),
        "legend": legend(&points),
        "left_out": left_out,
        "waiting": trace.flow.questions.iter().filter(|q| q.answered_in.is_none()).take(WAITING).map(|q| {
            json!({"name": trace.name_of(&q.by), "text": q.text, "in": number(q.statement)})
        }).collect::<Vec<_>>(),
    })
}

/// Whether the points are a clerk's notes, rather than raised as such.
pub(super) fn by_clerk(trace: &Trace) -> bool {
    trace.notes.iter().any(|notes| notes.by_clerk)
}

/// All points, those first that a reader wants first.
pub(super) fn ranked(trace: &Trace) -> Vec<&FlowPoint> {
    let mut points: Vec<&FlowPoint> = trace.flow.points.iter().collect();
    points.sort_by_key(|point| rank(point.status));
    points
}

/// What a reader wants first: what nobody answered, then what was granted.
fn rank(status: PointStatus) -> u8 {
    match status {
        PointStatus::Dropped => 0,
        PointStatus::Standing | PointStatus::Open => 1,
        PointStatus::Conceded => 2,
        PointStatus::PartlyAnswered => 3,
        PointStatus::Answered => 4,
        PointStatus::Withdrawn => 5,
    }
}

/// What statuses mean that do not say it themselves, where they occur.
fn legend(points: &[&FlowPoint]) -> Vec<[&'static str; 2]> {
    let meanings = [
        [
            DROPPED,
            "others spoke after it, and the clerk noted no answer",
        ],
        [STANDS, "every answer to it was answered in turn"],
    ];
    let occurs = |[word, _]: &[&str; 2]| points.iter().any(|point| status(point) == *word);
    meanings.into_iter().filter(occurs).collect()
}

pub(super) fn by_side(trace: &Trace, points: &[&FlowPoint]) -> Vec<Value> {
    let mut sides: Vec<&str> = Vec::new();
    for point in &trace.flow.points {
        if !sides.contains(&point.side.as_str()) {
            sides.push(&point.side);
        }
    }
    let side = |side: &str| {
        let own: Vec<Value> = points
            .iter()
            .filter(|point| point.side == side)
            .map(|point| row(trace, point))
            .collect();
        json!({"side": side, "name": side_name(trace, side), "points": own})
    };
    sides.into_iter().map(side).collect()
}

/// Those who argued for a side.
fn side_name(trace: &Trace, side: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for point in trace.flow.points.iter().filter(|point| point.side == side) {
        let name = trace.name_of(&point.by);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    text::joined(&names, "and")
}

fn row(trace: &Trace, point: &FlowPoint) -> Value {
    json!({
        "id": point.id,
        "text": point.text,
        "status": status(point),
        "made": number(point.statement),
        "met": met(trace, point),
        "verb": verb(point.status),
    })
}

/// A status that needs its meaning beside it.
const DROPPED: &str = "never answered";
/// As above.
const STANDS: &str = "stands";

/// The status in words that a reader understands without the definitions.
pub(super) fn status(point: &FlowPoint) -> &'static str {
    match point.status {
        PointStatus::Dropped => DROPPED,
        PointStatus::Standing | PointStatus::Open if !point.faced => "no turn left to answer it",
        PointStatus::Standing | PointStatus::Open => STANDS,
        PointStatus::Conceded => "conceded",
        PointStatus::PartlyAnswered => "answered in part",
        PointStatus::Answered => "answered",
        PointStatus::Withdrawn => "withdrawn",
    }
}

/// What was done in the statements that a status comes from.
fn verb(status: PointStatus) -> &'static str {
    match status {
        PointStatus::Conceded => "conceded",
        PointStatus::Withdrawn => "withdrawn",
        _ => "answered",
    }
}

/// Where the status comes from: the statements that did what it says.
fn met(trace: &Trace, point: &FlowPoint) -> Vec<String> {
    let matters = |edge: &&Edge| match point.status {
        PointStatus::Withdrawn => edge.how == How::Withdrawn,
        PointStatus::Conceded => edge.how == How::Conceded,
        _ => matches!(edge.how, How::Full | How::Partial),
    };
    let mut statements: Vec<u32> = Vec::new();
    for edge in trace.flow.about(&point.id).filter(matters) {
        if !statements.contains(&edge.statement) {
            statements.push(edge.statement);
        }
    }
    statements.into_iter().map(number).collect()
}

/// The number of a statement as texts name it: `007`.
pub(super) fn number(n: u32) -> String {
    format!("{n:03}")
}
