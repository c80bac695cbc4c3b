//! What is fitted, and how.

/// One of the two parties of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Party {
    /// The one called `a`.
    A,
    /// The one called `b`.
    B,
}

/// The outcome of a comparison for `a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// `a` won.
    Win,
    /// A draw.
    Draw,
    /// `b` won.
    Loss,
}

/// One comparison of two entities, which the caller numbers from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison {
    /// The cluster it belongs to.
    pub cluster: usize,
    /// The first entity.
    pub a: usize,
    /// Its opponent, possibly itself.
    pub b: usize,
    /// The outcome.
    pub outcome: Outcome,
    /// Who spoke first, if that is known.
    pub first: Option<Party>,
    /// Who is listed first, if that is known: the side.
    pub listed: Option<Party>,
}

/// What to fit, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Whether to fit the effect of speaking first.
    pub order: bool,
    /// Whether to fit the effect of being listed first.
    pub side: bool,
    /// The ridge for strengths without a finite best fit in a resample; above 0.
    pub ridge: f64,
    /// With fewer comparisons, an entity is not ranked and takes no part in [`Fit::lead`](super::Fit::lead).
    pub fewest: usize,
    /// The difference in Elo for which [`Lead::clusters_needed`](super::Lead::clusters_needed) is computed; chosen, since one that
    /// was found says nothing of what could have been found.
    pub planned: f64,
    /// The number of resamples behind the intervals.
    pub replicates: u64,
    /// The seed of the resampling.
    pub seed: u64,
}

impl Default for Options {
    /// Both effects, 1,000 resamples, clusters for 50 Elo, and a ridge that lets strengths spread by 3.2 logits, which are 550 Elo.
    fn default() -> Self {
        Self {
            order: true,
            side: true,
            ridge: 0.1,
            fewest: 1,
            planned: 50.0,
            replicates: 1000,
            seed: 0,
        }
    }
}
