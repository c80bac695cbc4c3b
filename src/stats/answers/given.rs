//! An answer, with the data that statistics need.

use crate::facts::{AnswerFacts, Facts};
use crate::question::AnswerStatus;
use statistics::estimate::Observation;

/// An answer with its debate's place and cluster.
pub(super) struct Given<'c> {
    pub(super) place: usize,
    pub(super) facts: &'c Facts,
    pub(super) answer: &'c AnswerFacts,
    pub(super) cluster: usize,
    /// Whether a debate that it is matched to says something else by now.
    pub(super) is_stale: bool,
}

impl Given<'_> {
    pub(super) fn is_missing(&self) -> bool {
        self.answer.status == AnswerStatus::Missing
    }

    pub(super) fn observed(&self, holds: bool) -> Observation {
        Observation { cluster: self.cluster, value: f64::from(holds) }
    }

    /// The tokens that it took.
    pub(super) fn spent(&self) -> Observation {
        Observation { cluster: self.cluster, value: self.answer.tokens as f64 }
    }
}
