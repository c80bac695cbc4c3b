//! Judges whose models are related to those of debaters, as a panel would recuse them.

use std::collections::{BTreeMap, BTreeSet};

use super::counted_debates::View;
use crate::event::ReadingStatus;
use crate::facts::{Facts, Text};
use crate::job::panel::RecuseBy;
use crate::model::Card;
use crate::panel::recusal::{Families, ModelOrigin};

/// Who judged whom in some debates, and what their models are.
pub(super) struct Related<'c> {
    /// The models of judges who were heard, by the models of debaters.
    heard: BTreeMap<&'c str, BTreeSet<&'c str>>,
    models: Models<'c>,
}

/// What models are, as all debates tell it: the card in one may lack what a model was made from.
#[derive(Default)]
pub(super) struct Models<'c>(BTreeMap<&'c str, ModelOrigin>);

impl<'c> Models<'c> {
    pub(super) fn note(&mut self, facts: &Facts, model: &'c str) {
        let tells_more = |known: &ModelOrigin| {
            let mut ancestors = facts.ancestors.iter();
            known.lineage.is_empty() && ancestors.any(|(name, _)| **name == *model)
        };
        if self.get(model).is_none_or(tells_more) {
            self.0.insert(model, origin(facts, model));
        }
    }

    pub(super) fn get(&self, model: &str) -> Option<&ModelOrigin> {
        self.0.get(model)
    }
}

impl<'c> Related<'c> {
    pub(super) fn new(view: &View<'c>, debates: impl Iterator<Item = usize>) -> Self {
        let mut related = Self {
            heard: BTreeMap::new(),
            models: Models::default(),
        };
        for facts in debates.map(|debate| view.debates[debate]) {
            let judges: BTreeSet<&str> = judges(facts).collect();
            let debaters = facts.contestants().filter_map(|(_, p)| p.model.as_deref());
            for debater in debaters {
                related.heard.entry(debater).or_default().extend(&judges);
                related.models.note(facts, debater);
            }
            judges
                .iter()
                .for_each(|judge| related.models.note(facts, judge));
        }
        related
    }

    /// Whether a judge of either model is related to one of the two.
    pub(super) fn to_any(&self, pair: [&str; 2]) -> bool {
        let origin = |model: &str| self.models.get(model);
        let judges = pair.iter().filter_map(|model| self.heard.get(model));
        let mut judges = judges.flatten().filter_map(|judge| origin(judge));
        judges.any(|judge| {
            let mut debaters = pair
                .iter()
                .filter_map(|model| Some((model, origin(model)?)));
            debaters.any(|(name, debater)| {
                let recusal = judge.recusal(name, debater, RecuseBy::Family);
                recusal.is_some()
            })
        })
    }
}

/// The models of judges who were heard.
pub(super) fn judges(facts: &Facts) -> impl Iterator<Item = &str> {
    let valid = facts.readings.iter();
    let valid = valid.filter(|reading| reading.status == ReadingStatus::Valid);
    valid.filter_map(|reading| reading.model.as_deref())
}

/// A model as its card tells it, by the families of names.
fn origin(facts: &Facts, model: &str) -> ModelOrigin {
    let of = |all: &[(Text, Text)]| -> Vec<String> {
        let own = all.iter().filter(|(name, _)| **name == *model);
        own.map(|(_, value)| value.to_string()).collect()
    };
    let card = Card {
        digest: of(&facts.digests).pop(),
        lineage: of(&facts.ancestors),
        ..Card::default()
    };
    ModelOrigin::new(model, &card, &Families::new())
}
