//! The winner of a debate by id, as events and traces have it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who won, where someone could.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline, with = "String")]
pub enum Winner {
    /// Nobody: the judges were even.
    Draw,
    /// A participant or a team, by id.
    #[serde(untagged)]
    Side(String),
}

impl Winner {
    /// The winner's id; none on a draw.
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Draw => None,
            Self::Side(id) => Some(id),
        }
    }
}
