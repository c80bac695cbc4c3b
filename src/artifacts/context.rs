//! What templates of a debate's files are given.

use serde_json::{Value, json};

use super::{banner, kind, query};
use crate::id::short;
use crate::job::criteria;
use crate::trace::Trace;

/// What every template may use.
pub(super) fn common(trace: &Trace) -> Value {
    json!({
        "topic": query::title(trace),
        "format": trace.format,
        "control": kind::control(trace),
        "kind": kind::words(trace).join(" "),
        "status": trace.status,
        "cause": banner::cause(trace).map(|cause| banner::sentence(trace, &cause)),
        "rehearsal": trace.rehearsal,
        "notices": banner::notices(trace),
        "outcome": trace.outcome,
        "job": trace.job,
        "id": trace.id,
        "short_id": short(&trace.id),
        "started_at": trace.started_at.format("%Y-%m-%d %H:%M:%S UTC").to_string(),
        "ended_at": trace.ended_at.format("%Y-%m-%d %H:%M:%S UTC").to_string(),
        "participants": trace.participants,
        "mean": criteria::mean(&trace.plan.settings),
    })
}

/// `common` with further fields.
pub(super) fn with(trace: &Trace, more: Value) -> Value {
    let mut context = common(trace);
    if let (Value::Object(all), Value::Object(own)) = (&mut context, more) {
        all.extend(own);
    }
    context
}
