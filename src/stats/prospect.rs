//! What differences between models a number of topics would find, by debates that there are already.

use std::collections::BTreeSet;

use super::compare;
use super::duel::Duels;
use super::findings::Unit;
use super::key::Key;
use super::planned;
use super::read::Corpus;
use super::view::View;
use crate::facts::Facts;
use statistics::bradley_terry::ELO;
use statistics::paired::{ALPHA, clusters_needed, detectable_by};

/// Log-odds per unit of the expected score, for equals: the derivative of the logit at one half.
const LOGITS_PER_SHARE: f64 = 4.0;
/// The standard deviation of one debate's result between equals.
const SD_OF_RESULT: f64 = 0.5;

/// What would be found with 80% power between any two models, at the level that Holm's method demands of the smallest p; estimated from
/// the spread in earlier debates.
#[derive(Debug, Clone, PartialEq)]
pub struct Prospect {
    /// The earlier debates.
    pub debates: usize,
    /// Their topics.
    pub topics: usize,
    /// The difference that is found: in Elo, or in total score if they say nothing about strengths, as on fewer than ten topics.
    pub finds: Finds,
}

/// A difference that some topics find, and how many a chosen one takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Finds {
    /// Its unit: Elo or points of the total score.
    pub unit: Unit,
    /// The smallest difference.
    pub least: f64,
    /// The chosen difference, in words.
    pub planned: String,
    /// The topics that it takes; `None` if a million would not do.
    pub needed: Option<usize>,
}

/// Of a pair, the standard error of its difference and the topics that have it.
type Spread = (f64, usize);

/// What `topics` topics would find in debates like those that are picked; `None` if these say nothing of it.
pub fn prospect(
    corpus: &Corpus,
    picked: impl Fn(&Facts) -> bool,
    topics: usize,
) -> Option<Prospect> {
    let view = View::new(corpus, picked);
    let of_topics: BTreeSet<&str> = view.debates.iter().map(|facts| &*facts.topic).collect();
    Some(Prospect {
        debates: view.debates.len(),
        topics: of_topics.len(),
        finds: elo(&view, topics).or_else(|| score(&view, topics))?,
    })
}

fn elo(view: &View<'_>, topics: usize) -> Option<Finds> {
    let fit = Duels::new(view, &Key::Model)?.fitted(0);
    let leads = fit.leads.iter();
    let spreads: Vec<Spread> = leads
        .filter_map(|lead| Some((lead.se?, lead.clusters)))
        .collect();
    finds(
        &spreads,
        topics,
        (Unit::Elo, planned::elo()),
        planned::elo_in_words(),
    )
}

fn score(view: &View<'_>, topics: usize) -> Option<Finds> {
    let compared = compare::comparisons(view);
    let scale = compared.iter().find_map(|family| family.scale)?;
    let pairs = compared.iter().flat_map(|family| &family.pairs);
    let estimates = pairs.map(|pair| &pair.found.estimate);
    let spreads: Vec<Spread> = estimates
        .filter_map(|it| Some((it.se?, it.clusters)))
        .collect();
    let planned = (Unit::Score, planned::score(scale));
    finds(&spreads, topics, planned, planned::score_in_words(scale))
}

/// What is found between the two models that differ most from topic to topic.
fn finds(
    spreads: &[Spread],
    topics: usize,
    (unit, planned): (Unit, f64),
    in_words: String,
) -> Option<Finds> {
    // The level for the smallest p of a family.
    let level = ALPHA / spreads.len().max(1) as f64;
    let least = spreads.iter();
    let least = least.filter_map(|(se, clusters)| detectable_by(topics, *clusters, *se, level));
    let needed = spreads.iter();
    let needed: Option<Vec<usize>> = needed
        .map(|(se, clusters)| clusters_needed(*clusters, *se, planned, level))
        .collect();
    Some(Finds {
        unit,
        least: least.reduce(f64::max)?,
        planned: in_words,
        needed: needed.and_then(|needed| needed.into_iter().max()),
    })
}

impl Finds {
    /// What that many topics find in debates between equals that are independent: `debates` between each two models, `pairs` of models.
    pub fn by_number(topics: usize, debates: usize, pairs: usize) -> Option<Self> {
        let of_share = SD_OF_RESULT / (debates as f64).sqrt();
        let spread = (of_share * LOGITS_PER_SHARE * ELO, topics);
        let spreads = vec![spread; pairs];
        let planned = (Unit::Elo, planned::elo());
        finds(&spreads, topics, planned, planned::elo_in_words())
    }
}
