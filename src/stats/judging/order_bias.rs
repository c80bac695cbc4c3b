//! Whether the contestant read first does better.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::event::hundredths;
use crate::facts::{Facts, Kind, Reading, Score};
use crate::stats::counted_debates::{View, numbers};
use crate::stats::findings::OrderBias;
use crate::stats::group::judge_of;
use statistics::estimate::Estimate;

/// Decided judgments of two contestants and the place that was read first.
struct OrderedJudgment<'c> {
    debate: usize,
    judge: &'c str,
    id: &'c str,
    first: u8,
    leader: Option<u8>,
    /// How far the one read first is ahead, in points of the total.
    ahead: f64,
}

fn read_in_order<'c>(view: &View<'c>, format: &str) -> Vec<OrderedJudgment<'c>> {
    let mut all = Vec::new();
    for (debate, facts) in view.ended(format) {
        for (number, reading) in facts.readings.iter().enumerate() {
            let totals = totals(facts, number).filter(|_| reading.kind == Kind::Verdict);
            all.extend(totals.map(|[first, second]| OrderedJudgment {
                debate,
                judge: judge_of(reading),
                id: &reading.judge,
                first: reading.order[0],
                leader: ahead(reading, [first, second]),
                ahead: first - second,
            }));
        }
    }
    all
}

pub(super) fn orders(view: &View<'_>, format: &str) -> Vec<OrderBias> {
    let read = read_in_order(view, format);
    if read.is_empty() {
        return Vec::new();
    }
    let models: BTreeSet<&str> = read.iter().map(|read| read.judge).collect();
    let each = models.iter().filter(|_| models.len() > 1).map(|model| Some(*model));
    std::iter::once(None).chain(each).map(|judge| order(view, format, &read, judge)).collect()
}

fn order(
    view: &View<'_>,
    format: &str,
    read: &[OrderedJudgment<'_>],
    judge: Option<&str>,
) -> OrderBias {
    let own: Vec<&OrderedJudgment<'_>> =
        read.iter().filter(|r| judge.is_none_or(|j| r.judge == j)).collect();
    OrderBias {
        format: format.to_owned(),
        judge: judge.map(str::to_owned),
        first_slot: first_slot(view, &own),
        consistent: consistent(view, &own),
        slot_effect: slot_effect(view, &own),
        debates: numbers(own.iter().map(|read| read.debate)),
    }
}

fn first_slot(view: &View<'_>, read: &[&OrderedJudgment<'_>]) -> Estimate {
    // A judge who always reads the same contestant first may prefer that one, wherever it stands.
    let mut firsts: BTreeMap<&str, BTreeSet<u8>> = BTreeMap::new();
    for read in read {
        firsts.entry(read.id).or_default().insert(read.first);
    }
    let varied = read.iter().filter(|read| firsts[read.id].len() > 1);
    let decided = varied.filter_map(|read| Some((read.debate, read.leader? == read.first)));
    view.share(decided).or_none(
        "each judge always reads the same contestant first: order and contestant cannot be separated",
    )
}

/// Why nothing is known of what the order of reading does.
const ONE_ORDER: &str = "no judge read a debate in both orders";

/// Whether a judge who read a debate in both orders decided alike.
fn consistent(view: &View<'_>, read: &[&OrderedJudgment<'_>]) -> Estimate {
    let alike = swapped(read).map(|[a, b]| (a.debate, a.leader == b.leader));
    view.share(alike).or_none(ONE_ORDER)
}

/// What being read first is worth: half of what a side gains by it.
fn slot_effect(view: &View<'_>, read: &[&OrderedJudgment<'_>]) -> Estimate {
    let gains = swapped(read).map(|[a, b]| (a.debate, f64::midpoint(a.ahead, b.ahead)));
    view.mean(gains).or_none(ONE_ORDER)
}

/// The judgments of those who read a debate in both orders.
fn swapped<'r, 'c>(
    read: &[&'r OrderedJudgment<'c>],
) -> impl Iterator<Item = [&'r OrderedJudgment<'c>; 2]> {
    let mut both: BTreeMap<(usize, &str), Vec<&OrderedJudgment<'_>>> = BTreeMap::new();
    for read in read {
        both.entry((read.debate, read.id)).or_default().push(read);
    }
    both.into_values().filter_map(|all| {
        let each = all.iter().enumerate();
        each.into_iter()
            .find_map(|(i, a)| Some([*a, *all[i + 1..].iter().find(|b| b.first != a.first)?]))
    })
}

/// Whether a judge put one side ahead in one reading order and the other side in the other.
pub(in crate::stats) fn turned(facts: &Facts) -> bool {
    let mut ahead: BTreeMap<&str, u8> = BTreeMap::new();
    let verdicts =
        facts.readings.iter().enumerate().filter(|(_, reading)| reading.kind == Kind::Verdict);
    verdicts
        .filter_map(|(number, reading)| Some((&*reading.judge, leader(facts, number)??)))
        .any(|(judge, leader)| *ahead.entry(judge).or_insert(leader) != leader)
}

/// Whom a judgment of two contestants has ahead: `Some(None)` for neither, `None` without such a judgment.
pub(super) fn leader(facts: &Facts, reading: usize) -> Option<Option<u8>> {
    let totals = totals(facts, reading)?;
    Some(ahead(&facts.readings[reading], totals))
}

/// The totals of the two contestants of a judgment, in the order in which they were read.
fn totals(facts: &Facts, reading: usize) -> Option<[f64; 2]> {
    let [a, b] = &*facts.readings.get(reading)?.order else {
        return None;
    };
    let total = |place: u8| {
        let of = |s: &&Score| usize::from(s.reading) == reading && s.about == place;
        facts.totals().find(of).map(|score| score.value)
    };
    Some([total(*a)?, total(*b)?])
}

/// Who has the higher total of the two read. Totals are compared at two decimals, as winners are (row O1).
fn ahead(reading: &Reading, totals: [f64; 2]) -> Option<u8> {
    let [first, second] = totals.map(hundredths);
    match first.cmp(&second) {
        Ordering::Greater => Some(reading.order[0]),
        Ordering::Less => Some(reading.order[1]),
        Ordering::Equal => None,
    }
}
