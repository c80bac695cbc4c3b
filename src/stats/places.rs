//! What a place in a debate is worth beside what goes with it: the position of whoever speaks first, and positions themselves.

use std::collections::BTreeSet;

use super::confounding::{Seat, Seats};
use super::counted_debates::numbers;
use super::findings::{Coincidence, PositionWins, Trait};
use super::pairwise::{PairwiseDebate, PairwiseDebates};
use statistics::bradley_terry::Party;
use statistics::groups::by_key;

/// What else whoever spoke first had always, or mostly. Models are fitted, so that they tell nothing of the order.
pub(super) fn of_first_speakers(of: &PairwiseDebates<'_, '_>) -> Vec<Coincidence> {
    let mut seats = Seats::default();
    for [first, other] in of.duels.iter().filter_map(PairwiseDebate::in_turn) {
        seats.add(0, [first].into_iter());
        seats.add(1, [other].into_iter());
    }
    let all = [Trait::Position, Trait::Persona];
    all.into_iter().filter_map(|by| seats.mark_of_first(by)).collect()
}

/// How often each of two positions that meet on several topics won against the other. Those who are compared argued for both about
/// equally often, as the rest is not compared.
pub(super) fn wins(of: &PairwiseDebates<'_, '_>) -> Vec<PositionWins> {
    // The debates in which a position met another, with what it got.
    let met = of.duels.iter().filter_map(|duel| {
        let [a, b] = duel.seats.map(|seat| &*seat.person.position);
        let score = duel.outcome.score();
        let (pair, score) = if a <= b { ([a, b], score) } else { ([b, a], 1.0 - score) };
        (a != b).then_some((pair, (duel.debate, score)))
    });
    let recurring = by_key(met).into_iter().filter(|(_, met)| {
        let topics = met.iter().map(|(debate, _)| of.view.cluster(*debate));
        topics.collect::<BTreeSet<usize>>().len() > 1
    });
    recurring.map(|(pair, met)| of_two(of, pair, met)).collect()
}

/// Of two positions the one that won more often first.
fn of_two(
    of: &PairwiseDebates<'_, '_>,
    [a, b]: [&str; 2],
    mut met: Vec<(usize, f64)>,
) -> PositionWins {
    let mean = met.iter().map(|(_, score)| score).sum::<f64>() / met.len() as f64;
    let [position, against] = if mean < 0.5 { [b, a] } else { [a, b] };
    if mean < 0.5 {
        met.iter_mut().for_each(|(_, score)| *score = 1.0 - *score);
    }
    PositionWins {
        position: position.to_owned(),
        against: against.to_owned(),
        won: of.view.share(met.iter().copied()),
        debates: numbers(met.iter().map(|(debate, _)| *debate)),
    }
}

impl<'c> PairwiseDebate<'c> {
    /// Where both sat, who spoke first before the other; `None` where that is not known.
    fn in_turn(&self) -> Option<[Seat<'c>; 2]> {
        let [a, b] = self.seats;
        Some(if self.first? == Party::A { [a, b] } else { [b, a] })
    }
}
