//! What differences between models a number of topics would find, by debates that there are already.

use std::collections::BTreeSet;

use super::compare;
use super::duel::Duels;
use super::key::Key;
use super::read::Corpus;
use super::view::View;
use crate::facts::Facts;
use statistics::paired::{ALPHA, detectable_by};

/// The smallest differences that would be found with 80% power, between any two models, at the level that Holm's method demands of the smallest
/// p; estimated from the spread in earlier debates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prospect {
    /// The earlier debates.
    pub debates: usize,
    /// Their topics.
    pub topics: usize,
    /// The difference in total score; `None` if they say nothing about it.
    pub score: Option<f64>,
    /// The lead in Elo; `None` if they say nothing about it, as on fewer than ten topics.
    pub elo: Option<f64>,
}

/// What `topics` topics would find in debates like those that are picked; `None` without any.
pub fn prospect(
    corpus: &Corpus,
    picked: impl Fn(&Facts) -> bool,
    topics: usize,
) -> Option<Prospect> {
    let view = View::new(corpus, picked);
    let of_topics: BTreeSet<&str> = view.debates.iter().map(|facts| &*facts.topic).collect();
    (!view.debates.is_empty()).then(|| Prospect {
        debates: view.debates.len(),
        topics: of_topics.len(),
        score: score(&view, topics),
        elo: elo(&view, topics),
    })
}

fn score(view: &View<'_>, topics: usize) -> Option<f64> {
    let compared = compare::comparisons(view);
    let pairs = compared.iter().flat_map(|family| &family.pairs);
    let errors = pairs.map(|pair| &pair.found.estimate);
    least(errors.filter_map(|it| Some((it.se?, it.clusters))), topics)
}

fn elo(view: &View<'_>, topics: usize) -> Option<f64> {
    let fit = Duels::new(view, &Key::Model)?.fitted(0);
    let leads = fit.leads.iter();
    least(
        leads.filter_map(|lead| Some((lead.se?, lead.clusters))),
        topics,
    )
}

/// What is found between the two models that differ most from topic to topic; of each pair a standard error and the topics that have it.
fn least(errors: impl Iterator<Item = (f64, usize)>, topics: usize) -> Option<f64> {
    let errors: Vec<(f64, usize)> = errors.collect();
    // The level for the smallest p of a family.
    let level = ALPHA / errors.len().max(1) as f64;
    let each = errors.iter();
    let each = each.filter_map(|(se, clusters)| detectable_by(topics, *clusters, *se, level));
    each.reduce(f64::max)
}
