//! Debates deferred until a server that they need is back.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::plan::Plan;
use crate::servers::{Outlook, ServerPool};

/// The models of a debate's participants.
pub(super) type Models = BTreeSet<String>;

pub(super) fn models_of(plan: &Plan) -> Models {
    plan.participants.iter().map(|it| it.model.clone()).collect()
}

pub(super) fn outlook(servers: Option<&ServerPool>, models: &Models) -> Outlook {
    let names = models.iter().map(String::as_str);
    servers.map_or(Outlook::Served, |servers| servers.outlook(names))
}

/// Deferred debates by their models, which determine whether they can be served.
#[derive(Default)]
pub(super) struct Deferred(BTreeMap<Models, VecDeque<Plan>>);

impl Deferred {
    pub(super) fn len(&self) -> usize {
        self.0.values().map(VecDeque::len).sum()
    }

    pub(super) fn add(&mut self, plan: Plan) {
        self.0.entry(models_of(&plan)).or_default().push_back(plan);
    }

    /// Whether there are debates whose set of models passes.
    pub(super) fn has(&self, passes: impl Fn(&Models) -> bool) -> bool {
        self.0.keys().any(passes)
    }

    /// The longest-deferred debate among those with the first set of models that passes.
    pub(super) fn first_where(&mut self, passes: impl Fn(&Models) -> bool) -> Option<Plan> {
        let models = self.0.keys().find(|models| passes(models))?.clone();
        let alike = self.0.get_mut(&models)?;
        let plan = alike.pop_front();
        if alike.is_empty() {
            self.0.remove(&models);
        }
        plan
    }
}
