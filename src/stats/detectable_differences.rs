//! What differences between models a number of topics would find, by debates that there are already.

use std::collections::BTreeSet;

use super::claim::LEAST_TOPICS;
use super::compare;
use super::confounding;
use super::counted_debates::View;
use super::judging;
use super::key::Key;
use super::pairwise::PairwiseDebates;
use super::planned::Planned;
use super::read::Corpus;
use crate::facts::Facts;
use statistics::bradley_terry::Lead;
use statistics::paired::{ALPHA, Spread};

/// What would be found with 80% power between any two models, at the level that Holm's method demands of the smallest p; estimated from
/// the spread in earlier debates.
#[derive(Debug, Clone, PartialEq)]
pub struct Prospect {
    /// The earlier debates.
    pub debates: usize,
    /// Their topics.
    pub topics: usize,
    /// The difference that is found: in Elo, or in total score if they say nothing about strengths, as on fewer than ten topics or
    /// if judges turn with the order.
    pub finds: Finds,
}

/// A difference that some topics find, and how many a chosen one takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Finds {
    /// The smallest difference, in the unit of the chosen one.
    pub least: f64,
    /// The chosen difference.
    pub planned: Planned,
    /// The topics that it takes; `None` if a million would not do.
    pub needed: Option<usize>,
}

/// How much a job plans.
#[derive(Debug, Clone, PartialEq)]
pub struct Extent {
    /// Its topics.
    pub topics: usize,
    /// The standard errors in Elo of the differences of each two models that it links, if debates are independent and between equals.
    pub errors: Vec<f64>,
}

/// Why earlier debates say nothing of what others would find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// There are none.
    Absent,
    /// So many do not compare models, because of this.
    Confounded(usize, String),
    /// So many say too little, as on few topics.
    Scarce(usize),
}

/// What a job of this extent would find in debates like those that are picked, or why these say nothing of it.
pub fn prospect(
    corpus: &Corpus,
    picked: impl Fn(&Facts) -> bool,
    extent: &Extent,
) -> Result<Prospect, Unusable> {
    let view = View::new(corpus, picked);
    let debates = view.debates.len();
    if debates == 0 {
        return Err(Unusable::Absent);
    }
    let of_topics: BTreeSet<&str> = view.debates.iter().map(|facts| &*facts.topic).collect();
    let duels = PairwiseDebates::new(&view, &Key::Model);
    // As in the report: draws that judges leave by turning narrow the intervals of strength.
    let telling = duels.as_ref().filter(|_| !judging::leave_draws(&view));
    let elo = telling.and_then(|duels| elo(duels, extent));
    let confounded = || duels.as_ref()?.confounded.first();
    Ok(Prospect {
        debates,
        topics: of_topics.len(),
        finds: elo.or_else(|| score(&view, extent)).ok_or_else(|| match confounded() {
            Some(found) => Unusable::Confounded(debates, confounding::clause(found)),
            None => Unusable::Scarce(debates),
        })?,
    })
}

fn elo(duels: &PairwiseDebates<'_, '_>, extent: &Extent) -> Option<Finds> {
    let fit = duels.fitted(0);
    let spreads: Vec<Spread> = fit.leads.iter().filter_map(Lead::spread).collect();
    extent.finds(&spreads, Planned::elo())
}

fn score(view: &View<'_>, extent: &Extent) -> Option<Finds> {
    let compared = compare::comparisons(view);
    let scale = compared.iter().find_map(|family| family.scale)?;
    let pairs = compared.iter().flat_map(|family| &family.pairs);
    let spreads: Vec<Spread> = pairs
        .filter_map(|pair| Spread::new(&pair.found.estimate))
        .filter(|it| it.clusters >= LEAST_TOPICS)
        .collect();
    extent.finds(&spreads, Planned::score(scale))
}

impl Extent {
    /// What is found in debates that are independent and between equals.
    pub fn if_independent(&self) -> Option<Finds> {
        let spread =
            |se: &f64| Spread { clusters: self.topics, se: *se, df: self.topics as f64 - 1.0 };
        let spreads: Vec<Spread> = self.errors.iter().map(spread).collect();
        self.finds(&spreads, Planned::elo())
    }

    /// What is found between the two models that differ most from topic to topic.
    fn finds(&self, spreads: &[Spread], planned: Planned) -> Option<Finds> {
        // Holm's level for the smallest p of all pairs: debates may not have met all yet that are planned.
        let level = ALPHA / spreads.len().max(self.errors.len()).max(1) as f64;
        let least = spreads
            .iter()
            .filter_map(|spread| spread.detectable_by(self.topics, level))
            .reduce(f64::max)?;
        let needed: Option<Vec<usize>> = spreads
            .iter()
            .map(|spread| spread.clusters_needed(planned.difference(), level))
            .collect();
        Some(Finds { least, planned, needed: needed.and_then(|needed| needed.into_iter().max()) })
    }
}
