//! `arms:` and `match:`: the controls of a job, and how they are matched to its debates (row C3).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::settings_macro::settings;
use super::shape::{choice, number, whole};

/// The path of a cell's arm, which is no key of a job.
pub(super) const ARM: &str = "arm";

/// A kind of control run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arm {
    /// Who answers for the debate answers alone, once.
    Single,
    /// The same, as often as the debate's tokens allow; the most frequent answer counts.
    SelfConsistency,
    /// Those who argue in the debate answer alone in turn, as often as its tokens allow.
    Vote,
    /// One argues for an assigned choice, and the debate's judges answer.
    Consultancy,
    /// The writer of the debate's answer writes one alone and revises it, as long as its tokens allow; a panel compares the two.
    Compare,
}

impl Arm {
    /// Its name in jobs and traces.
    pub fn name(self) -> &'static str {
        match self {
            Arm::Single => "single",
            Arm::SelfConsistency => "self_consistency",
            Arm::Vote => "vote",
            Arm::Consultancy => "consultancy",
            Arm::Compare => "compare",
        }
    }

    /// Whether it takes as many tokens as its debates.
    pub fn is_matched(self) -> bool {
        matches!(self, Arm::SelfConsistency | Arm::Vote | Arm::Compare)
    }

    /// Whether it is for topics without known answers; the others are for questions with one.
    pub fn is_for_open_topics(self) -> bool {
        self == Arm::Compare
    }
}

/// Which tokens are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenMeasure {
    /// Tokens of replies.
    Generated,
    /// Tokens of prompts and replies.
    Total,
}

settings! {
    /// How controls are matched to their debates.
    pub struct Matching {
        /// Tokens to count, in the calls that an answer depends on: generated (replies) or total (prompts and replies)
        measure: TokenMeasure = TokenMeasure::Generated, choice::<TokenMeasure>();
        /// Maximum deviation of the mean token ratio from 1 for a control to count as matched
        within: f64 = 0.1, number(0.001..=1.0);
        /// Maximum samples per control; of compare, drafts
        max_samples: u32 = 64, whole(1..=1000);
    }
}
