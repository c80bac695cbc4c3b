//! Who took part in a debate, and with which models.

use serde_json::{Map, Value, json};

use super::{ModelUse, Trace, TraceParticipant};
use crate::event::Statement;
use crate::job::participant::Participant;
use crate::plan::Plan;

impl Trace {
    /// The participants of its plan, with what they said so far.
    pub(super) fn taking_part(&self, plan: &Plan) -> Vec<TraceParticipant> {
        let all = &plan.participants;
        let contestants: Vec<&str> =
            all.iter().filter(|p| plan.format.profile.argues(p)).map(|p| p.id.as_str()).collect();
        all.iter().map(|p| self.took_part(p, &contestants)).collect()
    }

    fn took_part(&self, p: &Participant, contestants: &[&str]) -> TraceParticipant {
        // An emergency reply is nobody's work, and what a template says is ours.
        let own = || self.statements.iter().filter(|s| s.by == p.id && s.is_by_a_model());
        let mut arguments = self.statements.iter().filter(|s| contestants.contains(&s.by.as_str()));
        TraceParticipant {
            id: p.id.clone(),
            name: p.name.clone(),
            position: p.position.clone(),
            persona: p.persona.as_ref().map(|persona| persona.name.clone()),
            contestant: contestants.contains(&p.id.as_str()),
            spoke_first: arguments.clone().next().is_some_and(|s| s.by == p.id),
            spoke_last: arguments.next_back().is_some_and(|s| s.by == p.id),
            models: self.models_of(p),
            statements: own().count() as u64,
            tokens: own().map(|s| s.tokens).sum(),
            sampling: sampling(p),
        }
    }

    fn models_of(&self, p: &Participant) -> Vec<ModelUse> {
        let used = p.models().enumerate().map(|(i, model)| {
            let by_it = |s: &&Statement| s.by == p.id && s.model.as_deref() == Some(model);
            let known = self.models.iter().find(|known| known.name == model);
            let card = known.map(|known| known.card.clone()).unwrap_or_default();
            let used = ModelUse {
                name: model.to_owned(),
                digest: card.digest,
                quantization: card.quantization,
                family: card.family,
                statements: self.statements.iter().filter(by_it).count() as u64,
            };
            (i, used)
        });
        let spoke = used.filter(|(i, used)| *i == 0 || used.statements > 0);
        spoke.map(|(_, used)| used).collect()
    }
}

fn sampling(p: &Participant) -> Map<String, Value> {
    let all = json!(p);
    let keys =
        "model fallback temperature max_tokens context_window think thinking_tokens description";
    let judging = Some("judging_temperature").filter(|_| p.judging_temperature.is_some());
    let options = Some("options").filter(|_| !p.options.is_empty());
    let keys = keys.split(' ').chain(judging).chain(options);
    keys.map(|key| (key.to_owned(), all[key].clone())).collect()
}
