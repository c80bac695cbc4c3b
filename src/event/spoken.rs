//! What was said, and what was noted and remembered of it.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TokenCount;
use super::phase::Phase;

/// Where a statement's text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The participant's own model.
    Model,
    /// One of the participant's fallback models.
    Fallback,
    /// A prepared reply, because no model could be had.
    Emergency,
    /// A template of ours.
    #[default]
    Template,
}

/// Something that was said on the record.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Statement {
    /// Its number, from 1.
    pub n: u32,
    /// What part of the debate it belongs to: `introduction`, `opening`, `argument`, `rebuttal`, `transition`, `closing`…
    pub phase: Phase,
    /// Its round; 0 outside of rounds (a roundtable's initial round has this number too).
    pub round: u32,
    /// The id of the participant, or `moderator`.
    pub by: String,
    /// The text.
    pub text: String,
    /// One sentence on it, for indexes.
    pub gist: String,
    /// The number of the last statement on the record it was asked for with; 0 where it was asked for without one.
    #[serde(default)]
    pub saw: u32,
    /// Tokens that were spoken; those of a template are estimated.
    #[serde(deserialize_with = "super::count")]
    pub tokens: u64,
    /// Whether `tokens` is an estimate (always so where the model also thought).
    pub tokens_estimated: bool,
    /// Where the text comes from.
    pub origin: Origin,
    /// Whether it was cut at its allowance.
    pub cut: bool,
    /// What the format had against it, though it stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objections: Vec<String>,
    /// The names of others for whom some of its lines speak.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub voices: Vec<String>,
    /// Where it was asked for in a form that we put into words: what its reader had to do to make sense of the reply, by
    /// word; `prose` alone where the reply had no such form and stands as it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_as: Vec<String>,
    /// The model that gave it, if one did.
    pub model: Option<String>,
    /// The call that asked for it, if one did.
    pub call: Option<String>,
    /// The attempt that gave it.
    pub attempt: Option<u32>,
    /// What the model thought before it spoke.
    pub thinking: Option<String>,
    /// The tokens of its call, if one was made.
    pub usage: Option<TokenCount>,
    /// When the reply was on disk.
    pub at: DateTime<Utc>,
}

impl Statement {
    /// Whether a model gave it, its own or a fallback.
    pub fn is_by_a_model(&self) -> bool {
        matches!(self.origin, Origin::Model | Origin::Fallback)
    }

    /// Where it stands: `round 2, rebuttal`, or without a round `opening`.
    pub fn place(&self) -> String {
        match self.round {
            0 => self.phase.words(),
            round => format!("round {round}, {}", self.phase.words()),
        }
    }

    /// Whether there is something in it to answer: an emergency reply is no argument (row M2).
    pub fn was_heard(&self) -> bool {
        self.origin != Origin::Emergency
    }
}

/// A reply that was not taken, and why; the speaker was asked again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rejection {
    /// The round.
    pub round: u32,
    /// Who spoke.
    pub by: String,
    /// The call whose reply was rejected.
    pub call: String,
    /// What was said.
    pub text: String,
    /// Why it was not taken, in words.
    pub reasons: Vec<String>,
}

/// What one agent remembers (row K4).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Memory {
    /// The numbers of the statements it took part in or answered.
    pub debate_history: Vec<u32>,
    /// The main points it made.
    pub key_points_made: Vec<String>,
    /// The main points its opponents made.
    pub opponent_points: Vec<String>,
}

/// The memories after a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryUpdate {
    /// The round.
    pub round: u32,
    /// The memories that changed, by participant.
    pub memories: BTreeMap<String, Memory>,
}

/// What a round came to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct RoundNotes {
    /// The round.
    pub round: u32,
    /// What happened, in two sentences of the clerk; empty where the exchange goes on in the next round.
    pub summary: String,
    /// Who met in the round and what it came to, in one line; empty where that says nothing.
    pub headline: String,
    /// The round's model time in milliseconds: the exchange, the slowest ballot, the clerk and the commentary.
    #[serde(deserialize_with = "super::count")]
    pub model_ms: u64,
    /// The round's wall time in milliseconds, by the journal's clock: interruptions of the run are in it.
    #[serde(default, deserialize_with = "super::count")]
    pub wall_ms: u64,
}
