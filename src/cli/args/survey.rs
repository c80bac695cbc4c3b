//! What `run` and `check` need to know of all chosen debates: their number, and who needs which model.

use std::collections::{BTreeMap, BTreeSet};

use crate::id::DebateId;
use crate::job::models::model_name::canonical;
use crate::job::participant::Participant;
use crate::model::contexts::Contexts;
use crate::plan::{DebateLabels, Plan};
use crate::text;

/// Names of those who need a model; there may be many in a matrix.
const NAMED: usize = 4;

/// A summary of the chosen debates, gathered while they are first planned: there may be a million.
#[derive(Debug, Default)]
pub(in crate::cli) struct Survey {
    /// Their number.
    pub(in crate::cli) debates: usize,
    /// The first of them.
    pub(in crate::cli) first: Option<DebateId>,
    /// How each model is loaded.
    pub(in crate::cli) contexts: Contexts,
    /// Models of participants and panels, by canonical name; the others are only fallbacks.
    needed: BTreeMap<String, Needed>,
    /// Embedding models. Debates run without them too.
    pub(in crate::cli) embedding: BTreeSet<String>,
    /// The values of `--only` that select none.
    pub(super) idle: BTreeSet<String>,
    /// Their names in lists.
    pub(in crate::cli) labels: DebateLabels,
}

/// Who needs a model.
#[derive(Debug, Default)]
struct Needed {
    /// The first of them.
    names: BTreeSet<String>,
    /// The number of debates in which one of them takes part.
    debates: usize,
}

impl Survey {
    /// Of no debate yet; `idle` are the values of `--only`, until one selects a debate.
    pub(super) fn of(idle: BTreeSet<String>) -> Self {
        Self { idle, ..Self::default() }
    }

    pub(super) fn take(&mut self, plan: &Plan) {
        self.debates += 1;
        self.first.get_or_insert_with(|| plan.id.clone());
        self.contexts.want(plan.contexts());
        let judges = plan.panel.iter().flat_map(|panel| panel.people());
        judges.for_each(|judge| self.take_judge(judge));
        plan.participants.iter().for_each(|p| self.need(p));
        let judges = plan.panel.iter().flat_map(|panel| panel.people());
        let all = plan.participants.iter().chain(judges);
        let models: BTreeSet<&str> = all.map(|p| canonical(&p.model)).collect();
        for model in models {
            let needed = self.needed.get_mut(model).into_iter();
            needed.for_each(|it| it.debates += 1);
        }
        let embedding = plan.embedding_model().map(str::to_owned);
        self.embedding.extend(embedding);
        self.labels.take(&plan.job, &plan.cell, plan.repetition);
    }

    /// Notes a judge of a panel.
    pub(in crate::cli) fn take_judge(&mut self, judge: &Participant) {
        let wanted = (judge.model.as_str(), judge.context_window);
        self.contexts.want([wanted]);
        self.need(judge);
    }

    fn need(&mut self, person: &Participant) {
        let model = canonical(&person.model).to_owned();
        let needed = self.needed.entry(model).or_default();
        if needed.names.len() <= NAMED {
            needed.names.insert(person.name.clone());
        }
    }

    fn needed(&self, model: &str) -> Option<&Needed> {
        self.needed.get(canonical(model))
    }

    /// Whether each debate needs a model.
    pub(in crate::cli) fn is_of_all(&self, model: &str) -> bool {
        self.needed(model).is_some_and(|it| it.debates > 0 && it.debates == self.debates)
    }

    /// ` (3 of 5 debates)`, those that need a model, to be said behind it; nothing if there is one debate, or none needs it.
    pub(in crate::cli) fn how_many(&self, model: &str) -> String {
        let some = self.needed(model).map_or(0, |needed| needed.debates);
        let told = || format!(" ({some} of {})", text::count(self.debates, "debate"));
        text::told_if(some > 0 && self.debates != 1, told)
    }

    /// `, the model of Clerk and Judge-1`, to be said behind a model; nothing if it is only a fallback.
    pub(in crate::cli) fn whose(&self, model: &str) -> String {
        let needing = self.needing(model);
        needing.map_or_else(String::new, |names| format!(", the model of {names}"))
    }

    /// Who needs a model: `Clerk and Judge-1`; `None` if it is only a fallback.
    pub(in crate::cli) fn needing(&self, model: &str) -> Option<String> {
        let names = &self.needed(model)?.names;
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        if names.len() > NAMED {
            names[NAMED] = "others";
        }
        Some(text::joined(&names, "and"))
    }
}
