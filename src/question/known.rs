//! A question as its file has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::digest;

/// What kind of answer a question takes.
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

/// The file that a question comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionSet {
    /// The file's name without its ending.
    pub name: String,
    /// The SHA-256 of the file.
    pub digest: String,
}

/// The answer that counts as correct.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Expected {
    /// The correct choice, counted from 0 in the order of the file.
    pub choice: Option<usize>,
    /// The number or text, as the file has it.
    pub value: Option<String>,
    /// Other numbers or texts that count as correct.
    pub accept: Vec<String>,
    /// How far a number may be off, as a number.
    pub tolerance: Option<String>,
}

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// Its id, unique in its file.
    pub id: String,
    /// The file it comes from.
    pub set: QuestionSet,
    /// What it shares with others, such as a passage: statistics count the questions of a cluster as one observation.
    pub cluster: Option<String>,
    /// What kind of answer it takes.
    pub kind: Kind,
    /// The question.
    pub text: String,
    /// Its choices in the order of the file; empty for other kinds.
    pub choices: Vec<String>,
    /// The known answer. It is no part of the debate's id and stands in no prompt.
    pub expected: Expected,
}

impl Question {
    /// What tells it from others, whatever its file is called: its id, and the digest of its words.
    pub fn key(&self) -> String {
        format!("{}/{}", self.id, digest::of_bytes(self.text.as_bytes()))
    }
}
