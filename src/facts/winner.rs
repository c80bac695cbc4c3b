//! The winner of a debate by place in `people`, as facts have it.

use serde::{Deserialize, Serialize};

/// Who won.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Winner {
    /// A contestant: a place in `people`.
    Person(u8),
    /// Nobody: the judges were even.
    Draw,
    /// The side that several argue for in turn.
    Team,
}
