//! The end of a debate, and its outcome.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::cost::{Call, Usage};
use super::winner::Winner;

/// How a debate ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Completely.
    Done,
    /// To the end, but with something important missing.
    Degraded,
    /// Not to the end.
    Failed,
}

impl Status {
    /// The word that people and files see.
    pub fn word(self) -> &'static str {
        self.among(["done", "degraded", "failed"])
    }

    /// What belongs to it, of what belongs to each.
    pub fn among<T>(self, [done, degraded, failed]: [T; 3]) -> T {
        match self {
            Status::Done => done,
            Status::Degraded => degraded,
            Status::Failed => failed,
        }
    }
}

/// The outcome of a debate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// The outcome in one line.
    pub line: String,
    /// The deciding factors, in a few sentences; empty without any, as where no judge gave a valid verdict.
    pub decided_by: String,
    /// The winner's id or `draw`; `null` in formats without one.
    pub winner: Option<Winner>,
    /// The verdict it is based on, if any.
    pub rests_on: Option<String>,
    /// The number of the statement with the debate's final text (an answer, a synthesis, a summary), if any.
    #[serde(default)]
    pub final_text: Option<u32>,
    /// Points by participant.
    pub points: BTreeMap<String, f64>,
    /// The format's own results, for people: names and values.
    pub facts: Vec<(String, String)>,
    /// The format's own results, for programs.
    pub details: Map<String, Value>,
}

/// What a fact says where there is nothing, for this reason.
pub fn none_because(cause: &str) -> String {
    format!("none ({cause})")
}

/// Whether a fact says that there is nothing, and why.
pub fn is_none_because(value: &str) -> bool {
    value.starts_with("none (")
}

/// The end of a debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Complete {
    /// How it ended.
    pub status: Status,
    /// Why it is not `done`, in words.
    pub cause: Option<String>,
    /// The outcome; `null` if the debate failed.
    pub outcome: Option<Outcome>,
    /// Its usage of calls, tokens and time.
    pub usage: Usage,
    /// Every attempt of every call, in the order in which the debate took them in.
    #[serde(default)]
    pub calls: Vec<Call>,
    /// How many replies a rehearsal's script lacks, so that they were made up; none without a script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_up: Option<u32>,
}
