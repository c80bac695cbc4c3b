//! The record of a moderated debate (row D7), with its source's key names.

use serde_json::{Value, json};

use crate::event::{Complete, Event, Outcome, Statement, Usage, Verdict, What};
use crate::job::moderated::Moderated;
use crate::plan::Plan;

/// The record, from the debate's events. Its duration is model time in milliseconds: what servers spent on the prompts and
/// replies of all calls. Loading, waiting and interruptions are none of it.
pub(in crate::formats) fn record(_plan: &Plan, _settings: &Moderated, events: &[Event]) -> Value {
    let (mut summary, mut verdict, mut outcome, mut usage) = (None, None, None, None);
    for event in events {
        match &event.what {
            What::Statement(Statement { phase, text, .. }) if phase == "summary" => {
                summary = Some(text);
            }
            What::Verdict(given) => verdict = Some(given),
            What::Complete(Complete {
                outcome: end,
                usage: used,
                ..
            }) => {
                (outcome, usage) = (end.as_ref(), Some(used));
            }
            _ => {}
        }
    }
    let end_reason = |outcome: &Outcome| outcome.details.get("end_reason").cloned();
    json!({
        "end_reason": outcome.and_then(end_reason).unwrap_or_else(|| json!("failed")),
        "duration": usage.map_or(0, model_ms),
        "scores": verdict.and_then(scores),
        "summary": summary,
    })
}

fn model_ms(usage: &Usage) -> u64 {
    let used = usage.by_purpose.values();
    used.map(|used| used.prompt_ms + used.reply_ms).sum()
}

/// Each advocate's mean total and means by criterion over the valid judges; none without one.
pub(super) fn scores(verdict: &Verdict) -> Option<Value> {
    let scores = verdict.scores();
    (!scores.is_empty()).then(|| json!(scores))
}
