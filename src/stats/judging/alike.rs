//! Whom each judge of a debate has ahead, and how often two judges have the same side ahead.

use std::collections::BTreeMap;

use crate::facts::Facts;
use crate::stats::counted_debates::View;
use crate::stats::findings::{JudgePair, JudgesAlike};
use crate::stats::group::judge_of;

/// Which of two sides each judge has ahead, with the judge's model, by the judge's id. Who reads a debate twice and decides differently
/// has nobody ahead.
pub(super) fn leaders(facts: &Facts) -> BTreeMap<&str, (&str, Option<u8>)> {
    let mut judges: BTreeMap<&str, (&str, Option<u8>)> = BTreeMap::new();
    for reading in &facts.readings {
        if let Some(leader) = reading.leader() {
            let new = (judge_of(reading), leader);
            let (_, said) = judges.entry(&reading.judge).or_insert(new);
            *said = said.filter(|said| leader == Some(*said));
        }
    }
    judges
}

/// Each two models that judged debates of a format together.
pub(super) fn of_format(view: &View<'_>, format: &str) -> Vec<JudgesAlike> {
    let each =
        view.ended(format).map(|(debate, facts)| (debate, leaders(facts).into_values().collect()));
    let row = |pair| JudgesAlike { format: format.to_owned(), pair };
    pairs(view, each).into_iter().map(row).collect()
}

/// Each two models that judged together, with how often they said the same, from what each said by debate.
pub(in crate::stats) fn pairs<'c, V: PartialEq>(
    view: &View<'_>,
    each: impl Iterator<Item = (usize, Vec<(&'c str, V)>)>,
) -> Vec<JudgePair> {
    let mut all: BTreeMap<[&str; 2], Vec<(usize, bool)>> = BTreeMap::new();
    for (debate, mut said) in each {
        said.sort_by_key(|(judge, _)| *judge);
        for (n, (one, a)) in said.iter().enumerate() {
            let others = said[n + 1..].iter().filter(|(other, _)| other != one);
            for (other, b) in others {
                all.entry([one, other]).or_default().push((debate, a == b));
            }
        }
    }
    let row = |(judges, alike): ([&str; 2], Vec<(usize, bool)>)| JudgePair {
        judges: judges.map(str::to_owned),
        alike: view.share(alike.into_iter()),
    };
    all.into_iter().map(row).collect()
}
