//! The record of a dialectic (row T7), with its source's key names.

use serde_json::{Value, json};

use super::roles::{PROPOSER, SKEPTIC, SYNTHESIZER};
use crate::event::{Event, EventKind, Results, Statement};
use crate::formats::dialectic::settings::Dialectic;
use crate::plan::Plan;

/// The record, from the debate's events; what a failed debate did not reach is not in it. Its times are model time: what
/// servers spend on prompts and replies, judges who are asked at once counting as the slowest of them.
pub(super) fn source_record(plan: &Plan, settings: &Dialectic, events: &[Event]) -> Value {
    let by_kind = EventsByKind::of(events);
    let model = |id: &str| plan.participant(id).map(|p| &p.model);
    let synthesis = by_kind.statements.iter().find(|s| s.by == SYNTHESIZER);
    json!({
        "id": uuid(&plan.id),
        "timestamp": events.first().map(|event| event.time),
        "query": plan.query,
        "templates_used": by_kind.templates,
        "rounds": (1..=by_kind.rounds).map(|round| by_kind.round(round)).collect::<Vec<_>>(),
        "final_answer": synthesis.map(|s| &s.text),
        "total_rounds": by_kind.rounds,
        "early_stopped": by_kind.results.early_stopped,
        "quality_score": by_kind.results.quality_score,
        "user_rating": null,
        "auto_score": by_kind.results.auto_score,
        "models": {
            "proposer": model(PROPOSER),
            "skeptic": model(SKEPTIC),
            "synthesizer": model(SYNTHESIZER),
            "embedding": settings.retrieval.as_ref().map(|retrieval| &retrieval.model),
        },
        "timing": {
            "total_ms": by_kind.total_ms(),
            "rag_ms": by_kind.rag_ms,
            "rounds_ms": by_kind.rounds_ms,
            "synthesis_ms": by_kind.results.synthesis_ms,
        },
    })
}

/// The debate's id in the shape of a UUID of version 4: its first 128 bits, but for those that say version and variant.
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

/// The events of a debate, by kind.
#[derive(Default)]
struct EventsByKind<'e> {
    statements: Vec<&'e Statement>,
    templates: &'e [String],
    rag_ms: u64,
    rounds: u32,
    rounds_ms: Vec<u64>,
    results: Results,
}

impl<'e> EventsByKind<'e> {
    fn of(events: &'e [Event]) -> Self {
        let outcome = Event::completion(events).and_then(|end| end.outcome.as_ref());
        let mut by_kind = Self {
            results: Results::of(outcome),
            ..Self::default()
        };
        for event in events {
            match &event.kind {
                EventKind::Statement(statement) => by_kind.statements.push(statement),
                EventKind::Retrieval(retrieval) => {
                    (by_kind.templates, by_kind.rag_ms) = (&retrieval.used, retrieval.ms);
                }
                EventKind::RoundStart { .. } => {
                    by_kind.rounds = event.round.unwrap_or(by_kind.rounds);
                }
                EventKind::Summary(notes) => by_kind.rounds_ms.push(notes.model_ms),
                _ => {}
            }
        }
        by_kind
    }

    fn round(&self, round: u32) -> Value {
        let text = |by: &str| {
            let mut said = self.statements.iter();
            said.find(|s| s.round == round && s.by == by)
                .map(|s| &s.text)
        };
        json!({"round": round, "proposer": text(PROPOSER), "skeptic": text(SKEPTIC)})
    }

    /// All of the debate: retrieval, rounds, the synthesis and the rest. Of a failed debate, its finished rounds.
    fn total_ms(&self) -> u64 {
        let calls = self.results.model_ms;
        self.rag_ms + calls.unwrap_or_else(|| self.rounds_ms.iter().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::uuid;

    #[test]
    fn t7_the_id_has_the_shape_of_a_uuid_of_version_4() {
        let id = "0123456789abcdef0123456789abcdef";
        assert_eq!(uuid(&id.repeat(2)), "01234567-89ab-4def-8123-456789abcdef");
        assert_eq!(
            uuid(&"f".repeat(64)),
            "ffffffff-ffff-4fff-bfff-ffffffffffff"
        );
    }
}
