//! Debates worth reading first: the closest, the widest, the most disputed.

use std::cmp::Reverse;

use super::counted_debates::View;
use super::findings::{Example, Worth};
use crate::facts::Facts;
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
        let first = all.iter().take(EACH).cloned();
        first.map(move |example| Example { worth, ..example }).collect::<Vec<_>>()
    };
    all.sort_by(|a, b| a.margin.total_cmp(&b.margin));
    let mut found = first(&all, Worth::Closest);
    all.reverse();
    found.extend(first(&all, Worth::Widest));
    all.retain(|example| example.against > 0);
    all.sort_by_key(|e| (Reverse(e.against * 1000 / e.judges), e.debate));
    found.extend(first(&all, Worth::Disputed));
    found
}

fn example(debate: usize, facts: &Facts) -> Option<Example> {
    let (least, most) = facts.scale()?;
    let margins = margins(facts)?;
    let mean = margins.iter().sum::<f64>() / margins.len() as f64;
    let told = margins.iter().filter(|margin| **margin != 0.0);
    Some(Example {
        worth: Worth::Closest,
        debate,
        margin: mean.abs() / f64::from(most.checked_sub(least)?),
        against: told.clone().filter(|margin| **margin * mean < 0.0).count(),
        judges: told.count(),
    })
}

/// By how much each judge puts one side above the other.
fn margins(facts: &Facts) -> Option<Vec<f64>> {
    let told = by_key(facts.readings.iter().filter_map(|reading| {
        let sign = if reading.first_side() == 0 { 1.0 } else { -1.0 };
        Some((&*reading.judge, sign * reading.first_ahead()?))
    }));
    let mean = |own: &Vec<f64>| own.iter().sum::<f64>() / own.len() as f64;
    let means: Vec<f64> = told.values().map(mean).collect();
    (!means.is_empty()).then_some(means)
}
