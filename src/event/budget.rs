//! The tokens to which a control run is matched.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::job::TokenMeasure;

/// What the debates took that a control run is matched to: a value from outside, kept in its journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Allotted {
    /// The debates, by id.
    #[serde(rename = "match")]
    pub debates: Vec<String>,
    /// The digests of their records.
    pub records: Vec<String>,
    /// The tokens counted, in the calls that the answer depends on.
    pub measure: TokenMeasure,
    /// Tokens allotted: the mean over the debates.
    pub tokens: u64,
}

/// The budget and the spending of a control run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Budget {
    /// What it was allotted.
    #[serde(flatten)]
    pub allotted: Allotted,
    /// Tokens spent, measured in the same way.
    pub spent: u64,
    /// Spent divided by allotted.
    pub ratio: f64,
    /// Maximum deviation of the ratio from 1 to count as matched.
    pub within: f64,
    /// Samples taken.
    pub samples: u32,
}
