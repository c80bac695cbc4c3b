//! `rebut check` warns of personas that argue for a given position if none is given.

use std::collections::BTreeSet;

use crate::plan::Plan;

/// The wording of such personas: the built-in `advocate` and copies of it.
const WANTS_POSITION: &str = "the position you are given";

/// Job, participant and persona, each once.
#[derive(Debug, Default)]
pub(in crate::cli) struct UnfitPersonas(BTreeSet<(String, String, String)>);

impl UnfitPersonas {
    /// Adds a debate.
    pub(in crate::cli) fn note(&mut self, plan: &Plan) {
        let profile = plan.format.profile;
        let all = plan.participants.iter();
        for p in all.filter(|p| profile.argues(p) && p.position.is_empty()) {
            let persona = p.persona.as_ref();
            if let Some(persona) = persona.filter(|it| it.text.contains(WANTS_POSITION)) {
                let found = (plan.job.clone(), p.name.clone(), persona.name.clone());
                self.0.insert(found);
            }
        }
    }

    /// One warning for each.
    pub(in crate::cli) fn warnings(&self) -> Vec<String> {
        let warning = |(job, name, persona): &(String, String, String)| {
            format!(
                "warning: {job}: the persona {persona} argues for a position, but {name} has none; add `position:` or use another persona"
            )
        };
        self.0.iter().map(warning).collect()
    }
}
