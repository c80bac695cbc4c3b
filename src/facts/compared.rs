//! How a debate's final answer fared against another one.

use serde::Deserialize;
use serde_tuple::Serialize_tuple;

use crate::event::{AnswersCompared, BetterAnswer, Vote};

/// How judges compared a debate's final answer with its first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize_tuple, Deserialize)]
pub struct ComparedFacts {
    /// Whether they prefer the final one: 1, ½ or 0.
    pub gain: Option<f64>,
    /// The share of judges whose comparison changed with the order.
    pub flips: Option<f64>,
}

impl ComparedFacts {
    /// The gain of the second candidate, which is the final answer.
    pub(super) fn gain_of(ahead: Vote) -> f64 {
        f64::midpoint(1.0, -ahead.sign())
    }

    /// What people found, whose readings are in one order each.
    pub fn by_people(ahead: Vote) -> Self {
        Self { gain: Some(Self::gain_of(ahead)), flips: None }
    }

    /// Which candidate is ahead: the second is the final answer.
    pub fn ahead(self) -> Option<Vote> {
        Some(Vote::of(0.5 - self.gain?, 0.0))
    }
}

impl From<&AnswersCompared> for ComparedFacts {
    fn from(compared: &AnswersCompared) -> Self {
        Self { gain: compared.better.map(BetterAnswer::gain), flips: compared.flips() }
    }
}
