//! Which entities are surely above others where all wins go one way, so that there are no intervals to compare.
//!
//! A sign test over topics: if the two were equals, how likely would the winner have won on all of them? Debates on one topic
//! count as one, the likeliest; speaking first and being listed first help as much as they were fitted to. Where one of these
//! places won or lost everything, it may be all that decides, and nothing is sure.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::Place;
use super::newton::probability;
use super::table::Cell;
use super::{Comparison, Options, Outcome, Party};
use crate::paired::holm;

/// Half of 5%, as the test is two-sided. Without a fitted effect six topics fall below it.
const SURE: f64 = 0.025;
/// The chance of an equal. That a place held the winner back makes no win tell more than this: how much, is only estimated.
const EQUAL: f64 = 0.5;

/// Who is surely above whom, after Holm's correction for all who won everything against another.
pub(super) fn surely_above(
    comparisons: &[Comparison],
    places: &[Place],
    options: &Options,
    worth: [f64; 2],
) -> Vec<[usize; 2]> {
    let mut likeliest: BTreeMap<([usize; 2], usize), f64> = BTreeMap::new();
    for comparison in comparisons {
        let (cell, score) = Cell::from_comparison(comparison, options);
        if places[cell.a].group == places[cell.b].group {
            continue;
        }
        let ahead = chance(worth, &cell);
        let (pair, chance) =
            if score > 0.5 { ([cell.a, cell.b], ahead) } else { ([cell.b, cell.a], 1.0 - ahead) };
        let most = likeliest.entry((pair, comparison.cluster)).or_default();
        *most = most.max(chance).max(EQUAL);
    }
    let mut chances: BTreeMap<[usize; 2], f64> = BTreeMap::new();
    for ((pair, _), chance) in likeliest {
        *chances.entry(pair).or_insert(1.0) *= chance;
    }
    let each: Vec<Option<f64>> = chances.values().copied().map(Some).collect();
    let corrected = holm(&each).into_iter().flatten();
    let sure = chances.into_keys().zip(corrected).filter(|(_, chance)| *chance < SURE);
    sure.map(|(pair, _)| pair).collect()
}

/// How often `a` of a cell would win if it were the equal of `b`.
fn chance([order, side]: [f64; 2], cell: &Cell) -> f64 {
    let [first, listed] = cell.places.map(f64::from);
    probability(order * first + side * listed)
}

/// The reason if one place won or lost every comparison, on too many clusters for that to be chance.
pub(super) fn decided_by_place(comparisons: &[Comparison]) -> Option<String> {
    let topics: BTreeSet<usize> = comparisons.iter().map(|c| c.cluster).collect();
    if topics.iter().fold(1.0, |chance, _| chance / 2.0) >= SURE {
        return None;
    }
    let always = |place: fn(&Comparison) -> Option<Party>, had: &str, effect: &str| {
        let did = if always(comparisons, place)? { "won" } else { "lost" };
        Some(format!(
            "whoever {had} first {did} every debate: strength cannot be separated from {effect}"
        ))
    };
    always(|it| it.first, "spoke", "order").or_else(|| always(|it| it.listed, "was listed", "side"))
}

/// Whether who had the place always won, or always lost.
fn always(
    comparisons: &[Comparison],
    place: impl Fn(&Comparison) -> Option<Party>,
) -> Option<bool> {
    let won = |comparison: &Comparison| match (place(comparison)?, comparison.outcome) {
        (_, Outcome::Draw) => None,
        (party, outcome) => Some((party == Party::A) == (outcome == Outcome::Win)),
    };
    let first = won(comparisons.first()?)?;
    comparisons.iter().all(|c| won(c) == Some(first)).then_some(first)
}
