//! Judges whose models are related to those of debaters, as a panel would recuse them.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::ReadingStatus;
use crate::facts::{Facts, Text};
use crate::job::panel::RecuseBy;
use crate::model::Card;
use crate::panel::recusal::{Families, ModelOrigin};
use crate::text::separated;

/// All models that debated or judged, and which of them are related.
#[derive(Debug)]
pub(super) struct Related<'c> {
    /// What they are, as all debates tell it: the card in one may lack what a model was made from.
    models: BTreeMap<&'c str, ModelOrigin>,
    pairs: BTreeSet<[&'c str; 2]>,
}

impl<'c> Related<'c> {
    pub(super) fn new(debates: &[&'c Facts]) -> Self {
        let mut models = BTreeMap::new();
        for facts in debates {
            let debaters = facts.people.iter().filter_map(|person| person.model.as_deref());
            let judges = facts.readings.iter().filter_map(|reading| reading.model.as_deref());
            debaters.chain(judges).for_each(|model| note(&mut models, facts, model));
        }
        let each = models.iter().flat_map(|one| models.iter().map(move |other| (one, other)));
        let related = each.filter(|((_, one), (name, other))| {
            one.recusal(name, other, RecuseBy::Family).is_some()
        });
        Self { pairs: related.map(|((one, _), (other, _))| [*one, *other]).collect(), models }
    }

    /// Whether a panel would recuse a judge on one of two models from judging the other.
    pub(super) fn are(&self, judge: &str, debater: &str) -> bool {
        self.pairs.contains(&[judge, debater])
    }

    /// What to call a model's families: its name's and that of what it was made from; `None` where none is known.
    pub(super) fn families(&self, model: &str) -> Option<String> {
        Some(separated(self.known(model)?, ", "))
    }

    /// Whether two models have a family in common; `None` where that of one is unknown.
    pub(super) fn share_family(&self, one: &str, other: &str) -> Option<bool> {
        Some(!self.known(one)?.is_disjoint(self.known(other)?))
    }

    fn known(&self, model: &str) -> Option<&BTreeSet<String>> {
        let families = &self.models.get(model)?.families;
        (!families.is_empty()).then_some(families)
    }
}

/// Notes what a model is, if a debate tells more of it.
fn note<'c>(models: &mut BTreeMap<&'c str, ModelOrigin>, facts: &Facts, model: &'c str) {
    let tells_more = |known: &ModelOrigin| {
        let mut ancestors = facts.ancestors.iter();
        known.lineage.is_empty() && ancestors.any(|(name, _)| **name == *model)
    };
    if models.get(model).is_none_or(tells_more) {
        models.insert(model, origin(facts, model));
    }
}

/// The models of judges who were heard.
pub(super) fn judges(facts: &Facts) -> impl Iterator<Item = &str> {
    let valid = facts.readings.iter().filter(|reading| reading.status == ReadingStatus::Valid);
    valid.filter_map(|reading| reading.model.as_deref())
}

/// A model as its card tells it, by the families of names.
fn origin(facts: &Facts, model: &str) -> ModelOrigin {
    let of = |all: &[(Text, Text)]| -> Vec<String> {
        let own = all.iter().filter(|(name, _)| **name == *model);
        own.map(|(_, value)| value.to_string()).collect()
    };
    let card =
        Card { digest: of(&facts.digests).pop(), lineage: of(&facts.ancestors), ..Card::default() };
    ModelOrigin::new(model, &card, &Families::new())
}
