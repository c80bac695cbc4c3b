//! Debates between two as comparisons, and which of them are not confounded (rows S3, O3).

use std::collections::{BTreeMap, BTreeSet};

use super::confounding::{Seat, Seats};
use super::counted_debates::View;
use super::findings::{Confounded, REPLICATES, Trait};
use super::key::Key;
use crate::facts::{Facts, Person, Winner};
use crate::model::self_judging::Sharing;
use statistics::bradley_terry::{Comparison, Fit, Options, Outcome, Party, fit};
use statistics::groups::by_key;

/// With fewer debates someone is shown but not ranked.
pub(super) const FEW: usize = 10;

/// A debate between two that may be compared.
pub(super) struct PairwiseDebate<'c> {
    pub(super) debate: usize,
    pub(super) cluster: usize,
    pub(super) sides: [&'c str; 2],
    pub(super) seats: [Seat<'c>; 2],
    /// What makes a judge one of one side only: its own model, or one of its family.
    pub(super) partial: Option<Trait>,
    pub(super) outcome: Outcome,
    pub(super) first: Option<Party>,
}

/// The debates between two, of which those may be compared that nothing else tells apart.
pub(super) struct PairwiseDebates<'v, 'c> {
    pub(super) view: &'v View<'c>,
    /// The models that are compared, by number.
    pub(super) names: Vec<&'c str>,
    pub(super) duels: Vec<PairwiseDebate<'c>>,
    /// How many are not compared, by reason.
    pub(super) left_out: BTreeMap<String, usize>,
    pub(super) confounded: Vec<Confounded>,
    /// The debates of those who are told apart, each with by what.
    pub(super) set_aside: Vec<(PairwiseDebate<'c>, Trait)>,
}

impl<'v, 'c> PairwiseDebates<'v, 'c> {
    /// `None` if no debate has a winner to find.
    pub(super) fn new(view: &'v View<'c>) -> Option<Self> {
        let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
        let mut duels = Vec::new();
        for (debate, facts) in view.all().filter(|(_, facts)| facts.has_winner) {
            let meeting = Meeting { view, debate, facts };
            match meeting.duel() {
                Ok(duel) => duels.push(duel),
                Err(reason) => *left_out.entry(reason.to_owned()).or_default() += 1,
            }
        }
        if duels.is_empty() && left_out.is_empty() {
            return None;
        }
        let set_aside = set_aside(&mut duels);
        let confounded = confounded(&set_aside);
        for found in &confounded {
            let reason = left_out.entry(found.by.of_two());
            *reason.or_default() += found.debates.len();
        }
        let names: BTreeSet<&str> = duels.iter().flat_map(|duel| duel.sides).collect();
        Some(Self {
            view,
            names: names.into_iter().collect(),
            duels,
            left_out,
            confounded,
            set_aside,
        })
    }

    pub(super) fn fitted(&self, seed: u64) -> Fit {
        let options =
            Options { fewest: FEW, replicates: REPLICATES as u64, seed, ..Options::default() };
        let all = self.comparisons(&self.duels);
        fit(self.names.len(), &all.collect::<Vec<_>>(), &options)
    }

    /// Some as comparisons of those who are compared.
    pub(super) fn comparisons<'d>(
        &self,
        some: impl IntoIterator<Item = &'d PairwiseDebate<'c>>,
    ) -> impl Iterator<Item = Comparison>
    where
        'c: 'd,
    {
        let numbers: BTreeMap<&str, usize> = self.names.iter().copied().zip(0..).collect();
        some.into_iter().map(move |duel| Comparison {
            cluster: duel.cluster,
            a: numbers[duel.sides[0]],
            b: numbers[duel.sides[1]],
            outcome: duel.outcome,
            first: duel.first,
            listed: Some(Party::A),
        })
    }
}

/// Takes out the debates of every two that something else tells apart in a format: another format does not make up for it.
fn set_aside<'c>(duels: &mut Vec<PairwiseDebate<'c>>) -> Vec<(PairwiseDebate<'c>, Trait)> {
    let judged = duels
        .extract_if(.., |duel| duel.partial.is_some())
        .filter_map(|duel| duel.partial.map(|by| (duel, by)));
    let mut all: Vec<(PairwiseDebate<'c>, Trait)> = judged.collect();
    let told_apart = told_apart(duels.iter());
    let others = duels.extract_if(.., |duel| told_apart.contains_key(&duel.meeting()));
    all.extend(others.map(|duel| {
        let by = told_apart[&duel.meeting()];
        (duel, by)
    }));
    all
}

/// The same by pair, with what tells it apart.
fn confounded(set_aside: &[(PairwiseDebate<'_>, Trait)]) -> Vec<Confounded> {
    let all = by_key(set_aside.iter().map(|(duel, by)| ((duel.pair(), *by), duel)));
    let found = all.into_iter().map(|((pair, by), duels)| {
        let debates = duels.iter().map(|duel| duel.debate + 1).collect();
        Confounded { job: job_of_its_own(&duels), ..Confounded::new(pair, by, debates) }
    });
    found.collect()
}

/// The job with most of these debates in which nothing tells the two apart, if they are enough for a rank.
fn job_of_its_own(duels: &[&PairwiseDebate<'_>]) -> Option<String> {
    let jobs = by_key(duels.iter().map(|duel| (&*duel.seats[0].facts.private.job, *duel)));
    let mut jobs: Vec<_> = jobs.into_iter().filter(|(_, duels)| duels.len() >= FEW).collect();
    jobs.retain(|(_, duels)| told_apart(duels.iter().copied()).is_empty());
    jobs.iter().max_by_key(|(_, duels)| duels.len()).map(|(job, _)| (*job).to_owned())
}

/// Every two that something else tells apart in a format, with what that is.
fn told_apart<'d, 'c: 'd>(
    duels: impl Iterator<Item = &'d PairwiseDebate<'c>>,
) -> BTreeMap<Meetings<'c>, Trait> {
    let mut met: BTreeMap<Meetings<'c>, Seats<'c>> = BTreeMap::new();
    for duel in duels.filter(|duel| !duel.is_against_itself()) {
        let seats = met.entry(duel.meeting()).or_default();
        for (name, seat) in duel.sides.iter().zip(duel.seats) {
            seats.add(usize::from(*name != duel.pair()[0]), [seat].into_iter());
        }
    }
    met.into_iter().filter_map(|(pair, seats)| Some((pair, seats.confounder(true)?))).collect()
}

/// A format and two who met in it, in order of their names.
type Meetings<'c> = (&'c str, [&'c str; 2]);

impl<'c> PairwiseDebate<'c> {
    fn meeting(&self) -> Meetings<'c> {
        (&self.seats[0].facts.format, self.pair())
    }

    /// Whether the two are the same one.
    pub(super) fn is_against_itself(&self) -> bool {
        self.sides[0] == self.sides[1]
    }

    /// The two in order of their names.
    pub(super) fn pair(&self) -> [&'c str; 2] {
        let [a, b] = self.sides;
        if a <= b { [a, b] } else { [b, a] }
    }
}

/// A debate whose contestants' models are compared.
#[derive(Clone, Copy)]
struct Meeting<'v, 'c> {
    view: &'v View<'c>,
    debate: usize,
    facts: &'c Facts,
}

impl<'c> Meeting<'_, 'c> {
    /// It as a comparison, or why it is none.
    fn duel(self) -> Result<PairwiseDebate<'c>, &'static str> {
        if !self.facts.ended() {
            return Err("failed");
        }
        if self.facts.audience_counted() {
            return Err("an audience's ballot counted");
        }
        if !self.facts.comparable() {
            return Err("an emergency or fallback reply of a contestant");
        }
        self.won_by(self.facts.winner.ok_or("no judgment")?)
    }

    /// What makes a judge one of one side only.
    fn partial(self) -> Option<Trait> {
        let related = self.view.related();
        let is_related = |person: &Person, judge: &str| {
            let model = person.model.as_deref();
            model.is_some_and(|model| related.are(judge, model))
        };
        let is_on = |person: &Person, judge: &str| self.facts.is_on(person, judge);
        let facts = self.facts;
        match (facts.nearness(is_on), facts.nearness(is_related)) {
            (Sharing::Some, _) => Some(Trait::OwnJudges),
            (_, Sharing::Some) => Some(Trait::RelatedJudges),
            _ => None,
        }
    }

    fn won_by(self, winner: Winner) -> Result<PairwiseDebate<'c>, &'static str> {
        let facts = self.facts;
        let sides: Vec<(u8, &Person)> =
            facts.contestants().filter(|(_, p)| facts.contends(p)).collect();
        let name = |person: &'c Person| Key::Model.of_person(person).unwrap_or_default();
        let [(a, first), (_, second), more @ ..] = sides.as_slice() else {
            return Err("fewer than two contestants");
        };
        let teams = facts.profile().team.is_some();
        if !teams && !more.is_empty() {
            return Err("more than two contestants");
        }
        if more.iter().any(|(_, person)| name(person) != name(second)) {
            return Err("a team of different contestants");
        }
        Ok(PairwiseDebate {
            debate: self.debate,
            cluster: self.view.cluster(self.debate),
            sides: [name(first), name(second)],
            seats: [*first, *second].map(|person| Seat { facts, person }),
            partial: self.partial(),
            outcome: match winner {
                Winner::Draw => Outcome::Draw,
                Winner::Person(place) if place == *a => Outcome::Win,
                Winner::Person(_) | Winner::Team => Outcome::Loss,
            },
            first: match (first.first, second.first) {
                (true, _) => Some(Party::A),
                (_, true) => Some(Party::B),
                _ => None,
            },
        })
    }
}
