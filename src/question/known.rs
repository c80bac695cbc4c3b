//! A question as in its file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::digest;

/// The kind of answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// One of its choices.
    Choice,
    /// A number, compared exactly.
    Number,
    /// A short text, compared without letter case, punctuation and articles.
    Text,
}

/// A file of questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionSet {
    /// The file's name without its extension.
    pub name: String,
    /// The SHA-256 of the file.
    pub digest: String,
}

/// The answer that counts as correct.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Expected {
    /// The correct choice, counted from 0 in the order of the file.
    pub choice: Option<usize>,
    /// The number or text, as written in the file.
    pub value: Option<String>,
    /// Other numbers or texts that count as correct.
    pub accept: Vec<String>,
    /// Maximum deviation of a number, as a number.
    pub tolerance: Option<String>,
}

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// Its id, unique in its file.
    pub id: String,
    /// Its file.
    pub set: QuestionSet,
    /// A key shared with related questions, for example on the same passage: statistics count a cluster as one observation.
    pub cluster: Option<String>,
    /// The kind of answer.
    pub kind: Kind,
    /// The question.
    pub text: String,
    /// The choices in the order of the file; empty for other kinds.
    pub choices: Vec<String>,
    /// The known answer. It is not part of the debate's id and in no prompt.
    pub expected: Expected,
}

impl Question {
    /// What tells it from others, whatever its file is called: its id, and the digest of its words.
    pub fn key(&self) -> String {
        format!("{}/{}", self.id, digest::of_bytes(self.text.as_bytes()))
    }
}
