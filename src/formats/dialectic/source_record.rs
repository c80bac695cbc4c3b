//! The record of a dialectic (row T7), with its source's key names.

use serde_json::{Value, json};

use super::settings::{Dialectic, PROPOSER, SKEPTIC, SYNTHESIZER};
use crate::clock;
use crate::event::{Event, Results};
use crate::plan::Plan;
use crate::trace::Trace;

/// The record, without what a failed debate did not reach. Its times are model time: what servers spend on prompts and
/// replies; of judges asked in parallel, the slowest counts.
pub(super) fn source_record(
    plan: &Plan,
    settings: &Dialectic,
    events: &[Event],
    trace: &Trace,
) -> Value {
    let model = |id: &str| plan.participant(id).map(|p| &p.model);
    let synthesis = trace.statements.iter().find(|s| s.by == SYNTHESIZER);
    let rounds = Event::last_round(events);
    let retrieval = trace.retrievals.last().cloned().unwrap_or_default();
    let results = Results::of(trace.outcome.as_ref());
    // The whole debate: retrieval, rounds, synthesis and the rest. Of a failed debate, its finished rounds.
    let rounds_ms = &trace.timing.rounds_ms;
    let calls_ms = results.model_ms.unwrap_or_else(|| rounds_ms.iter().sum());
    json!({
        "id": uuid(&plan.id),
        "timestamp": clock::text(trace.started_at),
        "query": plan.query,
        "templates_used": retrieval.used,
        "rounds": (1..=rounds).map(|n| round(trace, n)).collect::<Vec<_>>(),
        "final_answer": synthesis.map(|s| &s.text),
        "total_rounds": rounds,
        "early_stopped": results.early_stopped,
        "quality_score": results.quality_score,
        "user_rating": null,
        "auto_score": results.auto_score,
        "models": {
            "proposer": model(PROPOSER),
            "skeptic": model(SKEPTIC),
            "synthesizer": model(SYNTHESIZER),
            "embedding": settings.retrieval.as_ref().map(|retrieval| &retrieval.model),
        },
        "timing": {
            "total_ms": retrieval.ms + calls_ms,
            "rag_ms": retrieval.ms,
            "rounds_ms": rounds_ms,
            "synthesis_ms": results.synthesis_ms,
        },
    })
}

fn round(trace: &Trace, round: u32) -> Value {
    let text = |by: &str| {
        trace.statements.iter().find(|s| s.round == round && s.by == by).map(|s| &s.text)
    };
    json!({"round": round, "proposer": text(PROPOSER), "skeptic": text(SKEPTIC)})
}

/// The debate's id in the form of a version 4 UUID: its first 128 bits, except those that encode version and variant.
fn uuid(id: &str) -> String {
    let mut digits: Vec<char> = id.chars().take(32).collect();
    digits.resize(32, '0');
    let variant = digits[16].to_digit(16).unwrap_or(0) & 3 | 8;
    digits[12] = '4';
    digits[16] = char::from_digit(variant, 16).unwrap_or('8');
    let part = |from: usize, to: usize| digits[from..to].iter().collect::<String>();
    let parts = [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)];
    parts.map(|(from, to)| part(from, to)).join("-")
}

#[cfg(test)]
mod tests {
    use super::uuid;

    #[test]
    fn t7_the_id_has_the_shape_of_a_uuid_of_version_4() {
        let id = "0123456789abcdef0123456789abcdef";
        assert_eq!(uuid(&id.repeat(2)), "01234567-89ab-4def-8123-456789abcdef");
        assert_eq!(uuid(&"f".repeat(64)), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }
}
