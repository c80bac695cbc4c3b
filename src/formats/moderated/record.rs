//! The record of a moderated debate (row D7), with its source's key names.

use serde_json::{Value, json};

use crate::event::{Complete, Event, Outcome, Statement, Verdict, What};
use crate::job::moderated::Moderated;
use crate::plan::Plan;

/// The record, from the debate's events. Its duration is in milliseconds, as its source's.
pub(in crate::formats) fn record(_plan: &Plan, _settings: &Moderated, events: &[Event]) -> Value {
    let (mut summary, mut verdict, mut outcome) = (None, None, None);
    for event in events {
        match &event.what {
            What::Statement(Statement { phase, text, .. }) if phase == "summary" => {
                summary = Some(text);
            }
            What::Verdict(given) => verdict = Some(given),
            What::Complete(Complete { outcome: end, .. }) => outcome = end.as_ref(),
            _ => {}
        }
    }
    let end_reason = |outcome: &Outcome| outcome.details.get("end_reason").cloned();
    json!({
        "end_reason": outcome.and_then(end_reason).unwrap_or_else(|| json!("failed")),
        "duration": duration_ms(events),
        "scores": verdict.and_then(scores),
        "summary": summary,
    })
}

fn duration_ms(events: &[Event]) -> i64 {
    let times = || events.iter().map(|event| event.time);
    let whole = times().min().zip(times().max());
    whole.map_or(0, |(first, last)| (last - first).num_milliseconds())
}

/// Each advocate's mean total and means by criterion over the valid judges; none without one.
pub(super) fn scores(verdict: &Verdict) -> Option<Value> {
    let scores = verdict.scores();
    (!scores.is_empty()).then(|| json!(scores))
}
