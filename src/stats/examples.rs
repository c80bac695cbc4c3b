//! Debates worth reading first: the closest, the widest, the most disputed.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::counted_debates::View;
use super::findings::{Example, Worth};
use crate::facts::{Facts, Reading, Winner};
use statistics::groups::by_key;

/// Debates of each kind.
const EACH: usize = 3;
/// With fewer judged debates all would be examples.
const LEAST: usize = 3 * EACH;

/// The examples of debates between two sides that judges weighed; of each kind the first first.
pub(super) fn examples(view: &View<'_>) -> Vec<Example> {
    let judged = view.all().filter(|(_, facts)| facts.comparable());
    let mut all: Vec<Example> =
        judged.filter_map(|(debate, facts)| example(debate + 1, facts)).collect();
    if all.len() < LEAST {
        return Vec::new();
    }
    let first = |all: &[Example], worth| {
        let first = on_several_topics(view, all);
        first.map(move |example| Example { worth, ..example.clone() }).collect::<Vec<_>>()
    };
    all.sort_by(|a, b| a.margin.total_cmp(&b.margin));
    let mut found = first(&all, Worth::Closest);
    all.reverse();
    let is_draw = |example: &Example| view.debates[example.debate - 1].winner == Some(Winner::Draw);
    let won: Vec<Example> = all.iter().filter(|it| !is_draw(it)).cloned().collect();
    found.extend(first(&won, Worth::Widest));
    all.retain(|example| example.against > 0);
    all.sort_by_key(|e| (Reverse(e.against * 1000 / e.judges), e.debate));
    found.extend(first(&all, Worth::Disputed));
    found
}

/// The first ones, those of a topic that another one has only where there are too few topics.
fn on_several_topics<'e>(view: &View<'_>, all: &'e [Example]) -> impl Iterator<Item = &'e Example> {
    let mut topics = HashSet::new();
    let is_new = |example: &&Example| topics.insert(view.cluster(example.debate - 1));
    let (new, again): (Vec<&Example>, Vec<&Example>) = all.iter().partition(is_new);
    new.into_iter().chain(again).take(EACH)
}

fn example(debate: usize, facts: &Facts) -> Option<Example> {
    let (least, most) = facts.scale()?;
    let margins = margins(facts)?;
    let mean = margins.iter().sum::<f64>() / margins.len() as f64;
    let ahead = |sign: f64| margins.iter().filter(|margin| **margin * sign > 0.0).count();
    let [first, second] = [1.0, -1.0].map(ahead);
    Some(Example {
        worth: Worth::Closest,
        debate,
        margin: mean.abs() / f64::from(most.checked_sub(least)?),
        against: match mean {
            mean if mean > 0.0 => second,
            mean if mean < 0.0 => first,
            _ => first.min(second),
        },
        judges: first + second,
    })
}

/// By how much each judge puts one side above the other, as verdicts count it: 0 if its readings do not put the same side ahead.
fn margins(facts: &Facts) -> Option<Vec<f64>> {
    let weighed = facts.readings.iter().filter(|reading| reading.totals.is_some());
    let by_judge = by_key(weighed.map(|reading| (&*reading.judge, reading)));
    let margins: Vec<f64> = by_judge.values().map(|own| margin(own)).collect();
    (!margins.is_empty()).then_some(margins)
}

fn margin(own: &[&Reading]) -> f64 {
    let is_decided = own.iter().all(|reading| reading.leader() == own[0].leader());
    let ahead = own.iter().filter(|_| is_decided).filter_map(|reading| {
        let sign = if reading.first_side() == 0 { 1.0 } else { -1.0 };
        Some(sign * reading.first_ahead()?)
    });
    ahead.sum::<f64>() / own.len() as f64
}
