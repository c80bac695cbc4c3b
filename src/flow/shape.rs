//! The flow as data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::How;

/// The flow of a debate, or of as much of it as was noted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Flow {
    /// The arguments, in the order in which they were made.
    pub points: Vec<FlowPoint>,
    /// What was done about them, in order.
    pub edges: Vec<Edge>,
    /// The questions that were put to somebody.
    pub questions: Vec<FlowQuestion>,
    /// Noted moves that cannot be and were left out.
    pub impossible: u32,
}

/// An argument.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FlowPoint {
    /// A letter per side and a number, such as `B2`.
    pub id: String,
    /// The side whose case it makes: a participant's id, or a team's role.
    pub side: String,
    /// The participant who made it.
    pub by: String,
    /// The number of the statement that made it.
    pub statement: u32,
    /// The argument in the clerk's words.
    pub text: String,
    /// How it stands.
    pub status: PointStatus,
    /// Whether anyone on another side spoke with it on the record.
    pub faced: bool,
}

/// How an argument stands, the first that applies.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PointStatus {
    /// Its own side gave it up.
    Withdrawn,
    /// Another side granted it, and its own did not say afterwards that it is still open.
    Conceded,
    /// Another side answered it as a whole, with nothing or with a point that was not answered as a whole itself.
    Answered,
    /// Another side answered a part of it, or all of it, and its own side defended it afterwards.
    PartlyAnswered,
    /// Others spoke with it on the record, nobody answered, and the debate is over.
    Dropped,
    /// The debate is over, and nobody could answer it, or every answer to it was itself answered.
    Standing,
    /// It is unanswered, and the debate goes on.
    #[default]
    Open,
}

/// Something that was done about an argument or a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Edge {
    /// The number of the statement that did it.
    pub statement: u32,
    /// The participant who did it.
    pub by: String,
    /// The id of the point or question.
    pub at: String,
    /// What was done.
    pub how: How,
    /// The own point it was done with, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
}

/// A question that was put to somebody.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FlowQuestion {
    /// Its id, such as `Q1`.
    pub id: String,
    /// The side that put it.
    pub side: String,
    /// The participant who put it.
    pub by: String,
    /// The number of the statement that put it.
    pub statement: u32,
    /// The question as it was said.
    pub text: String,
    /// The number of the statement that answered it, at least in part.
    pub answered_in: Option<u32>,
}

impl Flow {
    /// A point.
    pub fn point(&self, id: &str) -> Option<&FlowPoint> {
        self.points.iter().find(|point| point.id == id)
    }

    /// What was done about a point or a question, in order.
    pub fn about<'f>(&'f self, id: &'f str) -> impl DoubleEndedIterator<Item = &'f Edge> {
        self.edges.iter().filter(move |edge| edge.at == id)
    }

    /// Whether nothing was noted.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty() && self.questions.is_empty()
    }
}

impl PointStatus {
    /// Whether another side has still to answer it.
    pub fn is_unanswered(self) -> bool {
        matches!(self, Self::Open | Self::Dropped | Self::Standing)
    }

    /// The words for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Withdrawn => "withdrawn",
            Self::Conceded => "conceded",
            Self::Answered => "answered",
            Self::PartlyAnswered => "partly answered",
            Self::Dropped => "dropped",
            Self::Standing => "standing",
            Self::Open => "open",
        }
    }
}

/// A statement of somebody who argues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its number.
    pub n: u32,
    /// The speaker's id.
    pub by: String,
    /// The speaker's side.
    pub side: String,
    /// The number of the last statement that stood on the record it was asked for with.
    pub saw: u32,
}
