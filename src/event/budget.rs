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
    /// What is counted, of the calls on which the answer depends.
    pub measure: TokenMeasure,
    /// Tokens: the mean over the debates.
    pub tokens: u64,
}

/// What a control run was allotted, and what it spent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Budget {
    /// What it was allotted.
    #[serde(flatten)]
    pub allotted: Allotted,
    /// Tokens it spent, measured alike.
    pub spent: u64,
    /// Spent over allotted.
    pub ratio: f64,
    /// How far that may be from 1 for the two to count as matched.
    pub within: f64,
    /// Samples it took.
    pub samples: u32,
}
