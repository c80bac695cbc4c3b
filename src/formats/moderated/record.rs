//! The record of a moderated debate (row D7), with its source's key names.

use serde_json::{Value, json};

use crate::event::{EndReason, Event, EventKind, Phase, Results, Usage, Verdict};
use crate::formats::moderated::settings::Moderated;
use crate::plan::Plan;

/// The record, from the debate's events. Its duration is model time in milliseconds: what servers spent on the prompts and
/// replies of all calls. Loading, waiting and interruptions are none of it.
pub(super) fn source_record(_plan: &Plan, _settings: &Moderated, events: &[Event]) -> Value {
    let (mut summary, mut verdict) = (None, None);
    for event in events {
        match &event.kind {
            EventKind::Statement(s) if s.phase == Phase::SUMMARY => summary = Some(&s.text),
            EventKind::Verdict(given) => verdict = Some(given),
            _ => {}
        }
    }
    let end = Event::completion(events);
    let outcome = end.and_then(|end| end.outcome.as_ref());
    let end_reason = Results::of(outcome).end_reason;
    json!({
        "end_reason": end_reason.unwrap_or(EndReason::Failed),
        "duration": end.map_or(0, |end| model_ms(&end.usage)),
        "scores": verdict.and_then(scores),
        "summary": summary,
    })
}

fn model_ms(usage: &Usage) -> u64 {
    let used = usage.by_purpose.values();
    used.map(|used| used.prompt_ms + used.reply_ms).sum()
}

/// Each advocate's mean total and means by criterion over the valid judges; none without one.
fn scores(verdict: &Verdict) -> Option<Value> {
    let scores = verdict.scores();
    (!scores.is_empty()).then(|| json!(scores))
}
