//! Who won how often, by format and pair of models: what happened, whether or not it says who is stronger.

use std::collections::BTreeSet;

use super::counted_debates::View;
use super::findings::{Trait, WinCount};
use super::pairwise::{PairwiseDebate, PairwiseDebates};
use super::related::judges;
use crate::text::{count, joined, separated, told_if};
use statistics::bradley_terry::Outcome;
use statistics::groups::{by_key, tally};

/// More judges are not named.
const MOST_NAMED: usize = 4;

/// The counts of all debates between different models that have an outcome, compared or not.
pub(super) fn wins(of: &PairwiseDebates<'_, '_>) -> Vec<WinCount> {
    let compared = of.duels.iter().map(|duel| (duel, None));
    let aside = of.set_aside.iter().map(|(duel, by)| (duel, Some(*by)));
    let all = compared.chain(aside).filter(|(duel, _)| !duel.is_against_itself());
    // Each with what keeps it from being compared.
    let met = by_key(all.map(|(duel, by)| {
        let format = &*of.view.debates[duel.debate].format;
        ((format, duel.pair()), (duel, by))
    }));
    met.into_iter().map(|((format, pair), own)| counted(of.view, format, pair, &own)).collect()
}

fn counted(
    view: &View<'_>,
    format: &str,
    [a, b]: [&str; 2],
    own: &[(&PairwiseDebate<'_>, Option<Trait>)],
) -> WinCount {
    let won = |name: &str| own.iter().filter(|(duel, _)| won_by(duel, name)).count();
    // A judge reads a debate in both orders.
    let judges_of = |debate: usize| judges(view.debates[debate]).collect::<BTreeSet<&str>>();
    let judged = tally(own.iter().flat_map(|(duel, _)| judges_of(duel.debate)));
    let apart: BTreeSet<Trait> = own.iter().filter_map(|(_, by)| *by).collect();
    let (first, second) = (won(a), won(b));
    WinCount {
        format: format.to_owned(),
        a: a.to_owned(),
        b: b.to_owned(),
        won_by_a: first,
        won_by_b: second,
        draws: own.len() - first - second,
        judges: judged.keys().map(|name| (*name).to_owned()).collect(),
        judged: judged.into_values().collect(),
        not_compared: own.iter().filter(|(_, by)| by.is_some()).count(),
        because: apart.into_iter().map(Trait::of_two).collect(),
        debates: own.iter().map(|(duel, _)| duel.debate + 1).collect(),
    }
}

fn won_by(duel: &PairwiseDebate<'_>, name: &str) -> bool {
    let [first, second] = duel.sides;
    match duel.outcome {
        Outcome::Win => first == name,
        Outcome::Loss => second == name,
        Outcome::Draw => false,
    }
}

impl WinCount {
    /// `duel: llama3 won 6, mistral 4, 10 draws (judged by llama3; models not compared: the two were judged by at least one of them)`.
    pub fn told(&self) -> String {
        let draws = match self.draws {
            0 => "no draws".to_owned(),
            n => count(n, "draw"),
        };
        let notes = separated([self.judged(), self.apart()].into_iter().flatten(), "; ");
        let notes = told_if(!notes.is_empty(), || format!(" ({notes})"));
        let (format, a, b) = (&self.format, &self.a, &self.b);
        let (of_a, of_b) = (self.won_by_a, self.won_by_b);
        format!("{format}: {a} won {of_a}, {b} {of_b}, {draws}{notes}")
    }

    fn judged(&self) -> Option<String> {
        match self.judges.len() {
            0 => None,
            1..=MOST_NAMED => Some(format!("judged by {}", joined(self.each_judge(), "and"))),
            n => Some(format!("judged by {n} models")),
        }
    }

    /// The judges, those of some debates only with their number: `phi4 (32 of 44)`.
    fn each_judge(&self) -> impl Iterator<Item = String> {
        let all = self.debates.len();
        self.judges.iter().zip(&self.judged).map(move |(name, judged)| {
            name.clone() + &told_if(*judged < all, || format!(" ({judged} of {all})"))
        })
    }

    fn apart(&self) -> Option<String> {
        let because = self.because.join("; ");
        match self.not_compared {
            0 => None,
            n if n == self.debates.len() => Some(format!("models not compared: {because}")),
            n => Some(format!("in {n} of these, models are not compared: {because}")),
        }
    }
}
