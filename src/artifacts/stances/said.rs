//! Stances that differ from the one with which their holder had just ended its statement.

use serde_json::Value;

use crate::event::{Stance, Statement};
use crate::formats::roundtable::ended_otherwise;
use crate::trace::Trace;

/// The other stance with which somebody ended the statement before it took this one, and that statement.
pub(super) fn otherwise<'t>(trace: &'t Trace, stance: &Stance) -> Option<(&'t Statement, &'t str)> {
    ended_otherwise(stance, trace.statements.iter(), options(trace))
}

/// Each such stance as a sentence: `Ann ended 008 with “trial”, and when asked for a stance right after it chose “adopt”, which counts.`.
pub(in crate::artifacts) fn contradictions(trace: &Trace) -> impl Iterator<Item = String> + '_ {
    trace.stances.iter().filter_map(|stance| {
        let (said, ended) = otherwise(trace, stance)?;
        let (name, n) = (trace.name_of(&said.by), said.n);
        let taken = stance.stance.as_deref()?;
        Some(format!(
            "{name} ended {n:03} with “{ended}”, and when asked for a stance right after it chose “{taken}”, which counts."
        ))
    })
}

/// The stances of the job, in its order.
pub(super) fn options(trace: &Trace) -> impl Iterator<Item = &str> + Clone {
    let all = trace.plan.settings.get("stances").and_then(Value::as_array);
    all.into_iter().flatten().filter_map(Value::as_str)
}
