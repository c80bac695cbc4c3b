//! A move as the flow has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::How;

/// A move on an argument or a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Edge {
    /// The number of the statement.
    pub statement: u32,
    /// The participant.
    pub by: String,
    /// The id of the point or question.
    pub at: String,
    /// The move.
    pub how: How,
    /// The participant's own point used for it, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
}
