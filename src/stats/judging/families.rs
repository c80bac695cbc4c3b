//! Families of models: those by which panels recuse judges. A model can have two, its name's and that of what it was made from.

use std::collections::BTreeSet;

use crate::facts::Facts;
use crate::stats::counted_debates::View;
use crate::stats::group::judge_of;
use crate::stats::related::Models;
use crate::text::separated;

/// The families of the models that debated or judged.
pub(super) struct Families<'c>(Models<'c>);

impl<'c> Families<'c> {
    pub(super) fn new(view: &View<'c>, format: &str) -> Self {
        let mut all = Models::default();
        for (_, facts) in view.of_format(format) {
            models(facts).for_each(|model| all.note(facts, model));
        }
        Self(all)
    }

    /// What to call a model's families; `None` where none is known.
    pub(super) fn label(&self, model: &str) -> Option<String> {
        Some(separated(self.known(model)?, ", "))
    }

    /// Whether two models have a family in common; `None` where that of one is unknown.
    pub(super) fn are_related(&self, one: &str, other: &str) -> Option<bool> {
        Some(!self.known(one)?.is_disjoint(self.known(other)?))
    }

    fn known(&self, model: &str) -> Option<&BTreeSet<String>> {
        let families = &self.0.get(model)?.families;
        (!families.is_empty()).then_some(families)
    }
}

fn models(facts: &Facts) -> impl Iterator<Item = &str> {
    let debated = facts.people.iter().filter_map(|person| person.model.as_deref());
    debated.chain(facts.readings.iter().map(judge_of))
}
