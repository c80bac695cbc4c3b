//! Who is surely above whom where all wins go one way, so that no interval can tell.
//!
//! A sign test over topics: if the two were equals, how likely would the winner have won on all of them? Debates on one topic
//! count as one, the likeliest; speaking first and being listed first help as much as they were fitted to.

use std::collections::BTreeMap;

use super::graph::Place;
use super::solution::Solution;
use super::table::Cell;
use super::{Comparison, Options};

/// Half of 5 %, as the test is two-sided. Without a fitted effect six topics fall below it.
const SURE: f64 = 0.025;

/// The chances by (winner, loser).
pub(super) struct Dominance(BTreeMap<(usize, usize), f64>);

impl Dominance {
    pub(super) fn of(
        comparisons: &[Comparison],
        places: &[Place],
        options: &Options,
        best: &Solution,
    ) -> Self {
        let mut likeliest: BTreeMap<(usize, usize, usize), f64> = BTreeMap::new();
        for comparison in comparisons {
            let (cell, score) = Cell::of(comparison, options);
            if places[cell.a].strong == places[cell.b].strong {
                continue;
            }
            let ahead = chance(best, &cell);
            let (above, below, chance) = if score > 0.5 {
                (cell.a, cell.b, ahead)
            } else {
                (cell.b, cell.a, 1.0 - ahead)
            };
            let most = likeliest
                .entry((above, below, comparison.cluster))
                .or_default();
            *most = most.max(chance);
        }
        let mut chances = BTreeMap::new();
        for ((above, below, _), chance) in likeliest {
            *chances.entry((above, below)).or_insert(1.0) *= chance;
        }
        Self(chances)
    }

    /// Whether one is surely above another.
    pub(super) fn surely(&self, above: usize, below: usize) -> bool {
        let chance = self.0.get(&(above, below));
        chance.is_some_and(|chance| *chance < SURE)
    }
}

/// How often `a` of a cell would win if it were the equal of `b`.
fn chance(best: &Solution, cell: &Cell) -> f64 {
    let [order, side] = best.worth();
    let odds = order * f64::from(cell.first) + side * f64::from(cell.side);
    1.0 / (1.0 + (-odds).exp())
}
