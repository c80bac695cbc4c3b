//! One event of a debate, and its content.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::audience::{AudienceVote, VoteWindow};
use super::ballot::{Ballot, Rotation};
use super::clerk_notes::Notes;
use super::control_budget::Budget;
use super::cost::TokenCount;
use super::ending::Complete;
use super::incident::Incident;
use super::judgments::{FactCheck, Interjection, Stance};
use super::model_card::ModelCard;
use super::spoken::{MemoryUpdate, Rejection, RoundNotes, Statement};
use super::verdict::Verdict;
use crate::id::DebateId;
use crate::question::Answered;

/// The beginning of a debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DebateStart {
    /// The whole plan.
    pub plan: Box<crate::plan::Plan>,
    /// The models it names, as the server described them.
    pub models: Vec<ModelCard>,
    /// The digest of the snapshot of inputs.
    pub inputs: String,
    /// The version of `rebut` that began it.
    pub rebut: String,
}

/// The similarity of a template's meaning to a query.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Likeness {
    /// The text's name.
    pub template: String,
    /// Its title.
    pub title: String,
    /// The cosine of their embeddings, to six decimals.
    pub similarity: f64,
}

/// A search by meaning in the templates.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Retrieval {
    /// The embedding model; `null` if the job uses none.
    pub model: Option<String>,
    /// The digest of its weights, if known.
    pub digest: Option<String>,
    /// All compared texts, nearest first.
    pub found: Vec<Likeness>,
    /// The names of those near enough, nearest first.
    pub used: Vec<String>,
    /// Why none is used, if none is.
    pub cause: Option<String>,
    /// The length in characters at which texts were cut for the embedding model, if any was.
    pub cut: Option<u64>,
    /// Time the server spent on it; `null` if all embeddings were cached.
    pub ms: u64,
}

/// What happened. The tag is the event's name in `events.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", content = "content", rename_all = "snake_case")]
pub enum EventKind {
    /// The debate begins.
    DebateStart(DebateStart),
    /// A round begins.
    RoundStart {
        /// Who speaks, in order.
        speakers: Vec<String>,
    },
    /// Something was said.
    Statement(Statement),
    /// The commentator said something, which nobody in the debate sees.
    Comment(Statement),
    /// A judge voted.
    Ballot(Ballot),
    /// The audience may vote.
    AudienceOpen(VoteWindow),
    /// The audience's votes were counted.
    Audience(AudienceVote),
    /// The votes were counted.
    Rotation(Rotation),
    /// A speaker was interrupted.
    Interjection(Interjection),
    /// A statement's claims were checked.
    FactCheck(FactCheck),
    /// A participant took its stance.
    Stance(Stance),
    /// A reply was not taken.
    Rejection(Rejection),
    /// The whole debate was judged.
    Verdict(Verdict),
    /// The question of the debate was answered.
    Answer(Answered),
    /// A control spent what it was allotted.
    Budget(Budget),
    /// Agents remember.
    Memory(MemoryUpdate),
    /// The clerk noted an exchange.
    Notes(Notes),
    /// The round was summed up.
    Summary(RoundNotes),
    /// Texts of ours were looked for by meaning.
    Retrieval(Retrieval),
    /// Something did not go as asked.
    Incident(Incident),
    /// The debate is over.
    Complete(Complete),
    /// Live only: a model is asked.
    CallStart {
        /// Maximum tokens it may produce.
        num_predict: u32,
    },
    /// Live only: the call is on a server. It waited for its turn until now; text of it that came before is void.
    CallSent {},
    /// Live only: the server failed the call, which waits again or ends.
    CallWait {},
    /// Live only: text arrives.
    StatementChunk {
        /// Where the text begins, in characters of the statement.
        from: usize,
        /// Where it ends.
        to: usize,
        /// The text.
        text: String,
    },
    /// Live only, in a dialectic: a `statement_chunk` of the proposer, as its source has it.
    ProposerChunk(String),
    /// Live only, in a dialectic: a `statement_chunk` of the skeptic.
    SkepticChunk(String),
    /// Live only, in a dialectic: the `call_start` of the synthesizer.
    SynthesisStart(String),
    /// Live only, in a dialectic: a `statement_chunk` of the synthesizer.
    SynthesisChunk(String),
    /// Live only: the model answered, or not.
    CallEnd {
        /// Tokens of the call, where a whole reply came, usable or not.
        tokens: TokenCount,
        /// The same with estimates from characters, where the server left out a count.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        estimated: Option<TokenCount>,
        /// Time the server spent on the reply.
        reply_ms: u64,
        /// Why it failed, where it did.
        error: Option<String>,
    },
}

/// What an event's producers add.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Metadata {
    /// The model behind it.
    pub model: Option<String>,
    /// The participant behind it.
    pub role: Option<String>,
    /// Tokens of all replies so far: an estimate where models also thought.
    pub tokens_so_far: u64,
    /// Live only: the call.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<String>,
    /// Live only: the attempt.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub attempt: Option<u32>,
    /// Live only: the name of the event that is repeated under another one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub alias_of: Option<String>,
}

/// One event of a debate (row E1); its `type` is always `debate_event`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "debate_event")]
pub struct Event {
    /// The debate's id.
    pub debate: DebateId,
    /// Its number among logged events, from 1 without gaps; live-only events have none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seq: Option<u64>,
    /// The time of the last journal entry it rests on.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub time: DateTime<Utc>,
    /// The round, if there is one.
    pub round: Option<u32>,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
    /// By whom, with which model.
    pub metadata: Metadata,
}

impl Event {
    /// What was said on the record.
    pub fn statements(events: &[Self]) -> impl Iterator<Item = &Statement> {
        events.iter().filter_map(|event| match &event.kind {
            EventKind::Statement(said) => Some(said),
            _ => None,
        })
    }

    /// The round that began last; 0 before the first.
    pub fn last_round(events: &[Self]) -> u32 {
        let begins = |event: &&Self| matches!(event.kind, EventKind::RoundStart { .. });
        let last = events.iter().rfind(begins);
        last.and_then(|event| event.round).unwrap_or_default()
    }

    /// One line of JSON.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("an event is JSON")
    }
}
