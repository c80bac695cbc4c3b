//! What became of positions that their own sides narrowed or gave up, as the clerk noted it.

use serde_json::{Value, json};

use super::arguments::endings::words;
use super::statement_place::number;
use crate::flow::{Edge, FlowPoint};
use crate::panel::candidates::side_of;
use crate::text;
use crate::trace::Trace;

/// Those who argue for a side.
pub(super) fn arguing<'t>(trace: &'t Trace, side: &str) -> Vec<&'t str> {
    let all = trace.contestants().map(|p| p.id.as_str());
    all.filter(|id| side_of(trace, id) == side).collect()
}

/// The last such move of one of these, with the point that is left of the position.
pub(super) fn last<'t>(
    trace: &'t Trace,
    ids: &[&str],
) -> Option<(&'t Edge, Option<&'t FlowPoint>)> {
    let mut all = trace.flow.on_positions().into_iter();
    all.rfind(|(edge, _)| ids.contains(&edge.by.as_str()))
}

/// The same for templates, with who of several did it.
pub(super) fn became(trace: &Trace, ids: &[&str]) -> Option<Value> {
    let (edge, left) = last(trace, ids)?;
    let by = (ids.len() > 1).then(|| trace.name_of(&edge.by));
    let did = if left.is_some() { "narrowed" } else { "given up" };
    let id = left.map(|point| &point.id);
    Some(
        json!({"did": did, "by": by, "in": number(edge.statement), "to": id, "text": left.map(what_is)}),
    )
}

/// `As the clerk noted it, Ann narrowed its position in [003] to “Not at once”; Ben gave up its position in [004].`
pub(super) fn line(trace: &Trace) -> Option<String> {
    let one = |(edge, left): (&Edge, Option<&FlowPoint>)| {
        let (name, n) = (trace.name_of(&edge.by), number(edge.statement));
        let to = left.map_or_else(String::new, |left| format!(" to “{}”", what_is(left)));
        format!("{name} {} its position in [{n}]{to}", put(left))
    };
    let all = text::separated(trace.flow.on_positions().into_iter().map(one), "; ");
    text::if_any(all).map(|all| text::one_line(&format!("As the clerk noted it, {all}.")))
}

/// What a side did to its position of which this is left.
pub(super) fn put(left: Option<&FlowPoint>) -> &'static str {
    if left.is_some() { "narrowed" } else { "gave up" }
}

/// What is left, and whether that was given up in the end, too.
fn what_is(left: &FlowPoint) -> String {
    let then = if left.status.is_given_up() { " (withdrawn)" } else { "" };
    format!("{}{then}", words(&left.text))
}
