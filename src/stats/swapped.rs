//! Debates on one topic in which two swap sides: whether one wins both, or the side decides.

use std::collections::BTreeMap;

use super::findings::SwappedPair;
use super::pairwise::PairwiseDebate;

/// What one debate after the other gave the first of two by name, where it was listed first and where second.
type Met = [Vec<(usize, f64)>; 2];

/// The same by topic, format and job.
type Places<'c> = BTreeMap<(usize, &'c str, &'c str), Met>;

/// The side-swapped pairs of each two, in order of names. On one topic, in one format and job, the first debate with one of the two
/// listed first goes with the first in which the other is, and so on; what is left over has no partner.
pub(super) fn swapped(duels: &[PairwiseDebate<'_>]) -> Vec<SwappedPair> {
    let mut all: BTreeMap<[&str; 2], Places<'_>> = BTreeMap::new();
    for duel in duels.iter().filter(|duel| duel.sides[0] != duel.sides[1]) {
        let (pair, facts) = (duel.pair(), duel.seats[0].facts);
        let second = usize::from(duel.sides[0] != pair[0]);
        let score = duel.outcome.score();
        let own = if second == 0 { score } else { 1.0 - score };
        let place = (duel.cluster, &*facts.format, &*facts.job);
        let met = all.entry(pair).or_default().entry(place).or_default();
        met[second].push((duel.debate + 1, own));
    }
    let each = all.into_iter();
    let found = each.map(|(pair, met)| of_two(pair, met.values()));
    found.filter(|found| !found.debates.is_empty()).collect()
}

fn of_two<'m>([a, b]: [&str; 2], met: impl Iterator<Item = &'m Met>) -> SwappedPair {
    let mut found = SwappedPair {
        a: a.to_owned(),
        b: b.to_owned(),
        ..SwappedPair::default()
    };
    for ((one, first), (other, second)) in met.flat_map(|[first, second]| first.iter().zip(second))
    {
        let count = match [first, second].map(|score| (score * 2.0) as u8) {
            [2, 2] => &mut found.a_won_both,
            [0, 0] => &mut found.b_won_both,
            [0, 2] | [2, 0] => &mut found.split,
            _ => &mut found.with_a_draw,
        };
        *count += 1;
        found.debates.extend([*one, *other]);
    }
    found.debates.sort_unstable();
    found
}
