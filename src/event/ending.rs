//! How a debate ended: what went otherwise than asked, and what it came to.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::cost::{Call, Usage};
use super::winner::Winner;

/// Something that did not go as asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Incident {
    /// `retry`, `fallback`, `gave_up`, `repair`, `cut`, `emergency`, `missing`, `invalid`, `abstained`, `compaction`, `context`, `count`, `time`,
    /// `comment`, `clerk`, `left_out`, `retrieval`, `rejection`, `citation`, `unanswered`, `stale_verdict`, `lost_verdict` or
    /// `stale_labels`.
    pub kind: String,
    /// The call it concerns, if it concerns one.
    pub call: Option<String>,
    /// The attempt it concerns.
    pub attempt: Option<u32>,
    /// The cause in words.
    pub message: String,
    /// When.
    pub at: DateTime<Utc>,
}

impl Incident {
    /// Whether it is one of those that make a debate degraded or failed.
    pub fn is_shortfall(&self) -> bool {
        [EMERGENCY, MISSING].contains(&self.kind.as_str())
    }
}

/// The kind of incident where an emergency reply stands in for a statement that could not be had.
pub const EMERGENCY: &str = "emergency";

/// The kind of incident where a judge or the writer of a final text could not be shown enough of the debate. Asking again
/// would show no more, so it is nothing to retry.
pub const CONTEXT: &str = "context";

/// The kind of incident where something that matters is missing.
pub const MISSING: &str = "missing";

/// The kind of incident where a panel's verdict was dropped because the debate's record is another now.
pub const STALE_VERDICT: &str = "stale_verdict";
/// The kind of an incident: the journal of a panel's judging could not be read.
pub const LOST_VERDICT: &str = "lost_verdict";

/// The kind of incident where people's labels were dropped because the debate's record is another now.
pub const STALE_LABELS: &str = "stale_labels";

/// How a debate ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// As it should.
    Done,
    /// To the end, but something that matters was missing.
    Degraded,
    /// Not to the end.
    Failed,
}

impl Status {
    /// The word that people and files see.
    pub fn word(self) -> &'static str {
        match self {
            Status::Done => "done",
            Status::Degraded => "degraded",
            Status::Failed => "failed",
        }
    }
}

/// What a debate came to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// In one line.
    pub line: String,
    /// What decided it, in a few sentences.
    pub decided_by: String,
    /// The winner's id or `draw`; `null` in formats without one.
    pub winner: Option<Winner>,
    /// Which verdict it rests on, where it rests on one.
    pub rests_on: Option<String>,
    /// The number of the statement that is the debate's final text (an answer, a synthesis, a summary), where it has one.
    #[serde(default)]
    pub final_text: Option<u32>,
    /// Points by participant.
    pub points: BTreeMap<String, f64>,
    /// The format's own results, for people: a name and its value.
    pub facts: Vec<(String, String)>,
    /// The format's own results, for machines.
    pub details: Map<String, Value>,
}

/// The end of a debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Complete {
    /// How it ended.
    pub status: Status,
    /// Why it is not `done`, in words.
    pub cause: Option<String>,
    /// What it came to; `null` where it failed.
    pub outcome: Option<Outcome>,
    /// What it used.
    pub usage: Usage,
    /// Every attempt of every call, in the order in which the debate took them in.
    #[serde(default)]
    pub calls: Vec<Call>,
    /// How many replies a rehearsal's script lacks, so that they were made up; none without a script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_up: Option<u32>,
}
