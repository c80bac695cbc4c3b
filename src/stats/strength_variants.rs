//! Companions of strengths: availability, strengths at equal length.

use std::collections::BTreeMap;

use super::key::Key;
use super::pairwise::{PairwiseDebate, PairwiseDebates};
use statistics::bradley_terry::{Adjusted, Comparison, ELO, Fit, Lead, Rating, adjusted, elo};
use statistics::estimate::Estimate;
use statistics::groups::by_key;

/// What is known of those who are compared, beside how often they won.
pub(super) struct StrengthVariants<'v, 'c> {
    of: &'v PairwiseDebates<'v, 'c>,
    /// By name, whether it could be heard in each of its debates.
    heard: BTreeMap<&'c str, Vec<(usize, bool)>>,
    /// Strengths between texts of equal length, where they can be fitted.
    adjusted: Option<Adjusted>,
}

impl<'v, 'c> StrengthVariants<'v, 'c> {
    pub(super) fn new(of: &'v PairwiseDebates<'v, 'c>, fit: &Fit) -> Self {
        Self { of, heard: heard(of), adjusted: equal_length(of, &fit.ratings) }
    }

    /// How often one could be heard.
    pub(super) fn available(&self, rating: &Rating) -> Estimate {
        let heard = self.heard.get(self.of.names[rating.entity]);
        self.of.view.share(heard.into_iter().flatten().copied())
    }

    /// The strength of one between texts of equal length; without an interval where its strength has none.
    pub(super) fn elo_equal_length(&self, rating: &Rating) -> Option<Estimate> {
        let strength = self.adjusted.as_ref()?.strength(rating.entity)?;
        Some(like(rating.low, rating.reason.as_deref(), strength.scaled(ELO).shifted(elo(0.0))))
    }

    /// How far one is ahead between texts of equal length, in Elo.
    pub(super) fn lead_equal_length(&self, lead: &Lead) -> Option<Estimate> {
        let adjusted = self.adjusted.as_ref()?.lead(lead.above, lead.below)?;
        Some(like(lead.low, lead.reason.as_deref(), adjusted.scaled(ELO)))
    }

    /// What a text e times as long is worth.
    pub(super) fn length(&self) -> Option<Estimate> {
        let adjusted = self.adjusted.as_ref();
        adjusted.map(|adjusted| adjusted.worth.clone())
    }
}

/// An estimate, without its interval where what it varies has none.
fn like(low: Option<f64>, reason: Option<&str>, estimate: Estimate) -> Estimate {
    if low.is_some() { estimate } else { estimate.without_interval(reason.unwrap_or_default()) }
}

fn heard<'c>(of: &PairwiseDebates<'_, 'c>) -> BTreeMap<&'c str, Vec<(usize, bool)>> {
    let debates = of.view.all().filter(|(_, facts)| facts.has_winner);
    by_key(debates.flat_map(|(debate, facts)| {
        let people = facts.contestants().filter(|(_, p)| facts.contends(p));
        people.map(move |(_, person)| {
            let was = facts.ended() && person.spoke_itself();
            (Key::Model.of_person(person).unwrap_or_default(), (debate, was))
        })
    }))
}

/// `None` too where strengths stand on several scales.
fn equal_length(of: &PairwiseDebates<'_, '_>, ratings: &[Rating]) -> Option<Adjusted> {
    let is_on_scale = |rating: &Rating| rating.elo.is_some() && rating.group == 1;
    let longer: Option<Vec<f64>> = of.duels.iter().map(longer).collect();
    let longer = longer.filter(|_| ratings.iter().all(is_on_scale))?;
    let each: Vec<(Comparison, f64)> = of.comparisons(&of.duels).zip(longer).collect();
    adjusted(of.names.len(), &each)
}

/// The logarithm of how many times as long the first side's text is; `None` for teams, and where one said nothing.
fn longer(duel: &PairwiseDebate<'_>) -> Option<f64> {
    let [a, b] = duel.seats.map(|seat| seat.person.tokens as f64);
    let team = duel.seats[0].facts.profile().team.is_some();
    (!team && a > 0.0 && b > 0.0).then(|| (a / b).ln())
}
