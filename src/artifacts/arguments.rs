//! How the arguments ended, as `summary.md` and `index.md` show it: the flow, with links to the statements behind it.

pub(super) mod by_side;
pub(super) mod dialectic_ledger;
pub(super) mod endings;
mod in_short;
pub(super) mod map;
pub(super) mod one_line_each;
pub(super) mod questions;
pub(super) mod sight;
mod turns;
mod unanswered;
mod weight;

use serde_json::{Value, json};

use super::stances;
use super::statement_place::number;
use crate::flow::{FlowPoint, PointStatus};
use crate::text::{self, mentions};
use crate::trace::Trace;

/// Points from which on those are left out that came to nothing.
const LISTED: usize = 30;
/// The rank of what came late.
const LATE: u8 = 3;
/// Up to so many statements whose notes are full are named.
const FULL: usize = 3;

/// The points by side, those that survived first, each with what became of it. Those that are told elsewhere are listed.
pub(super) fn ended(trace: &Trace, told: &[&FlowPoint]) -> Value {
    let (points, left_out) = listed(trace, told);
    json!({
        "by_clerk": by_clerk(trace),
        "sides": by_side(trace, &points),
        "legend": endings::legend(trace, &points),
        "left_out": left_out,
        "full": full(trace),
        "unseen": sight::unseen(trace, &points),
        "questions": questions::shown(trace),
    })
}

/// The points that are listed, and how many are not: of many, the last to which nobody replied and which replied to nothing. No
/// point that is cited, or told elsewhere, is missing.
fn listed<'t>(trace: &'t Trace, told: &[&FlowPoint]) -> (Vec<&'t FlowPoint>, usize) {
    let mut points = ranked(trace);
    let over = points.len().saturating_sub(LISTED);
    let is_cited = |id: &String| {
        let mut edges = trace.flow.edges.iter();
        edges.any(|edge| edge.at == *id || edge.with.as_ref() == Some(id))
    };
    let is_bare = |point: &&FlowPoint| {
        let is_dropped = point.status == PointStatus::Dropped && rank(trace, point) != LATE;
        is_dropped && !is_cited(&point.id) && !told.contains(point)
    };
    let bare = points.iter().copied().rev().filter(is_bare).take(over);
    let bare: Vec<&FlowPoint> = bare.collect();
    points.retain(|point| !bare.contains(point));
    (points, bare.len())
}

/// Whether the points are a clerk's notes, rather than raised as such.
pub(super) fn by_clerk(trace: &Trace) -> bool {
    trace.notes.iter().any(|notes| notes.by_clerk)
}

/// The statements to which the clerk noted as much as it may: few by their numbers, of more how many there are.
fn full(trace: &Trace) -> Value {
    let notes = trace.notes.iter().flat_map(|notes| &notes.statements);
    let full: Vec<String> =
        notes.clone().filter(|notes| notes.is_full).map(|notes| number(notes.n)).collect();
    match full.len() {
        0..=FULL => json!({"in": full, "of": null}),
        many => json!({"in": [], "of": format!("{many} of {} statements", notes.count())}),
    }
}

/// All points, those first that a reader wants first.
pub(super) fn ranked(trace: &Trace) -> Vec<&FlowPoint> {
    let mut points: Vec<&FlowPoint> = trace.flow.points.iter().collect();
    points.sort_by_key(|point| rank(trace, point));
    points
}

/// What a reader wants first: what stands, then what was granted or withdrawn. What came late had little to stand against; what perhaps nobody
/// doubted comes last.
pub(super) fn rank(trace: &Trace, point: &FlowPoint) -> u8 {
    let is_late = || endings::is_late(trace, point) || endings::made_late(trace, point).is_some();
    match point.status {
        _ if endings::is_undoubted(trace, point) => 5,
        PointStatus::Dropped | PointStatus::Standing | PointStatus::Open if is_late() => LATE,
        PointStatus::Dropped | PointStatus::Standing | PointStatus::Open => 0,
        PointStatus::Conceded | PointStatus::Withdrawn => 1,
        PointStatus::PartlyAnswered => 2,
        PointStatus::Answered => 4,
    }
}

/// The points of each side.
pub(super) fn by_side(trace: &Trace, points: &[&FlowPoint]) -> Vec<Value> {
    let sides = text::distinct(trace.flow.points.iter().map(|point| point.side.as_str()));
    let side = |side: &str| {
        let all = of_side(trace, side);
        let is_of_team = makers(&all, trace).len() > 1;
        let own: Vec<Value> = points
            .iter()
            .filter(|point| point.side == side)
            .map(|point| row(trace, point, is_of_team))
            .collect();
        json!({
            "side": side,
            "name": side_name(&all, trace),
            "stood": stances::stood(trace, side),
            "points": own,
        })
    };
    sides.into_iter().map(side).collect()
}

fn of_side<'t>(trace: &'t Trace, side: &str) -> Vec<&'t FlowPoint> {
    let points = trace.flow.points.iter();
    points.filter(|point| point.side == side).collect()
}

/// Those who made a side's points: `Ann`, or of a team `The team (Ann and Ben)`.
fn side_name(own: &[&FlowPoint], trace: &Trace) -> String {
    let names = makers(own, trace);
    match names[..] {
        [only] => only.to_owned(),
        _ => {
            let team = own.first().map_or("", |point| trace.name_of(&point.side));
            format!("{} ({})", mentions::at_beginning(team), text::joined(&names, "and"))
        }
    }
}

/// The names of those who made some points.
pub(super) fn makers<'t>(own: &[&'t FlowPoint], trace: &'t Trace) -> Vec<&'t str> {
    text::distinct(own.iter().map(|point| trace.name_of(&point.by)))
}

/// A point; of a team, with who made it.
fn row(trace: &Trace, point: &FlowPoint, is_of_team: bool) -> Value {
    // A skeptic's points go by the numbers and words of its table.
    let (status, ended) = match dialectic_ledger::behind(trace, &point.id) {
        Some(stands) => (stands.to_owned(), stands.to_owned()),
        None => (endings::with_defence(trace, point), endings::ended(trace, point)),
    };
    json!({
        "id": point.id,
        "name": dialectic_ledger::name(trace, &point.id),
        "text": point.text.trim_end_matches('.'),
        "status": status,
        "ended": ended,
        "made": number(point.statement),
        "by": is_of_team.then(|| trace.name_of(&point.by)),
        "circumstance": endings::circumstance(trace, point),
        "became": endings::became(trace, point),
        "last_word": sight::last_word(trace, point),
    })
}
