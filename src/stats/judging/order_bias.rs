//! Whether the contestant named first does better.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::{Facts, Reading};
use crate::stats::counted_debates::{View, numbers};
use crate::stats::findings::OrderBias;
use crate::stats::group::judge_of;
use statistics::estimate::Estimate;
use statistics::groups::by_key;

/// A debate and a reading of it that weighs two sides.
type Weighed<'c> = (usize, &'c Reading);

pub(super) fn orders(view: &View<'_>, format: &str) -> Vec<OrderBias> {
    let readings = view.ended(format);
    let readings = readings.flat_map(|(debate, f)| f.readings.iter().map(move |it| (debate, it)));
    let all: Vec<Weighed<'_>> = readings.filter(|(_, it)| it.totals.is_some()).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let models: BTreeSet<&str> = all.iter().map(|(_, it)| judge_of(it)).collect();
    let each = models.iter().filter(|_| models.len() > 1).map(|model| Some(*model));
    std::iter::once(None).chain(each).map(|judge| order(view, format, &all, judge)).collect()
}

fn order(view: &View<'_>, format: &str, all: &[Weighed<'_>], judge: Option<&str>) -> OrderBias {
    let of_judge = |(_, it): &&Weighed<'_>| judge.is_none_or(|judge| judge_of(it) == judge);
    let own: Vec<Weighed<'_>> = all.iter().filter(of_judge).copied().collect();
    let both = swapped(&own);
    // Whether a judge who read a debate in both orders decided alike.
    let alike = both.iter().map(|(debate, [a, b])| (*debate, a.leader() == b.leader()));
    // What being named first is worth: half of what a side gains by it.
    let gains = both.iter().filter_map(|(debate, [a, b])| {
        Some((*debate, f64::midpoint(a.first_ahead()?, b.first_ahead()?)))
    });
    OrderBias {
        format: format.to_owned(),
        judge: judge.map(str::to_owned),
        first_slot: first_slot(view, &own),
        consistent: view.share(alike).or_none(ONE_ORDER),
        slot_effect: view.mean(gains).or_none(ONE_ORDER),
        debates: numbers(own.iter().map(|(debate, _)| *debate)),
    }
}

fn first_slot(view: &View<'_>, all: &[Weighed<'_>]) -> Estimate {
    // A judge who always hears the same contestant named first may prefer that one, wherever it stands.
    let mut firsts: BTreeMap<&str, BTreeSet<u8>> = BTreeMap::new();
    for (_, it) in all {
        firsts.entry(&it.judge).or_default().insert(it.first_side());
    }
    let varied = all.iter().filter(|(_, it)| firsts[&*it.judge].len() > 1);
    let decided =
        varied.filter_map(|(debate, it)| Some((*debate, it.leader()?? == it.first_side())));
    view.share(decided).or_none(
        "each judge always hears the same contestant named first: order and contestant cannot be separated",
    )
}

/// Why nothing is known of what the order of naming does.
const ONE_ORDER: &str = "no judge read a debate in both orders";

/// The readings of those who read a debate in both orders.
fn swapped<'c>(all: &[Weighed<'c>]) -> Vec<(usize, [&'c Reading; 2])> {
    let own = by_key(all.iter().map(|(debate, it)| ((*debate, &*it.judge), *it)));
    let both = own.into_iter().filter_map(|((debate, _), all)| {
        let (first, others) = all.split_first()?;
        let other = others.iter().find(|it| it.first_side() != first.first_side())?;
        Some((debate, [*first, *other]))
    });
    both.collect()
}

/// Whether a judge put one side ahead in one order and the other side in the other.
pub(in crate::stats) fn turned(facts: &Facts) -> bool {
    let mut ahead: BTreeMap<&str, u8> = BTreeMap::new();
    let mut told = facts.readings.iter().filter_map(|it| Some((&*it.judge, it.leader()??)));
    told.any(|(judge, leader)| *ahead.entry(judge).or_insert(leader) != leader)
}
