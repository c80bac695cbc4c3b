//! Statements, and the notes and memories of them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TokenCount;
use super::phase::Phase;

/// The origin of a statement's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The participant's own model.
    Model,
    /// One of the participant's fallback models.
    Fallback,
    /// A prepared reply, because no model replied.
    Emergency,
    /// A template.
    #[default]
    Template,
    /// The debate that a control's answer is compared with: its answer.
    Debate,
}

/// A statement on the record.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Statement {
    /// Its number, from 1.
    pub n: u32,
    /// The part of the debate: `introduction`, `opening`, `argument`, `rebuttal`, `transition`, `closing`…
    pub phase: Phase,
    /// Its round; 0 outside rounds (and for a roundtable's initial round).
    pub round: u32,
    /// The id of the participant, or `moderator`.
    pub by: String,
    /// The text.
    pub text: String,
    /// A one-sentence summary, for indexes.
    pub gist: String,
    /// The number of the last statement on the record when it was requested; 0 if there was none.
    #[serde(default)]
    pub saw: u32,
    /// Tokens spoken; estimated for a template.
    #[serde(deserialize_with = "super::count")]
    pub tokens: u64,
    /// Whether `tokens` is an estimate (always true if the model also thought).
    pub tokens_estimated: bool,
    /// The origin of the text.
    pub origin: Origin,
    /// Whether it was cut at its token limit.
    pub cut: bool,
    /// Whether its model plainly ended it in mid-sentence; absent if not, and absent in earlier traces.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub breaks_off: bool,
    /// Maximum words its speaker was asked for; absent if it was not asked for in words, and absent in earlier traces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_words: Option<u32>,
    /// Objections of the format, although the statement was accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objections: Vec<String>,
    /// Names of others that some of its lines speak for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub voices: Vec<String>,
    /// For a statement requested in a form that we put into words: how the reply had to be read, as keywords;
    /// only `prose` if the reply did not have the form and was taken unchanged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_as: Vec<String>,
    /// Numbers in that form as they were given where they were no whole numbers, by their keys.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rounded: BTreeMap<String, f64>,
    /// The model it came from, if any.
    pub model: Option<String>,
    /// The call it came from, if any.
    pub call: Option<String>,
    /// The attempt it came from.
    pub attempt: Option<u32>,
    /// The model's thinking.
    pub thinking: Option<String>,
    /// The tokens of its call, if one was made.
    pub usage: Option<TokenCount>,
    /// When the reply was on disk.
    #[serde(serialize_with = "crate::clock::serialize")]
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

    /// Whether there is something in it to answer: an emergency reply is not an argument (row M2).
    pub fn was_heard(&self) -> bool {
        self.origin != Origin::Emergency
    }
}

/// Whom a rebuttal with this number is meant for: whoever made the last argument before it.
pub fn rebutted<'s>(
    said: impl DoubleEndedIterator<Item = &'s Statement>,
    n: u32,
) -> Option<&'s str> {
    let mut before = said.rev().skip_while(|s| s.n != n);
    before.next().filter(|s| s.phase == Phase::REBUTTAL)?;
    Some(&before.find(|s| s.phase == Phase::ARGUMENT)?.by)
}

/// A rejected reply, with the reasons; the speaker was asked again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rejection {
    /// The round.
    pub round: u32,
    /// The speaker.
    pub by: String,
    /// The call whose reply was rejected.
    pub call: String,
    /// The text.
    pub text: String,
    /// The reasons, in words.
    pub reasons: Vec<String>,
}

/// What stands between what was found in a rejected reply and what the clerk says of it.
pub const BY_CLERK: &str = ", by the clerk's check: ";

/// An agent's memory (row K4).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Memory {
    /// The numbers of the statements it took part in or answered.
    pub debate_history: Vec<u32>,
    /// Its main points.
    pub key_points_made: Vec<String>,
    /// Its opponents' main points.
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

/// The summary of a round.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct RoundNotes {
    /// The round.
    pub round: u32,
    /// A two-sentence summary by the clerk; empty if the exchange continues in the next round.
    pub summary: String,
    /// The opponents and the result, in one line; empty if that says nothing.
    pub headline: String,
    /// The round's model time in milliseconds: the exchange, the slowest ballot, the clerk and the comment.
    #[serde(deserialize_with = "super::count")]
    pub model_ms: u64,
    /// The round's wall time in milliseconds, by the journal's clock, including interruptions of the run; absent if that clock was
    /// set back meanwhile, and in early traces.
    #[serde(default, deserialize_with = "super::perhaps", skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
}

impl RoundNotes {
    /// Notes on a round whose times are not known yet.
    pub fn new(round: u32, summary: String, headline: String) -> Self {
        Self { round, summary, headline, ..Self::default() }
    }
}
