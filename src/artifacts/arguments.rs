//! How the arguments ended, as `summary.md` and `index.md` show it: the flow, with links to the statements behind it.

use serde_json::{Value, json};

use super::{fate, questions, stances};
use crate::flow::{FlowPoint, PointStatus};
use crate::text;
use crate::trace::Trace;

/// Points that are listed; of more, those that nobody answered or granted come first.
const LISTED: usize = 30;

/// The points by side, those that survived first, each with what became of it.
pub(super) fn ended(trace: &Trace) -> Value {
    let mut points = ranked(trace);
    let left_out = points.len().saturating_sub(LISTED);
    points.truncate(LISTED);
    json!({
        "sides": by_side(trace, &points),
        "legend": fate::legend(trace, &points),
        "left_out": left_out,
        "questions": questions::shown(trace),
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

/// The points of each side.
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
        json!({
            "side": side,
            "name": side_name(trace, side),
            "stood": stances::stood(trace, side),
            "points": own,
        })
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
        "status": fate::status(point),
        "made": number(point.statement),
        "when": fate::late(trace, point),
        "became": fate::became(trace, point),
        "last_word": fate::has_last_word(trace, point),
    })
}

/// The number of a statement as texts name it: `007`.
pub(super) fn number(n: u32) -> String {
    format!("{n:03}")
}
