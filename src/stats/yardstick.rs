//! By what debates of a format were judged, where not all were by the same.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Facts, Text};
use super::view::View;

/// So many jobs are named.
const NAMED: usize = 3;

/// The criteria that a debate was judged by, in order of their names, and their scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Yardstick<'c> {
    criteria: &'c [Text],
    scale: Option<(u8, u8)>,
}

impl<'c> Yardstick<'c> {
    pub(super) fn of(facts: &'c Facts) -> Self {
        Self {
            criteria: &facts.criteria,
            scale: facts.scale(),
        }
    }

    /// `clarity and relevance, 1 to 5`.
    fn words(&self) -> String {
        let names: Vec<String> = self
            .criteria
            .iter()
            .map(|name| name.replace('_', " "))
            .collect();
        let scale = self
            .scale
            .map(|(least, most)| format!(", {least} to {most}"));
        format!("{}{}", listed(&names), scale.unwrap_or_default())
    }
}

/// A sentence for each format whose means are over scores by different criteria, or on different scales.
pub(super) fn mixed(view: &View<'_>) -> Vec<String> {
    let formats = view.formats().into_iter();
    formats
        .filter_map(|format| of_format(view, format))
        .collect()
}

fn of_format(view: &View<'_>, format: &str) -> Option<String> {
    let mut jobs: BTreeMap<Yardstick<'_>, BTreeSet<&str>> = BTreeMap::new();
    let judged = view
        .ended(format)
        .filter(|(_, facts)| !facts.scores.is_empty());
    for (_, facts) in judged {
        jobs.entry(Yardstick::of(facts))
            .or_default()
            .insert(&facts.job);
    }
    let each = jobs
        .iter()
        .map(|(yardstick, jobs)| format!("{} ({})", named(jobs), yardstick.words()));
    let each: Vec<String> = each.collect();
    (each.len() > 1).then(|| {
        format!(
            "Means of {format} scores are over debates that were judged by different criteria or scales: {}. See --by job.",
            each.join("; ")
        )
    })
}

/// `job parks`, `jobs parks, trams, walks and 4 more`.
fn named(jobs: &BTreeSet<&str>) -> String {
    let mut names: Vec<String> = jobs
        .iter()
        .take(NAMED)
        .map(|job| (*job).to_owned())
        .collect();
    if jobs.len() > NAMED {
        names.push(format!("{} more", jobs.len() - NAMED));
    }
    let noun = if jobs.len() == 1 { "job" } else { "jobs" };
    format!("{noun} {}", listed(&names))
}

/// `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
