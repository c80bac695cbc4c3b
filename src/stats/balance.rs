//! How evenly two models took seats and turns (row S3).

use std::collections::BTreeSet;

use super::confounding::{Seat, Seats};
use super::counted_debates::View;
use super::key::Key;

/// Where two models sat, and how often each of them spoke first.
pub(super) struct Balance<'p, 'c> {
    pair: [&'p str; 2],
    pub(super) seats: Seats<'c>,
    first: [usize; 2],
}

impl<'p, 'c> Balance<'p, 'c> {
    /// In those of some debates in which they met; of two who never met, in all that either of them had.
    pub(super) fn new(pair: [&'p str; 2], view: &View<'c>, debates: &BTreeSet<usize>) -> Self {
        let of = |debate: &usize| pair.map(|model| seats_of(model, view, *debate));
        let all: Vec<[Vec<Seat<'c>>; 2]> = debates.iter().map(of).collect();
        let have_met = |both: &&[Vec<Seat<'c>>; 2]| both.iter().all(|own| !own.is_empty());
        let never_met = !all.iter().any(|both| have_met(&both));
        let mut balance = Self { pair, seats: Seats::default(), first: [0; 2] };
        for both in all.iter().filter(|both| never_met || have_met(both)) {
            for (side, own) in both.iter().enumerate() {
                balance.seats.add(side, own.iter().copied());
                let is_first = own.iter().any(|seat| seat.person.first);
                balance.first[side] += usize::from(is_first && !never_met);
            }
        }
        balance
    }

    /// How many more debates the same one of the two began.
    pub(super) fn surplus(&self) -> usize {
        self.first[0].abs_diff(self.first[1])
    }

    /// `qwen3 spoke first in 36 of 60 debates with mistral`; nothing if both did equally often.
    pub(super) fn told(&self) -> Option<String> {
        let ahead = usize::from(self.first[1] > self.first[0]);
        let (who, other) = (self.pair[ahead], self.pair[1 - ahead]);
        let all = self.first[0] + self.first[1];
        (self.surplus() > 0).then(|| {
            format!("{who} spoke first in {} of {all} debates with {other}", self.first[ahead])
        })
    }
}

fn seats_of<'c>(model: &str, view: &View<'c>, debate: usize) -> Vec<Seat<'c>> {
    let facts = view.debates[debate];
    let own = facts.contestants().filter(|(_, person)| Key::Model.of_person(person) == Some(model));
    own.map(|(_, person)| Seat { facts, person }).collect()
}
