//! Numbers by groups of debates.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::counts::Counts;
use statistics::estimate::Estimate;

/// Numbers by groups.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Breakdown {
    /// What was grouped by; empty for all debates together.
    pub by: Vec<String>,
    /// The groups, in order of their names.
    pub groups: Vec<Group>,
}

/// The numbers of a group.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Group {
    /// What its debates share, in the order of the keys.
    pub key: Vec<String>,
    /// Its debates and how they went.
    pub counts: Counts,
    /// What was measured; what its formats lack is left out.
    pub measures: Vec<Measure>,
    /// Incidents by kind.
    pub incidents: BTreeMap<String, usize>,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// A number of a group.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Measure {
    /// A name for machines: `win_rate`, `score.clarity`…
    pub name: String,
    /// A name for people.
    pub label: String,
    /// The format it belongs to, where it has no meaning across formats.
    pub format: Option<String>,
    /// What it counts.
    pub unit: Unit,
    /// The value and its uncertainty.
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// What a number counts; it decides how the number is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A part of a whole, from 0 to 1; shown in per cent.
    Share,
    /// A score on its format's scale; two decimals.
    Score,
    /// A count a debate; two decimals.
    Count,
    /// Tokens; no decimals.
    Tokens,
    /// Minutes; two decimals.
    Minutes,
    /// Seconds; one decimal.
    Seconds,
    /// Elo points; no decimals.
    Elo,
    /// Log-odds; two decimals.
    Logits,
    /// Points of a knockout; two decimals.
    Points,
    /// Krippendorff's alpha; three decimals.
    Alpha,
}
