//! How debates went: consensus, survival, speed, failures.

use schemars::JsonSchema;
use serde::Serialize;

use crate::facts::Purpose;
use statistics::estimate::Estimate;
use statistics::survival::Step;

/// One round of consensus.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ConsensusRound {
    /// The round.
    pub round: u32,
    /// The share of weight behind the leading stance, over debates.
    pub leading: Estimate,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// How long debaters stood.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Survival {
    /// Stands: from coming in to being voted out or to the end of the debate, which censors them.
    pub spells: usize,
    /// After each round (Kaplan–Meier).
    pub steps: Vec<Step>,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// Calls of a model for a purpose.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Speed {
    /// The model.
    pub model: String,
    /// What for.
    pub purpose: Purpose,
    /// Calls that were answered.
    pub calls: usize,
    /// Tokens of a reply: the median.
    pub tokens_p50: f64,
    /// The 95th percentile.
    pub tokens_p95: f64,
    /// Model time of a call in seconds: the median.
    pub seconds_p50: f64,
    /// The 95th percentile.
    pub seconds_p95: f64,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// Something that went wrong.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Failure {
    /// The kind of incident, or the cause of a failed debate.
    pub kind: String,
    /// How often.
    pub incidents: usize,
    /// The debates it happened in.
    pub debates: Vec<usize>,
}
