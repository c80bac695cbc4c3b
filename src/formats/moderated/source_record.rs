//! The source record of a moderated debate (row D7), with its source's key names.

use serde_json::{Value, json};

use crate::event::{EndReason, Phase, Results, Verdict};
use crate::trace::Trace;

/// The record. Its duration is model time in milliseconds: what servers spent on the prompts and replies of all calls, without
/// loading, waiting and interruptions.
pub(super) fn source_record(trace: &Trace) -> Value {
    let summary = trace.statements.iter().rfind(|s| s.phase == Phase::SUMMARY);
    let end_reason = Results::of(trace.outcome.as_ref()).end_reason;
    json!({
        "end_reason": end_reason.unwrap_or(EndReason::Failed),
        "duration": trace.timing.model_ms,
        "scores": trace.verdicts.last().and_then(scores),
        "summary": summary.map(|s| &s.text),
    })
}

/// Each advocate's mean total and means per criterion over the valid judges; `None` without one.
fn scores(verdict: &Verdict) -> Option<Value> {
    let scores = verdict.scores();
    (!scores.is_empty()).then(|| json!(scores))
}
