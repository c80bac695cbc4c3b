//! Debates on one topic between which two exchange positions or turns: whether one wins both, or what they exchange decides.

use std::collections::{BTreeMap, VecDeque};

use super::findings::{Exchange, SwappedPair};
use super::pairwise::PairwiseDebate;
use crate::text::folded_topic;
use statistics::bradley_terry::Party;

/// How the first of two by name took part: its position and the other's, and whether it spoke first.
type Stance<'c> = ([&'c str; 2], Option<bool>);

/// A debate by its number, with what the first of two got from it.
#[derive(Debug, Clone, Copy)]
struct Played<'c> {
    debate: usize,
    stance: Stance<'c>,
    score: f64,
}

/// What is the same in two debates that go together: the topic, format, job and models.
type Place<'c> = (String, &'c str, &'c str, [Option<&'c str>; 2]);

/// What came of the exchanges of each two, in order of names. A debate goes with the first on its topic, in its format and job and
/// between the same models, that differs from it by one exchange; the rest has no partner. One debate can go with a second by positions
/// and with a third by turns; only where neither is alone exchanged, both together count.
pub(super) fn swapped(duels: &[PairwiseDebate<'_>]) -> Vec<SwappedPair> {
    let mut all: BTreeMap<[&str; 2], BTreeMap<Place<'_>, Vec<Played<'_>>>> = BTreeMap::new();
    for duel in duels.iter().filter(|duel| !duel.is_against_itself()) {
        let met = all.entry(duel.pair()).or_default();
        met.entry(place(duel)).or_default().push(played(duel));
    }
    all.into_iter().flat_map(|(pair, met)| of_two(pair, met.values().map(Vec::as_slice))).collect()
}

fn place<'c>(duel: &PairwiseDebate<'c>) -> Place<'c> {
    let facts = duel.seats[0].facts;
    let mut models = duel.seats.map(|seat| seat.person.model.as_deref());
    models.sort_unstable();
    (folded_topic(&facts.topic), &facts.format, &facts.private.job, models)
}

fn played<'c>(duel: &PairwiseDebate<'c>) -> Played<'c> {
    let is_second = duel.sides[0] != duel.pair()[0];
    let mut positions = duel.seats.map(|seat| &*seat.person.position);
    if is_second {
        positions.reverse();
    }
    let score = duel.outcome.score();
    Played {
        debate: duel.debate + 1,
        stance: (positions, duel.first.map(|party| (party == Party::A) != is_second)),
        score: if is_second { 1.0 - score } else { score },
    }
}

/// What two came to by each exchange that occurs.
fn of_two<'p, 'c: 'p>(
    names: [&str; 2],
    met: impl Iterator<Item = &'p [Played<'c>]>,
) -> Vec<SwappedPair> {
    let mut found: BTreeMap<Exchange, Vec<[Played<'_>; 2]>> = BTreeMap::new();
    for debates in met {
        let single = [Exchange::Positions, Exchange::Turns].map(|by| (by, partners(debates, by)));
        let is_lone = single.iter().all(|(_, pairs)| pairs.is_empty());
        let both = is_lone.then(|| (Exchange::Both, partners(debates, Exchange::Both)));
        for (by, pairs) in single.into_iter().chain(both) {
            found.entry(by).or_default().extend(pairs);
        }
    }
    let found = found.into_iter().filter(|(_, pairs)| !pairs.is_empty());
    found.map(|(by, pairs)| counted(names, by, &pairs)).collect()
}

/// The debates that go together by an exchange, each in one pair at most.
fn partners<'c>(debates: &[Played<'c>], by: Exchange) -> Vec<[Played<'c>; 2]> {
    let mut waiting: BTreeMap<Stance<'_>, VecDeque<Played<'_>>> = BTreeMap::new();
    let mut pairs = Vec::new();
    for one in debates {
        let Some(other) = by.of(one.stance) else { continue };
        match waiting.get_mut(&other).and_then(VecDeque::pop_front) {
            Some(other) => pairs.push([other, *one]),
            None => waiting.entry(one.stance).or_default().push_back(*one),
        }
    }
    pairs
}

impl Exchange {
    /// The stance after it; `None` if there is nothing to exchange.
    fn of(self, (positions, first): Stance<'_>) -> Option<Stance<'_>> {
        let [own, other] = positions;
        let exchanged = (own != other).then_some([other, own]);
        Some(match self {
            Self::Positions => (exchanged?, first),
            Self::Turns => (positions, Some(!first?)),
            Self::Both => (exchanged?, Some(!first?)),
        })
    }
}

fn counted([a, b]: [&str; 2], by: Exchange, pairs: &[[Played<'_>; 2]]) -> SwappedPair {
    let mut found =
        SwappedPair { a: a.to_owned(), b: b.to_owned(), swapped: by, ..SwappedPair::default() };
    for pair in pairs {
        let count = match pair.map(|it| (it.score * 2.0) as u8) {
            [2, 2] => &mut found.a_won_both,
            [0, 0] => &mut found.b_won_both,
            [0, 2] | [2, 0] => &mut found.split,
            _ => &mut found.with_a_draw,
        };
        *count += 1;
        found.debates.extend(pair.map(|it| it.debate));
    }
    found.split_by_chance = by_chance(&found);
    found.debates.sort_unstable();
    found
}

/// How many pairs would be split if what was swapped decided nothing and each debate were a toss with the rate at which the first won.
fn by_chance(found: &SwappedPair) -> f64 {
    let decided = (found.a_won_both + found.split + found.b_won_both) as f64;
    if decided == 0.0 {
        return 0.0;
    }
    let rate = (found.a_won_both as f64 + found.split as f64 / 2.0) / decided;
    2.0 * rate * (1.0 - rate) * decided
}
