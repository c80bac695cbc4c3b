//! `rebut check` tests a job's design as the report will: on its debates as they would be counted once held.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::facts::{Call, Facts, Text};
use crate::id::DebateId;
use crate::plan::Plan;
use crate::stats;
use crate::text::{count, folded_topic, told_if};

/// Debates of a job that are tested at most.
const MOST_TESTED: usize = 5_000;

/// A job's debates in which models meet: all, or those with the lowest ids, which are a random sample.
#[derive(Debug, Default)]
pub(super) struct Design {
    debates: BTreeMap<DebateId, Facts>,
    all: usize,
}

impl Design {
    /// Adds a debate; `counted` is how one of its setup would be counted.
    pub(super) fn add(&mut self, plan: &Plan, counted: &Facts) {
        self.all += 1;
        let is_full = self.debates.len() == MOST_TESTED;
        let last = self.debates.last_key_value();
        if is_full && last.is_some_and(|(last, _)| plan.id > *last) {
            return;
        }
        self.debates.insert(plan.id.clone(), of_plan(plan, counted));
        if is_full && self.debates.len() > MOST_TESTED {
            self.debates.pop_last();
        }
    }

    /// What the report would have against comparing models.
    pub(super) fn obstacle(&self) -> Option<String> {
        stats::obstacle(self.debates.values().cloned())
    }

    /// Of how many debates this is said, if not of all.
    pub(super) fn sample(&self) -> String {
        let tested = count(self.debates.len(), "debate");
        told_if(self.debates.len() < self.all, || format!(" (here of {tested}, drawn at random)"))
    }
}

fn assigned((path, value): (&String, &Value)) -> (Text, Text) {
    (path.as_str().into(), value.to_string().as_str().into())
}

/// What a rehearsed debate of the same setup is counted as, with what is this one's own. Nothing here counts calls.
fn of_plan(plan: &Plan, counted: &Facts) -> Facts {
    let mut facts = Facts {
        id: (*plan.id).into(),
        topic: folded_topic(&plan.topic).as_str().into(),
        seed: plan.seed,
        calls: Box::<[Call]>::default(),
        ..counted.clone()
    };
    facts.private.cell = plan.cell.iter().map(assigned).collect();
    for (person, planned) in facts.people.iter_mut().zip(&plan.participants) {
        person.position = planned.position.as_str().into();
        person.persona = planned.persona.as_ref().map(|it| it.name.as_str().into());
    }
    facts
}
