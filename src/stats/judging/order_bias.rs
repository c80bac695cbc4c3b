//! Whether the contestant read first does better.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::{Facts, Kind, Score};
use crate::stats::findings::OrderBias;
use crate::stats::group::judge_of;
use crate::stats::view::{View, numbers};
use statistics::estimate::Estimate;

/// Decided judgments of two contestants and the place that was read first.
struct OrderedJudgment<'c> {
    debate: usize,
    judge: &'c str,
    id: &'c str,
    first: u8,
    leader: Option<u8>,
}

fn read_in_order<'c>(view: &View<'c>, format: &str) -> Vec<OrderedJudgment<'c>> {
    let mut all = Vec::new();
    for (debate, facts) in view.ended(format) {
        for (number, reading) in facts.readings.iter().enumerate() {
            if let Some(leader) = leader(facts, number).filter(|_| reading.kind == Kind::Verdict) {
                all.push(OrderedJudgment {
                    debate,
                    judge: judge_of(reading),
                    id: &reading.judge,
                    first: reading.order[0],
                    leader,
                });
            }
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
    let each = models
        .iter()
        .filter(|_| models.len() > 1)
        .map(|model| Some(*model));
    std::iter::once(None)
        .chain(each)
        .map(|judge| order(view, format, &read, judge))
        .collect()
}

fn order(
    view: &View<'_>,
    format: &str,
    read: &[OrderedJudgment<'_>],
    judge: Option<&str>,
) -> OrderBias {
    let own: Vec<&OrderedJudgment<'_>> = read
        .iter()
        .filter(|r| judge.is_none_or(|j| r.judge == j))
        .collect();
    OrderBias {
        format: format.to_owned(),
        judge: judge.map(str::to_owned),
        first_slot: first_slot(view, &own),
        consistent: consistent(view, &own),
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

/// Whether a judge who read a debate in both orders decided alike.
fn consistent(view: &View<'_>, read: &[&OrderedJudgment<'_>]) -> Estimate {
    let mut both: BTreeMap<(usize, &str), Vec<&OrderedJudgment<'_>>> = BTreeMap::new();
    for read in read {
        both.entry((read.debate, read.id)).or_default().push(read);
    }
    let pair = |((debate, _), all): (&(usize, &str), &Vec<&OrderedJudgment<'_>>)| {
        let (a, b) = all
            .iter()
            .enumerate()
            .find_map(|(i, a)| Some((a, all[i + 1..].iter().find(|b| b.first != a.first)?)))?;
        Some((*debate, a.leader == b.leader))
    };
    view.share(both.iter().filter_map(pair))
        .or_none("no judge read a debate in both orders")
}

/// Whom a judgment of two contestants has ahead: `Some(None)` for neither, `None` without such a judgment. Totals are
/// compared at two decimals, as winners are (row O1).
pub(super) fn leader(facts: &Facts, reading: usize) -> Option<Option<u8>> {
    let judgment = facts.readings.get(reading)?;
    let total = |place: u8| {
        let of = |s: &&Score| usize::from(s.reading) == reading && s.about == place;
        let own = facts.totals().find(of);
        own.map(|score| (score.value * 100.0).round())
    };
    let [a, b] = &*judgment.order else {
        return None;
    };
    let (first, second) = (total(*a)?, total(*b)?);
    Some(match first.total_cmp(&second) {
        std::cmp::Ordering::Greater => Some(*a),
        std::cmp::Ordering::Less => Some(*b),
        std::cmp::Ordering::Equal => None,
    })
}
