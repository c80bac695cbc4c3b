//! The map of arguments in `index.md`: points by side, and who answered or granted what.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::arguments;
use crate::event::How;
use crate::flow::{Edge, FlowPoint};
use crate::text;
use crate::trace::Trace;

/// Points on the map; of more, those that most was done about, and those that nobody answered.
const ON_MAP: usize = 16;
/// Characters of a point on the map.
const LABEL: usize = 60;

/// The map for the template.
pub(super) fn map(trace: &Trace) -> Value {
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
        "by_clerk": arguments::by_clerk(trace),
        "sides": shown.collect::<Vec<_>>(),
        "edges": edges.iter().map(|((from, to), how)| json!([from, how, to])).collect::<Vec<_>>(),
        "left_out": trace.flow.points.len() - points.len(),
    })
}

/// Those who argue together, with their points as nodes. One that made no point is a node itself.
struct Side {
    side: String,
    node: String,
    name: String,
    points: Vec<Value>,
}

fn sides(trace: &Trace, points: &[&FlowPoint]) -> Vec<Side> {
    let with_points = arguments::by_side(trace, points);
    let with_points = with_points.iter().map(|side| {
        let rows = side["points"].as_array().into_iter().flatten();
        let name = |key: &str| side[key].as_str().unwrap_or_default().to_owned();
        (name("side"), name("name"), rows.map(node).collect())
    });
    let has_side = |id: &str| trace.flow.points.iter().any(|p| p.by == id || p.side == id);
    let others = trace
        .participants
        .iter()
        .filter(|p| p.contestant && !has_side(&p.id));
    let others = others.map(|p| (p.id.clone(), p.name.clone(), Vec::new()));
    let all = with_points.chain(others).zip(1..);
    all.map(|((side, name, points), n)| Side {
        side,
        node: format!("side{n}"),
        name,
        points,
    })
    .collect()
}

fn node(row: &Value) -> Value {
    let text = row["text"].as_str().unwrap_or_default();
    json!({"id": row["id"], "text": text::shorten(text, LABEL), "status": row["status"]})
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
        let found = sides.iter().find(|own| own.side == side);
        found.map(|side| side.node.clone())
    };
    let drawn = |edge: &Edge| {
        let with = edge.with.clone().filter(|id| shown(id));
        let from = with.or_else(|| side_of(edge))?;
        Some(((from, edge.at.clone()), does(edge.how)?))
    };
    let all = trace.flow.edges.iter().filter(|edge| shown(&edge.at));
    all.filter_map(drawn).collect()
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
        How::Repeated | How::Withdrawn | How::Defended | How::Upheld => None,
    }
}
