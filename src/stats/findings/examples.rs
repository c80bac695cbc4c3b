//! Debates worth reading first.

use schemars::JsonSchema;
use serde::Serialize;

/// Why a debate is worth reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Worth {
    /// Its margin is among the smallest.
    Closest,
    /// Its margin is among the widest.
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
    /// The mean difference between the two contestants' totals over the judges, as a share of the scale.
    pub margin: f64,
    /// The judges who put the other contestant ahead.
    pub against: usize,
    /// The judges with a decision.
    pub judges: usize,
}
