//! Debates between two as comparisons, and which of them compare nothing else (rows S3, O3).

use std::collections::BTreeMap;

use super::design::{Seat, Seats};
use super::findings::{Confounded, REPLICATES, Trait};
use super::key::Key;
use super::view::View;
use crate::facts::{Facts, Person, Winner};
use crate::model::sharing::Sharing;
use statistics::bradley_terry::{Comparison, Fit, Options, Outcome, Party, Rating, fit};

/// With fewer debates somebody is shown but not ranked.
pub(super) const FEW: usize = 10;

/// A debate between two that may be compared.
pub(super) struct Duel<'c> {
    pub(super) debate: usize,
    pub(super) cluster: usize,
    pub(super) sides: [&'c str; 2],
    pub(super) seats: [Seat<'c>; 2],
    /// Whether a judge ran on the model of one side only.
    pub(super) own_judges: bool,
    pub(super) outcome: Outcome,
    first: Option<Party>,
}

/// Takes out the debates of every two that something else tells apart.
pub(super) fn set_aside(key: &Key, duels: &mut Vec<Duel<'_>>) -> Vec<Confounded> {
    let mut all: BTreeMap<([&str; 2], Trait), Vec<usize>> = BTreeMap::new();
    let own = duels.extract_if(.., |duel| *key == Key::Model && duel.own_judges);
    for duel in own {
        let debates = all.entry((duel.pair(), Trait::OwnJudges)).or_default();
        debates.push(duel.debate + 1);
    }
    let told_apart = told_apart(key, duels);
    for duel in duels.extract_if(.., |duel| told_apart.contains_key(&duel.pair())) {
        let by = told_apart[&duel.pair()];
        all.entry((duel.pair(), by))
            .or_default()
            .push(duel.debate + 1);
    }
    let confounded = |(([a, b], by), debates): (([&str; 2], Trait), Vec<usize>)| Confounded {
        a: a.to_owned(),
        b: b.to_owned(),
        by,
        debates,
    };
    all.into_iter().map(confounded).collect()
}

/// Every two that something else tells apart, with what that is.
fn told_apart<'c>(key: &Key, duels: &[Duel<'c>]) -> BTreeMap<[&'c str; 2], Trait> {
    let mut met: BTreeMap<[&str; 2], Seats<'c>> = BTreeMap::new();
    for duel in duels.iter().filter(|duel| duel.sides[0] != duel.sides[1]) {
        let seats = met.entry(duel.pair()).or_default();
        for (name, seat) in duel.sides.iter().zip(duel.seats) {
            seats.add(usize::from(*name != duel.pair()[0]), [seat].into_iter());
        }
    }
    let each = met.into_iter();
    each.filter_map(|(pair, seats)| Some((pair, seats.confounder(key, true)?)))
        .collect()
}

impl<'c> Duel<'c> {
    /// The two in order of their names.
    pub(super) fn pair(&self) -> [&'c str; 2] {
        let [a, b] = self.sides;
        if a <= b { [a, b] } else { [b, a] }
    }
}

pub(super) fn fitted(names: &[&str], duels: &[Duel<'_>], seed: u64) -> Fit {
    let options = Options {
        fewest: FEW,
        replicates: REPLICATES as u64,
        seed,
        ..Options::default()
    };
    let all: Vec<&Duel<'_>> = duels.iter().collect();
    fit(names.len(), &comparisons(names, &all), &options)
}

/// The same without intervals.
pub(super) fn fitted_once(names: &[&str], duels: &[&Duel<'_>]) -> Vec<Rating> {
    let options = Options {
        replicates: 0,
        ..Options::default()
    };
    fit(names.len(), &comparisons(names, duels), &options).ratings
}

/// A debate as a comparison, or why it is none.
pub(super) fn duel<'c>(
    view: &View<'_>,
    key: &Key,
    debate: usize,
    facts: &'c Facts,
) -> Result<Duel<'c>, &'static str> {
    if !facts.ended() {
        return Err("failed");
    }
    if !facts.comparable() {
        return Err("an emergency or fallback reply of a contestant");
    }
    met(view, key, debate, facts, facts.winner.ok_or("no judgment")?)
}

/// A debate in which a reply that was not its own stands in for a contestant, as one that this contestant lost.
pub(super) fn by_default<'c>(
    view: &View<'_>,
    key: &Key,
    debate: usize,
    facts: &'c Facts,
) -> Option<Duel<'c>> {
    if !facts.ended() {
        return None;
    }
    let mut sides = facts.contestants();
    let (Some((a, first)), Some((b, second)), None) = (sides.next(), sides.next(), sides.next())
    else {
        return None;
    };
    let winner = match (first.spoke_itself(), second.spoke_itself()) {
        (true, true) => return None,
        (true, false) => Winner::Person(a),
        (false, true) => Winner::Person(b),
        (false, false) => Winner::Draw,
    };
    met(view, key, debate, facts, winner).ok()
}

/// Two that met, and who won.
fn met<'c>(
    view: &View<'_>,
    key: &Key,
    debate: usize,
    facts: &'c Facts,
    winner: Winner,
) -> Result<Duel<'c>, &'static str> {
    let sides = facts.contestants();
    let sides: Vec<(u8, &Person)> = sides.filter(|(_, person)| facts.contends(person)).collect();
    let name = |person: &'c Person| key.of_person(person).unwrap_or_default();
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
    Ok(Duel {
        debate,
        cluster: view.cluster(debate),
        sides: [name(first), name(second)],
        seats: [*first, *second].map(|person| Seat { facts, person }),
        own_judges: facts.sharing() == Sharing::Some,
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

pub(super) fn comparisons(names: &[&str], duels: &[&Duel<'_>]) -> Vec<Comparison> {
    let numbers: BTreeMap<&str, usize> = names.iter().copied().zip(0..).collect();
    let comparison = |duel: &&Duel<'_>| Comparison {
        cluster: duel.cluster,
        a: numbers[duel.sides[0]],
        b: numbers[duel.sides[1]],
        outcome: duel.outcome,
        first: duel.first,
        listed: Some(Party::A),
    };
    duels.iter().map(comparison).collect()
}
