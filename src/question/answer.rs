//! An answer that was given, and what was read of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an answer says.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum GivenAnswer {
    /// A choice, counted from 0 in the order of the file.
    Choice(usize),
    /// A number: a decimal, or a fraction such as `1/3`.
    Number(String),
    /// A text.
    Text(String),
}

/// Whether an answer can be graded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerStatus {
    /// It says one thing that the question allows.
    Valid,
    /// It says none, or several.
    Invalid,
    /// There was no reply.
    #[default]
    Missing,
}

/// How an answer was found in a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The reply had the shape that was asked for.
    Schema,
    /// By its words.
    Pattern,
}

/// One answer to the question of a debate.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Answered {
    /// Who answered: a participant's id; `debate` where several answers were counted.
    pub by: String,
    /// The call that gave it; `null` where several were counted.
    pub call: Option<String>,
    /// When: `final`, or `sample` for one of the answers that are counted.
    pub stage: String,
    /// The round, where it was given in one.
    pub round: Option<u32>,
    /// Which of the samples it is, from 1.
    pub sample: Option<u32>,
    /// The words of the answer.
    pub raw: Option<String>,
    /// What they say; `null` unless it is valid.
    pub value: Option<GivenAnswer>,
    /// How that was found; `null` where nothing was.
    pub method: Option<Method>,
    /// Whether it can be graded.
    pub status: AnswerStatus,
    /// Whether it is correct; what is not valid is not.
    pub correct: bool,
    /// Whether lot decided between answers that were given equally often.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tied: bool,
}
