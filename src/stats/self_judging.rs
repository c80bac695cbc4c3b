//! Judges on the models of some or all debaters.

use std::collections::BTreeSet;

use super::counted_debates::View;
use crate::event::ReadingStatus;
use crate::facts::{Facts, Kind, Person, Reading};
use crate::job::models::model_name::same_model;
use crate::model::self_judging::Sharing;
use crate::text::joined;

/// What to distrust: a sentence for each format in which judges shared their model with some, and one on debates in which
/// everyone was on the judge's.
pub(super) fn cautions(view: &View<'_>) -> Vec<String> {
    let formats = view.formats().into_iter();
    let mut all: Vec<String> = formats.filter_map(|format| some(view, format)).collect();
    all.extend(one_model(view));
    all
}

fn some(view: &View<'_>, format: &str) -> Option<String> {
    let judged: Vec<&Facts> = judged(view).filter(|f| *f.format == *format).collect();
    let mut models: BTreeSet<&str> = BTreeSet::new();
    let mut partial = 0;
    for facts in &judged {
        let found = facts.judges_sharing(Sharing::Some);
        partial += usize::from(!found.is_empty());
        models.extend(found);
    }
    (partial > 0).then(|| {
        format!(
            "In {partial} of {}, a judge runs on the same model as some debaters but not all ({}): models tend to favour their own texts.",
            format_args!("{} {format} debates", judged.len()),
            joined(models, "and")
        )
    })
}

fn one_model(view: &View<'_>) -> Option<String> {
    let alone: Vec<&Facts> = judged(view).filter(|f| f.is_of_one_model()).collect();
    let teams = alone.iter().filter(|f| f.profile().rotates && !f.has_winner).count();
    let team = match teams {
        0 => String::new(),
        n if n == alone.len() => ", as the debater's own team".to_owned(),
        n => format!(", in {n} of them as the debater's own team"),
    };
    let which = match judged(view).count() {
        1 => "the one judged debate".to_owned(),
        all => format!("{} of {all} judged debates", alone.len()),
    };
    (!alone.is_empty()).then(|| {
        format!("In {which}, one model debates on all sides and judges{team}: its blind spots do not show in any score.")
    })
}

/// Debates with a judgment that can be used.
fn judged<'c>(view: &View<'c>) -> impl Iterator<Item = &'c Facts> {
    let all = view.debates.iter().copied();
    all.filter(|facts| facts.ended() && facts.used_readings().next().is_some())
}

impl Facts {
    fn used_readings(&self) -> impl Iterator<Item = &Reading> {
        let all = self.readings.iter();
        all.filter(|reading| reading.status == ReadingStatus::Valid && reading.model.is_some())
    }

    /// Whether all judges are on the model of all debaters.
    fn is_of_one_model(&self) -> bool {
        let is_on = |person: &Person, model: &str| self.is_on(person, model);
        let mut all = self.used_readings();
        all.all(|reading| self.sharing_of(reading, is_on) == Sharing::All)
    }

    /// The largest sharing of any judge of the whole debate, where a debater whose model is near to the judge's shares it. Ballots do
    /// not count: they decide who stands, not who wins.
    pub(super) fn nearness(&self, is_near: impl Fn(&Person, &str) -> bool) -> Sharing {
        let readings = self.used_readings();
        let deciding = readings.filter(|reading| reading.kind == Kind::Verdict);
        deciding.map(|reading| self.sharing_of(reading, &is_near)).max().unwrap_or(Sharing::None)
    }

    /// The models of judges that share them so.
    fn judges_sharing(&self, wanted: Sharing) -> BTreeSet<&str> {
        let readings = self.used_readings();
        let is_on = |person: &Person, model: &str| self.is_on(person, model);
        let found = readings.filter(|reading| self.sharing_of(reading, is_on) == wanted);
        found.filter_map(|reading| reading.model.as_deref()).collect()
    }

    fn sharing_of(&self, reading: &Reading, is_near: impl Fn(&Person, &str) -> bool) -> Sharing {
        let heard = self.judged_or_arguing().map(|(_, person)| person);
        let others = heard.filter(|p| p.id != reading.judge && p.statements > 0);
        let model = reading.model.as_deref().unwrap_or_default();
        Sharing::among(others.map(|person| is_near(person, model)))
    }

    /// Whether someone's own model is this one, under whichever name.
    pub(super) fn is_on(&self, person: &Person, model: &str) -> bool {
        let own = person.model.as_deref();
        own.is_some_and(|own| same_model(own, model) || self.weights(own) == self.weights(model))
    }

    /// The digest of a model's weights, where it is known, otherwise its name.
    fn weights<'f>(&'f self, model: &'f str) -> &'f str {
        let known = self.digests.iter().find(|(name, _)| **name == *model);
        known.map_or(model, |(_, digest)| &**digest)
    }

    /// What the first judge on each model said: others on it would only repeat the same one.
    pub(super) fn first_of_models<'f, V>(
        &'f self,
        said: impl IntoIterator<Item = (&'f str, V)>,
    ) -> impl Iterator<Item = V> {
        let mut heard = BTreeSet::new();
        let new = said.into_iter().filter(move |(model, _)| heard.insert(self.weights(model)));
        new.map(|(_, said)| said)
    }
}
