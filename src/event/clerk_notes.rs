//! The clerk's notes on an exchange: the flow, the sheet on which debaters keep track of arguments.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TokenCount;

/// The clerk's notes on an exchange: all statements since the last notes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Notes {
    /// The round in which the exchange ended; 0 outside rounds.
    pub round: u32,
    /// A two-sentence summary of the exchange; made of first sentences if there is no reply by the clerk.
    pub summary: String,
    /// The notes on each statement, in order.
    pub statements: Vec<StatementNotes>,
    /// Whether they come from a reply by the clerk; if not, claims are first sentences, and the only points are those of
    /// statements made as points.
    pub by_clerk: bool,
    /// How the clerk's reply had to be read, as keywords.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_as: Vec<String>,
    /// The tokens of the clerk's call.
    pub usage: TokenCount,
}

/// The clerk's notes on a statement. Ids are those of the flow (row M7).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct StatementNotes {
    /// The statement's number.
    pub n: u32,
    /// Its main claim; its first sentence, in quotation marks, if there is no reply by the clerk.
    pub claim: String,
    /// New arguments in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<Point>,
    /// Its moves on earlier points and questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Move>,
    /// The question that it asks someone, verbatim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Point>,
    /// Number of entries in the clerk's reply that could not be used: unreadable ones, and impossible moves, such as an answer
    /// to a later point.
    #[serde(default, skip_serializing_if = "is_none")]
    pub impossible: u32,
    /// These entries, with the causes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unusable: Vec<UnusableEntry>,
    /// Whether the clerk used all the room for moves on earlier points, so that some may be missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_full: bool,
}

/// An entry in the clerk's reply that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnusableEntry {
    /// The entry, as the clerk wrote it.
    pub text: String,
    /// The cause.
    pub cause: String,
}

/// An argument or a question, with its id.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// The letter of the side and a number, such as `B2`; for questions `Q3`.
    pub id: String,
    /// An argument in the clerk's words; a question in the speaker's words.
    pub text: String,
}

/// What a statement does with a point, a question or a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Move {
    /// The point's or the question's id; of a side's position, its letter and 0, such as `B0`.
    pub at: String,
    /// The move.
    pub how: How,
    /// The speaker's own point used in the answer, if named; of what was withdrawn, the narrower point that took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
}

/// Moves on a point: another side answers or concedes it; its own side repeats, withdraws, defends or
/// upholds it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It is fully answered.
    Full,
    /// It is partly answered.
    Partial,
    /// It is conceded.
    Conceded,
    /// It is repeated without anything new.
    Repeated,
    /// It is withdrawn.
    Withdrawn,
    /// It is defended against an answer: an earlier full answer then counts as a partial one.
    Defended,
    /// Its own side, having read the answer, says that the point is still open.
    Upheld,
}

impl How {
    /// Whether it is done by the side that made the point.
    pub fn is_own(self) -> bool {
        matches!(self, How::Repeated | How::Withdrawn | How::Defended | How::Upheld)
    }

    /// Whether another side speaks against the point, in whole or in part.
    pub fn is_reply(self) -> bool {
        matches!(self, How::Full | How::Partial)
    }
}

fn is_none(count: &u32) -> bool {
    *count == 0
}
