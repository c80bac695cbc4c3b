//! The map of arguments in `index.md`: points by side, and who answered or granted what. A skeptic's points have none: all of
//! its arrows would come from one node, the proposer, and the table says more.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::endings;
use crate::artifacts::stances;
use crate::event::How;
use crate::flow::{Edge, FlowPoint};
use crate::text;
use crate::trace::Trace;

/// The most points on the map.
const ON_MAP: usize = 20;
/// Characters of a point on the map: the eleven words that a clerk may use fit.
const LABEL: usize = 120;
/// Up to so many points that are not drawn are named with how they ended.
const TOLD: usize = 3;
/// How much more a move of the last exchange that the clerk noted says of what the debate turned on.
const LATE: usize = 3;

/// What a point does that whoever granted another sets against that.
const HELD: &str = "held against";
/// From a point to the narrower one that took its place.
const NARROWED: &str = "narrowed to";

/// The map for the template.
pub(in crate::artifacts) fn map(trace: &Trace) -> Value {
    let points = on_map(trace);
    let sides = sides(trace, &points);
    let edges = edges(trace, &points, &sides);
    let is_drawn = |side: &&Side| {
        let node = side.node.as_str();
        !side.points.is_empty() || edges.keys().any(|(from, _)| from == node)
    };
    let shown = sides.iter().filter(is_drawn);
    let shown = shown.map(|s| json!({"node": s.node, "name": s.name, "points": s.points}));
    json!({
        "sides": shown.collect::<Vec<_>>(),
        "edges": edges.iter().map(|((from, to), how)| json!([from, how, to])).collect::<Vec<_>>(),
        "left_out": left_out(trace, &points),
    })
}

/// What is not drawn: `B4 (withdrawn)`, of more their ids, of as many as are drawn how many; nothing where all are.
fn left_out(trace: &Trace, drawn: &[&FlowPoint]) -> String {
    let left = trace.flow.points.iter().filter(|point| !drawn.contains(point));
    let left: Vec<&FlowPoint> = left.collect();
    let named = left.iter().map(|point| format!("{} ({})", point.id, endings::label(trace, point)));
    match left.len() {
        0..=TOLD => text::joined(named, "and"),
        many if many < ON_MAP => text::joined(left.iter().map(|point| &point.id), "and"),
        more => text::count(more as u64, "point"),
    }
}

/// Those who argue together, with their points as nodes. One that made no point is a node itself.
struct Side {
    side: String,
    node: String,
    name: String,
    points: Vec<Value>,
}

fn sides(trace: &Trace, points: &[&FlowPoint]) -> Vec<Side> {
    let with_points = super::by_side(trace, points);
    let with_points = with_points.iter().map(|side| {
        let rows = side["points"].as_array().into_iter().flatten();
        let name = |key: &str| side[key].as_str().unwrap_or_default().to_owned();
        (name("side"), name("on_map"), rows.map(node).collect())
    });
    let has_side = |id: &str| trace.flow.points.iter().any(|p| p.by == id || p.side == id);
    let others = trace
        .contestants()
        .filter(|p| !has_side(&p.id))
        .map(|p| (p.id.clone(), p.name.clone() + &stances::stood(trace, &p.id), Vec::new()));
    let all = with_points.chain(others).zip(1..);
    all.map(|((side, name, points), n)| Side { side, node: format!("side{n}"), name, points })
        .collect()
}

fn node(row: &Value) -> Value {
    let text = row["text"].as_str().unwrap_or_default();
    json!({"id": row["id"], "name": row["name"], "text": text::shorten(text, LABEL), "status": row["label"]})
}

/// What was done, by the point it was done with, or where there is none, by the side.
fn edges(
    trace: &Trace,
    points: &[&FlowPoint],
    sides: &[Side],
) -> BTreeMap<(String, String), &'static str> {
    let shown = |id: &str| points.iter().any(|point| point.id == id);
    let side_of = |edge: &Edge| {
        let made = trace.flow.points.iter().find(|point| point.by == edge.by);
        let side = made.map_or(edge.by.as_str(), |point| &point.side);
        sides.iter().find(|own| own.side == side).map(|side| side.node.clone())
    };
    let all = trace.flow.edges.iter().filter(|edge| shown(&edge.at));
    let arrows = all.flat_map(|edge| {
        // What was given up does nothing any more: whoever used it did that.
        let with = edge.with.clone().filter(|id| shown(id) && trace.flow.is_held(id));
        let does = drawn(edge);
        match edge.how {
            // A point doesn't concede another: whoever conceded holds it against that.
            How::Conceded => [(side_of(edge), does), (with, Some(HELD))],
            _ => [(with.or_else(|| side_of(edge)), does), (None, None)],
        }
        .map(|(from, does)| Some(((from?, edge.at.clone()), does?)))
    });
    let narrowed = points.iter().filter_map(|point| {
        let narrower = trace.flow.narrowed_to(point).filter(|narrower| shown(&narrower.id))?;
        Some(((point.id.clone(), narrower.id.clone()), NARROWED))
    });
    arrows.flatten().chain(narrowed).collect()
}

/// The points that the debate turns on, as many as there is room for: those that an arrow leads to or from, and those that nobody
/// answered. What is left of positions comes first, since their sides are named by it, then what a side began with, and what most
/// moves were made on or with, those at the end before others; of equals, what was given up comes last.
fn on_map(trace: &Trace) -> Vec<&FlowPoint> {
    let edges = trace.flow.edges.iter();
    let arrows = edges.filter(|edge| drawn(edge).is_some() || edge.with.is_some());
    let last = trace.notes.iter().rfind(|notes| notes.by_clerk);
    let is_late = |n: u32| last.is_some_and(|it| it.statements.iter().any(|noted| noted.n == n));
    let weight = |edge: &Edge| if is_late(edge.statement) { LATE } else { 1 };
    let ends = arrows.flat_map(|edge| ends(edge).map(move |end| (end, weight(edge))));
    let ends: Vec<(&String, usize)> = ends.collect();
    let uses = |point: &FlowPoint| -> usize {
        ends.iter().filter(|(end, _)| **end == point.id).map(|(_, weight)| weight).sum()
    };
    let belongs = |point: &&FlowPoint| uses(point) > 0 || point.status.is_unanswered();
    let mut chosen: Vec<&FlowPoint> = trace.flow.points.iter().filter(belongs).collect();
    let is_left = |p: &FlowPoint| trace.flow.left_of_positions().contains(&p.id);
    let heads = |p: &FlowPoint| (!is_left(p), !trace.flow.is_first(p));
    chosen.sort_by_cached_key(|p| (heads(p), Reverse(uses(p)), p.status.is_given_up()));
    chosen.truncate(ON_MAP);
    chosen.sort_by_key(|point| trace.flow.points.iter().position(|other| other == *point));
    chosen
}

/// The points that an arrow leads to and from.
fn ends(edge: &Edge) -> impl Iterator<Item = &String> {
    [Some(&edge.at), edge.with.as_ref()].into_iter().flatten()
}

/// What an arrow says; what somebody does about an own point has none.
fn drawn(edge: &Edge) -> Option<&'static str> {
    let between_sides = matches!(edge.how, How::Full | How::Partial | How::Conceded);
    between_sides.then(|| endings::does(edge))
}
