//! Judges whose models are related to those of debaters, as a panel would recuse them.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::ReadingStatus;
use crate::facts::{Facts, Text};
use crate::job::panel::RecuseBy;
use crate::model::Card;
use crate::panel::recusal::{Families, ModelOrigin};

/// The models that are related, among all that debated or judged.
#[derive(Debug)]
pub(super) struct Related<'c>(BTreeSet<[&'c str; 2]>);

/// What models are, as all debates tell it: the card in one may lack what a model was made from.
#[derive(Debug, Default)]
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
    pub(super) fn new(debates: &[&'c Facts]) -> Self {
        let mut models = Models::default();
        for facts in debates {
            let debaters =
                facts.judged_or_arguing().filter_map(|(_, person)| person.model.as_deref());
            debaters.chain(judges(facts)).for_each(|model| models.note(facts, model));
        }
        let all = || models.0.iter();
        let each = all().flat_map(|one| all().map(move |other| (one, other)));
        let related = each.filter(|((_, one), (name, other))| {
            one.recusal(name, other, RecuseBy::Family).is_some()
        });
        Self(related.map(|((one, _), (other, _))| [*one, *other]).collect())
    }

    /// Whether a panel would recuse a judge on one of two models from judging the other.
    pub(super) fn are(&self, judge: &str, debater: &str) -> bool {
        self.0.contains(&[judge, debater])
    }

    /// Whether a judge is related to one of two models and not to the other.
    pub(super) fn favours_one(&self, judge: &str, [a, b]: [&str; 2]) -> bool {
        self.are(judge, a) != self.are(judge, b)
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
