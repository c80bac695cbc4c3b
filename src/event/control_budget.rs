//! The tokens to which a control run is matched.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::model_card::ModelCard;
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
    /// The debate's answer, for a control whose answer is compared with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<DebateAnswer>,
}

/// Who is named as the author of that answer.
pub const DEBATE: &str = "debate";

/// The answer of a debate that a control's answer is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DebateAnswer {
    /// The text; empty where it is among the statements.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The names of those who took part in the debate, which judges do not see.
    pub names: Vec<String>,
    /// The models that spoke in the debate.
    pub models: Vec<ModelCard>,
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
