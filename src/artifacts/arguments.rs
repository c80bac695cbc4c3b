//! How the arguments ended, as `summary.md` and `index.md` show it: the flow, with links to the statements behind it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::place::message_name;
use crate::event::How;
use crate::flow::{Edge, FlowPoint, PointStatus};
use crate::text;
use crate::trace::Trace;

/// Points that are listed; of more, those that nobody answered or granted come first.
const LISTED: usize = 30;
/// Unanswered questions that are listed, the first.
const WAITING: usize = 10;
/// Points on the map; of more, those that most was done about, and those that nobody answered.
const ON_MAP: usize = 16;
/// Characters of a point on the map.
const LABEL: usize = 60;

/// The points by side, those that survived first, each with what became of it.
pub(super) fn ended(trace: &Trace) -> Value {
    let mut points = ranked(trace);
    let left_out = points.len().saturating_sub(LISTED);
    points.truncate(LISTED);
    json!({
        "sides": by_side(trace, &points),
        "left_out": left_out,
        "waiting": trace.flow.questions.iter().filter(|q| q.answered_in.is_none()).take(WAITING).map(|q| {
            json!({"name": trace.name_of(&q.by), "text": q.text, "in": link(trace, q.statement)})
        }).collect::<Vec<_>>(),
    })
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

fn by_side(trace: &Trace, points: &[&FlowPoint]) -> Vec<Value> {
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
        json!({"name": side_name(trace, side), "points": own})
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
        "made": link(trace, point.statement),
        "met": met(trace, point),
        "verb": verb(point.status),
    })
}

/// The status in words that a reader understands without the definitions.
pub(super) fn status(point: &FlowPoint) -> &'static str {
    match point.status {
        PointStatus::Dropped => "never answered",
        PointStatus::Standing | PointStatus::Open if !point.faced => "no turn left to answer it",
        PointStatus::Standing | PointStatus::Open => "stands",
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
fn met(trace: &Trace, point: &FlowPoint) -> Vec<Value> {
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
    statements.into_iter().map(|n| link(trace, n)).collect()
}

/// The number of a statement, and its file.
pub(super) fn link(trace: &Trace, n: u32) -> Value {
    let found = trace.statements.iter().find(|s| s.n == n);
    let file = found.map(|s| format!("messages/{}.md", message_name(trace, s)));
    json!({"n": format!("{n:03}"), "file": file})
}

/// The map of arguments: points by side, and who answered or granted what.
pub(super) fn map(trace: &Trace) -> Value {
    let points = on_map(trace);
    let shown = |id: &str| points.iter().any(|point| point.id == id);
    let edges: BTreeMap<(&str, &str), &str> = trace
        .flow
        .edges
        .iter()
        .filter(|edge| shown(&edge.at) && edge.with.as_deref().is_some_and(shown))
        .filter_map(|edge| Some(((edge.with.as_deref()?, edge.at.as_str()), does(edge.how)?)))
        .collect();
    let side = |side: &Value| {
        let name = side["name"].as_str().unwrap_or_default();
        let nodes = side["points"].as_array().into_iter().flatten();
        let node = |row: &Value| {
            let text = row["text"].as_str().unwrap_or_default();
            json!({"id": row["id"], "text": text::shorten(text, LABEL), "status": row["status"]})
        };
        json!({"name": name, "points": nodes.map(node).collect::<Vec<_>>()})
    };
    json!({
        "sides": by_side(trace, &points).iter().map(side).collect::<Vec<_>>(),
        "edges": edges.iter().map(|((from, to), how)| json!([from, how, to])).collect::<Vec<_>>(),
        "left_out": trace.flow.points.len() - points.len(),
    })
}

/// The points that the debate turns on.
fn on_map(trace: &Trace) -> Vec<&FlowPoint> {
    let uses = |id: &str| {
        let used = trace.flow.edges.iter();
        used.filter(|edge| edge.at == id || edge.with.as_deref() == Some(id))
            .count()
    };
    let weight =
        |point: &FlowPoint| 2 * uses(&point.id) + usize::from(point.status.is_unanswered());
    let mut points: Vec<&FlowPoint> = trace.flow.points.iter().collect();
    points.sort_by_key(|point| std::cmp::Reverse(weight(point)));
    points.truncate(ON_MAP);
    let on_map = |point: &&FlowPoint| points.contains(point);
    trace.flow.points.iter().filter(on_map).collect()
}

fn does(how: How) -> Option<&'static str> {
    match how {
        How::Full => Some("answers"),
        How::Partial => Some("answers in part"),
        How::Conceded => Some("concedes"),
        How::Repeated | How::Withdrawn | How::Upheld => None,
    }
}
