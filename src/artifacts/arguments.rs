//! How the arguments ended, as `summary.md` and `index.md` show it: the flow, with links to the statements behind it.

pub(super) mod dialectic_ledger;
pub(super) mod endings;
pub(super) mod in_short;
pub(super) mod map;
pub(super) mod questions;

pub(super) use self::endings::by_clerk;

use serde_json::{Value, json};

use self::endings::makers;
use super::statement_place::{self, number};
use super::{positions, stances};
use crate::flow::{FlowPoint, PointStatus};
use crate::text::{self, mentions};
use crate::trace::Trace;

/// Points from which on those are left out that came to nothing.
const LISTED: usize = 30;
/// So few are listed all the same: to say that they are not would take as long.
const SPARED: usize = 4;

/// The points by side, each with what became of it.
pub(super) fn ended(trace: &Trace) -> Value {
    let (points, left_out) = listed(trace);
    json!({
        "by_clerk": by_clerk(trace),
        "sides": by_side(trace, &points),
        "legend": endings::legend(trace, &points),
        "left_out": left_out,
        "full": full(trace),
        "questions": questions::shown(trace),
    })
}

/// The points that are listed, and how many are not: of many, the last to which nobody replied and which replied to nothing. No
/// point that is cited or told in short is missing.
fn listed(trace: &Trace) -> (Vec<&FlowPoint>, usize) {
    let mut points = ranked(trace);
    let over = points.len().saturating_sub(LISTED);
    let is_cited = |id: &String| {
        let mut edges = trace.flow.edges.iter().chain(&trace.flow.positions);
        edges.any(|edge| edge.at == *id || edge.with.as_ref() == Some(id))
    };
    let told = in_short::held(trace);
    let is_bare = |point: &&FlowPoint| {
        let came_to_nothing = point.status == PointStatus::Dropped && !is_cited(&point.id);
        came_to_nothing && !told.contains(point)
    };
    let bare = points.iter().copied().rev().filter(is_bare).take(over);
    let bare: Vec<&FlowPoint> = bare.collect();
    if bare.len() <= SPARED {
        return (points, 0);
    }
    points.retain(|point| !bare.contains(point));
    (points, bare.len())
}

/// The statements for which the clerk used all the entries it had, and of how many.
fn full(trace: &Trace) -> Value {
    let notes = trace.notes.iter().flat_map(|notes| &notes.statements);
    let full = notes.clone().filter(|notes| notes.is_full).map(|notes| number(notes.n));
    json!({"in": full.collect::<Vec<_>>(), "all": notes.count()})
}

/// All points, those first that a reader wants first.
pub(super) fn ranked(trace: &Trace) -> Vec<&FlowPoint> {
    let mut points: Vec<&FlowPoint> = trace.flow.points.iter().collect();
    points.sort_by_cached_key(|point| rank(trace, point));
    points
}

/// Statements that the flow turns on.
const TURNING: usize = 4;

/// The statements that the flow turns on, the sides by turns: they made what was granted or what nobody answered.
pub(super) fn turning(trace: &Trace) -> Vec<u32> {
    let last_word = statement_place::final_text(trace).map(|s| s.n);
    let all = ranked(trace).into_iter().map(|point| (&point.side, point.statement));
    let sides = text::gathered(all).into_iter().map(|(_, statements)| text::distinct(statements));
    let mut places: Vec<(usize, u32)> = sides
        .flat_map(|statements| statements.into_iter().enumerate())
        .filter(|(_, n)| Some(*n) != last_word)
        .collect();
    places.sort_by_key(|(place, _)| *place);
    places.into_iter().map(|(_, n)| n).take(TURNING).collect()
}

/// What a reader wants first: what was granted, then what nobody answered, and last what was given up; what nobody could answer
/// had little to stand against, and what was saved by a reply that nobody could answer is still in dispute.
fn rank(trace: &Trace, point: &FlowPoint) -> u8 {
    match point.status {
        PointStatus::Conceded => 0,
        PointStatus::Standing if !point.faced => 3,
        PointStatus::Standing if endings::at_the_end(trace, point).is_some() => 2,
        PointStatus::Dropped | PointStatus::Standing if trace.flow.is_left_over(point) => 2,
        PointStatus::Dropped | PointStatus::Standing | PointStatus::Open => 1,
        PointStatus::PartlyAnswered => 2,
        PointStatus::Answered => 4,
        PointStatus::Narrowed => 5,
        PointStatus::Withdrawn => 6,
    }
}

/// The points of each side.
pub(super) fn by_side(trace: &Trace, points: &[&FlowPoint]) -> Vec<Value> {
    let sides = text::distinct(trace.flow.points.iter().map(|point| point.side.as_str()));
    let side = |side: &str| {
        let all = of_side(trace, side);
        let is_of_team = makers(&all, trace).len() > 1;
        let position = positions::of_side(trace, side);
        let by_id = position.map(|it| format!(", position {}", it.stands()));
        let in_words = position.map(|it| format!(", position {}", positions::in_words(&it)));
        let name = side_name(&all, trace);
        let stood = stances::stood(trace, side);
        let own: Vec<Value> = points
            .iter()
            .filter(|point| point.side == side)
            .map(|point| row(trace, point, is_of_team))
            .collect();
        json!({
            "side": side,
            "name": format!("{name}{}{stood}", in_words.unwrap_or_default()),
            "on_map": format!("{name}{}{stood}", by_id.unwrap_or_default()),
            "counts": counts(trace, &all),
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

/// `5 points (granted: 2; replied to in part: 3)`, as they are listed.
fn counts(trace: &Trace, own: &[&FlowPoint]) -> String {
    let mut own = own.to_vec();
    own.sort_by_cached_key(|point| rank(trace, point));
    let all = text::count(own.len() as u64, "point");
    let alike = own.into_iter().map(|point| (endings::status(trace, point), ()));
    let alike = text::gathered(alike).into_iter();
    let counts = alike.map(|(status, all)| format!("{status}: {}", all.len()));
    format!("{all} ({})", text::separated(counts, "; "))
}

/// A point; of a team, with who made it.
fn row(trace: &Trace, point: &FlowPoint, is_of_team: bool) -> Value {
    // A skeptic's points go by the numbers and words of its table.
    let stands = dialectic_ledger::behind(trace, &point.id).map(str::to_owned);
    let [settled, became] = endings::became(trace, point);
    json!({
        "id": point.id,
        "name": dialectic_ledger::name(trace, &point.id),
        "text": point.text.trim_end_matches('.'),
        "status": stands.unwrap_or_else(|| endings::status_by_id(trace, point)),
        "settled": settled,
        "then": endings::then(trace, point),
        "label": endings::label(trace, point),
        "made": number(point.statement),
        "by": is_of_team.then(|| trace.name_of(&point.by)),
        "circumstance": endings::circumstance(trace, point),
        "became": became,
    })
}
