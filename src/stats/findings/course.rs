//! How debates went: consensus, survival, speed, failures; and which are worth reading first.

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
    /// The share of weight behind the leading stance, over all roundtables that ended; those that stopped earlier keep their last one.
    pub leading: Estimate,
    /// How many held this round.
    pub held: usize,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// How long debaters lasted.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Survival {
    /// The curve after each round (Kaplan–Meier). At risk in the first are all stints, from coming in to being voted out, or to the end
    /// of the debate, which censors them.
    pub steps: Vec<Step>,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// A model's calls for one purpose.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Speed {
    /// The model.
    pub model: String,
    /// The purpose of the calls.
    pub purpose: Purpose,
    /// Calls with a reply whose tokens and time are known.
    pub calls: usize,
    /// Median tokens per reply.
    pub tokens_p50: f64,
    /// The 95th percentile.
    pub tokens_p95: f64,
    /// Median model time per call, in seconds.
    pub seconds_p50: f64,
    /// The 95th percentile.
    pub seconds_p95: f64,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// How a structured reply was read.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReadAs {
    /// The word for it, as in a trace's `read_as`.
    pub how: String,
    /// The number of replies.
    pub replies: usize,
    /// The debates in which it occurred.
    pub debates: Vec<usize>,
}

/// A kind of failure.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Failure {
    /// The kind of incident, or `failed debate`.
    pub kind: String,
    /// Number of occurrences.
    pub incidents: usize,
    /// The debates in which it occurred.
    pub debates: Vec<usize>,
}

/// Why a debate is worth reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Worth {
    /// Its margin is among the smallest.
    Closest,
    /// Its margin is among the widest, and it is no draw.
    Widest,
    /// Most of its judges contradict each other.
    Disputed,
}

/// A debate worth reading.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Example {
    /// The reason.
    pub worth: Worth,
    /// The debate's number in the report.
    pub debate: usize,
    /// The mean of its judges' margins, as a share of the scale. As in the verdict, that of a judge whose readings do not put the same
    /// contestant ahead is 0.
    pub margin: f64,
    /// The judges with the other contestant ahead; if the mean is 0, the fewer of the two sides.
    pub against: usize,
    /// The judges who have one ahead.
    pub judges: usize,
}
