//! What the clerk notes of an exchange: the sheet on which debaters keep track of arguments, their flow.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TokenCount;

/// The clerk's notes on an exchange: what was said since the last notes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Notes {
    /// The round in which the exchange ended; 0 outside of rounds.
    pub round: u32,
    /// How the exchange went, in two sentences; of first sentences where no clerk's reply is behind the notes.
    pub summary: String,
    /// The notes on each statement, in order.
    pub statements: Vec<StatementNotes>,
    /// Whether a clerk's reply is behind them; if not, claims are first sentences, and there are no points but those that
    /// statements were given as.
    pub by_clerk: bool,
    /// What its reader had to do to make sense of the clerk's reply, by word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_as: Vec<String>,
    /// The tokens of the clerk's call.
    pub usage: TokenCount,
}

/// What the clerk notes of one statement. Ids are the flow's (row M7).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct StatementNotes {
    /// The statement's number.
    pub n: u32,
    /// Its main claim; its first sentence, in quotation marks, where no clerk's reply is behind the notes.
    pub claim: String,
    /// The arguments that are new in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<Point>,
    /// What it does about points and questions that stood before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Move>,
    /// The question that it puts to somebody, as it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Point>,
    /// Moves in the clerk's reply that cannot be, such as an answer to a point that was made later: left out.
    #[serde(default, skip_serializing_if = "is_none")]
    pub impossible: u32,
    /// Whether the clerk noted as many moves as it may: there may have been more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_full: bool,
}

/// An argument or a question, under its id.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// A letter per side and a number, such as `B2`; of questions `Q3`.
    pub id: String,
    /// The argument in the clerk's words; a question in the speaker's.
    pub text: String,
}

/// What a statement does about a point or a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Move {
    /// The point's or the question's id.
    pub at: String,
    /// What it does.
    pub how: How,
    /// The own point that it answers with, where it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
}

/// What can be done about a point: another side answers or concedes it, its own repeats, withdraws, defends or
/// upholds it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It is answered as a whole.
    Full,
    /// A part of it is answered.
    Partial,
    /// It is granted.
    Conceded,
    /// It is said again without anything added.
    Repeated,
    /// It is given up.
    Withdrawn,
    /// It is defended against what was answered: a full answer of before counts as one to a part of it.
    Defended,
    /// Its own side has read what was answered and says that the point is still open.
    Upheld,
}

impl How {
    /// Whether it is done by the side that made the point.
    pub fn is_own(self) -> bool {
        matches!(
            self,
            How::Repeated | How::Withdrawn | How::Defended | How::Upheld
        )
    }
}

fn is_none(count: &u32) -> bool {
    *count == 0
}
