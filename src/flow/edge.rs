//! A move as the flow has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::How;

/// A move on an argument, a question or a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Edge {
    /// The number of the statement.
    pub statement: u32,
    /// The participant.
    pub by: String,
    /// The id of the point, question or position.
    pub at: String,
    /// The move.
    pub how: How,
    /// The participant's own point used for it, if any; the narrower one, if it narrows something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
}
