//! Families of models: those by which panels recuse judges. A model can have two, its name's and that of what it was made from.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::Facts;
use crate::stats::group::judge_of;
use crate::stats::related::kin;
use crate::stats::view::View;

/// The families of the models that debated or judged.
pub(super) struct Families<'c>(BTreeMap<&'c str, BTreeSet<String>>);

impl<'c> Families<'c> {
    pub(super) fn new(view: &View<'c>, format: &str) -> Self {
        let mut all = BTreeMap::new();
        for (_, facts) in view.of_format(format) {
            for model in models(facts) {
                let families = || kin(facts, model).families;
                all.entry(model).or_insert_with(families);
            }
        }
        Self(all)
    }

    /// What to call a model's families; `None` where none is known.
    pub(super) fn label(&self, model: &str) -> Option<String> {
        let own = self.0.get(model)?.iter().map(String::as_str);
        let own: Vec<&str> = own.collect();
        (!own.is_empty()).then(|| own.join(", "))
    }

    /// Whether two models have a family in common; `None` where that of one is unknown.
    pub(super) fn are_related(&self, one: &str, other: &str) -> Option<bool> {
        let known = |model| self.0.get(model).filter(|own| !own.is_empty());
        let (one, other) = (known(one)?, known(other)?);
        Some(!one.is_disjoint(other))
    }
}

fn models(facts: &Facts) -> impl Iterator<Item = &str> {
    let people = facts.people.iter();
    let debated = people.filter_map(|person| person.model.as_deref());
    debated.chain(facts.readings.iter().map(judge_of))
}
