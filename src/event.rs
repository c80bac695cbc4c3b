//! What can happen in a debate. Everything that people and tools see is rendered from these.

pub mod alias;
mod judged;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::Card;

pub use self::judged::{Score, rounded};

/// Tokens of a call in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TokenCount {
    /// Of the prompt.
    pub prompt: u64,
    /// Of the reply.
    pub reply: u64,
}

/// A model as the server described it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ModelCard {
    /// Ollama's name of it.
    pub name: String,
    /// What the server knows about it.
    #[serde(flatten)]
    pub card: Card,
}

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

/// Where a statement's text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The participant's own model.
    Model,
    /// One of the participant's fallback models.
    Fallback,
    /// A prepared reply, because no model could be had.
    Emergency,
    /// A template of ours.
    Template,
}

/// Something that was said on the record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Statement {
    /// Its number, from 1.
    pub n: u32,
    /// What part of the debate it belongs to: `introduction`, `opening`, `argument`, `rebuttal`, `transition`, `closing`…
    pub phase: String,
    /// Its round; 0 outside of rounds (a roundtable's initial round has this number too).
    pub round: u32,
    /// The id of the participant, or `moderator`.
    pub by: String,
    /// The text.
    pub text: String,
    /// One sentence on it, for indexes.
    pub gist: String,
    /// Tokens that were spoken; those of a template are estimated.
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

    /// Whether there is something in it to answer: an emergency reply is no argument (row M2).
    pub fn was_heard(&self) -> bool {
        self.origin != Origin::Emergency
    }
}

/// Who judges: a model, a person…
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Judge {
    /// `model` for now; people and audiences may follow.
    pub kind: String,
    /// The participant's id.
    pub id: String,
    /// The model's name.
    pub model: Option<String>,
}

/// Whether a judgment can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadingStatus {
    /// It has all it must have.
    Valid,
    /// It was given but cannot be used, even after a repair.
    Invalid,
    /// It could not be had.
    Abstained,
}

/// One judgment of one judge, as it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// The call that asked for it.
    pub call: String,
    /// The contestants in the order in which the judge saw them.
    pub order: Vec<String>,
    /// Whether it can be used.
    pub status: ReadingStatus,
    /// Scores by criterion; where one reading judges several contestants, by `contestant.criterion`.
    pub scores: BTreeMap<String, f64>,
    /// The weighted total by contestant, computed by us.
    pub totals: BTreeMap<String, f64>,
    /// Answers with yes or no that were asked for beside the scores, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub marks: BTreeMap<String, bool>,
    /// The judge's reasons; empty without a judgment.
    pub reason: String,
    /// Why there is no judgment, where there is none.
    pub cause: Option<String>,
    /// The digest of the request.
    pub prompt_digest: Option<String>,
    /// The digest of the prompt's template.
    pub template_digest: Option<String>,
    /// The seed of the last attempt.
    pub seed: Option<u32>,
    /// How many attempts it took.
    pub attempts: u32,
    /// Tokens over all attempts that were answered.
    pub tokens: TokenCount,
}

impl Reading {
    /// The scores of one of the contestants, by criterion.
    pub fn scores_of<'a>(&'a self, id: &'a str) -> impl Iterator<Item = (&'a str, f64)> {
        let alone = matches!(self.order.as_slice(), [only] if only == id);
        self.scores.iter().filter_map(move |(name, score)| {
            let criterion = match name.split_once('.') {
                Some((whose, criterion)) if whose == id => criterion,
                None if alone => name,
                _ => return None,
            };
            Some((criterion, *score))
        })
    }
}

/// A judge's scores and vote on one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ballot {
    /// The round.
    pub round: u32,
    /// Who judged.
    pub by: Judge,
    /// Who was judged.
    pub about: String,
    /// The vote to keep the debater; `null` without a valid ballot.
    #[serde(rename = "continue")]
    pub keep: Option<bool>,
    /// The judgment.
    pub reading: Reading,
}

/// What the votes of a round came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rotation {
    /// The round after which it was decided.
    pub round: u32,
    /// Who debated.
    pub debater: String,
    /// Who debates next; the same where nothing changes.
    pub next: String,
    /// Whether the debater was voted out, replaced or not.
    pub voted_out: bool,
    /// Whether somebody else comes in.
    pub rotated: bool,
    /// Votes to keep.
    pub keeps: u32,
    /// Votes to replace.
    pub negatives: u32,
    /// Judges without a valid ballot.
    pub abstentions: u32,
    /// The valid ballots' mean total, if there is one.
    pub mean_total: Option<f64>,
    /// The votes' meaning in one sentence.
    pub reason: String,
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

/// A speaker was interrupted: what was said stands on the record behind the statement, and is answered at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interjection {
    /// The number of the statement that gave cause.
    pub about: u32,
    /// Who spoke then.
    pub speaker: String,
    /// The number of the interjection among the statements.
    pub statement: u32,
    /// What it is for: a broken rule or a false claim.
    pub cause: InterjectionCause,
    /// The rule that was broken or the claim that is false.
    pub point: String,
    /// Who judged so, and why.
    pub by: Judge,
    /// The judgment behind it.
    pub reading: Reading,
}

/// Why a speaker is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InterjectionCause {
    /// A rule was broken.
    Rule,
    /// A claim was found to be false.
    Fact,
}

/// What a fact checker made of a statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FactCheck {
    /// The round; 0 outside of rounds.
    pub round: u32,
    /// The number of the statement.
    pub about: u32,
    /// Who checked.
    pub by: Judge,
    /// The claims that were looked at.
    pub claims: Vec<Claim>,
    /// The judgment.
    pub reading: Reading,
}

/// A claim in a statement, and what a fact checker holds of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The claim.
    pub claim: String,
    /// Why the verdict is so.
    pub reason: String,
    /// `true`, `false`, `unproven` or another word that the format offers.
    pub verdict: String,
    /// Why a false claim is only noted, where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Where a participant stands after a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stance {
    /// The round.
    pub round: u32,
    /// Whose stance it is, in its own word.
    pub by: Judge,
    /// One of the stances of the job; `null` where none could be had.
    pub stance: Option<String>,
    /// How much it counts.
    pub weight: f64,
    /// The judgment.
    pub reading: Reading,
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

/// A judgment of the whole debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// `own` for the debate's own judges; others may be added later.
    pub source: String,
    /// What was judged by.
    pub rubric: Rubric,
    /// Who judged, and how.
    pub judges: Vec<VerdictJudge>,
    /// The winner's id, `draw`, or `null` without a judgment or where nobody can win.
    pub winner: Option<String>,
    /// What the winner rests on.
    pub winner_reason: Option<String>,
}

/// What was judged by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rubric {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The digest of its text.
    pub digest: String,
    /// The least and the most of a score.
    #[serde(default)]
    pub scale: Option<(u8, u8)>,
}

/// A judge of the whole debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictJudge {
    /// Who.
    #[serde(flatten)]
    pub judge: Judge,
    /// Its judgments, one for each reading order.
    pub readings: Vec<Reading>,
}

/// One sentence on a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gist {
    /// The statement's number.
    pub n: u32,
    /// The sentence.
    pub gist: String,
}

/// The clerk's notes on a round, and what it came to in a line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct RoundNotes {
    /// The round.
    pub round: u32,
    /// What happened, in a few sentences.
    pub summary: String,
    /// What the next round should turn to.
    pub next_focus: String,
    /// One sentence a statement.
    pub gists: Vec<Gist>,
    /// The main points by participant.
    pub key_points: BTreeMap<String, Vec<String>>,
    /// Who met in the round and what it came to, in one line.
    pub headline: String,
    /// Whether a clerk's reply is behind it; if not, first sentences stand in.
    pub by_clerk: bool,
    /// The tokens of the clerk's call.
    pub usage: TokenCount,
    /// The round's model time in milliseconds: the exchange, the slowest ballot, the clerk and the commentary.
    pub model_ms: u64,
    /// The round's wall time in milliseconds, by the journal's clock: interruptions of the run are in it.
    #[serde(default)]
    pub wall_ms: u64,
}

/// How near a text of ours is to a query in meaning.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Likeness {
    /// The text's name.
    pub template: String,
    /// Its title.
    pub title: String,
    /// The cosine of their embeddings, to six decimals.
    pub similarity: f64,
}

/// Texts of ours that were looked for by meaning.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Retrieval {
    /// The embedding model; `null` where the job wants none.
    pub model: Option<String>,
    /// The digest of its weights, where it is known.
    pub digest: Option<String>,
    /// All texts that were compared, the nearest first.
    pub found: Vec<Likeness>,
    /// The names of those that were near enough, the nearest first.
    pub used: Vec<String>,
    /// Why none is used, where none is.
    pub cause: Option<String>,
    /// After how many characters longer texts were cut for the embedding model, where one was.
    pub cut: Option<u64>,
    /// Time the server spent on it; nothing where all embeddings were kept from before.
    pub ms: u64,
}

/// Something that did not go as asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Incident {
    /// `retry`, `fallback`, `gave_up`, `repair`, `cut`, `emergency`, `missing`, `invalid`, `abstained`, `compaction`, `time`,
    /// `comment`, `clerk`, `left_out`, `retrieval`, `rejection`, `unanswered` or `unmarked`.
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

/// The kind of incident where an emergency reply stands in for a statement that could not be had.
pub const EMERGENCY: &str = "emergency";
/// The kind of incident where something that matters is missing.
pub const MISSING: &str = "missing";

impl Incident {
    /// Whether it is one of those that make a debate degraded or failed.
    pub fn is_shortfall(&self) -> bool {
        [EMERGENCY, MISSING].contains(&self.kind.as_str())
    }
}

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
    pub winner: Option<String>,
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

/// What one kind of call or one model used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Use {
    /// Replies, repairs included.
    pub calls: u64,
    /// Attempts that failed.
    pub failures: u64,
    /// Tokens of prompts.
    pub prompt_tokens: u64,
    /// Tokens of replies.
    pub reply_tokens: u64,
    /// Time the server spent reading prompts.
    pub prompt_ms: u64,
    /// Time the server spent on replies.
    pub reply_ms: u64,
    /// Time the server spent loading.
    pub load_ms: u64,
}

/// What a debate used.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// By purpose: `speak`, `judge`, `clerk`, `embed`.
    pub by_purpose: BTreeMap<String, Use>,
    /// By the model that answered.
    pub by_model: BTreeMap<String, Use>,
}

/// One attempt of a call, as it ended. What is not known of it is left out: the server counts nothing for a call without
/// a whole reply.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Call {
    /// The call's name.
    pub call: String,
    /// The attempt, from 1.
    pub attempt: u32,
    /// What it was for: `speak`, `judge`, `clerk`, `comment` or `embed`.
    pub purpose: String,
    /// The participant's id; none where texts were compared by meaning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The model that was asked.
    pub model: String,
    /// [`REPLY`], of use or not, or the kind of failure: `timeout`, `empty_reply`…
    pub outcome: String,
    /// The seed of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
    /// Tokens of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// Tokens of the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_tokens: Option<u64>,
    /// Time the server spent reading the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_ms: Option<u64>,
    /// Time the server spent on the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_ms: Option<u64>,
    /// Time the server spent loading the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_ms: Option<u64>,
    /// When it was on disk.
    pub at: DateTime<Utc>,
}

/// The outcome of a call that was answered.
pub const REPLY: &str = "reply";

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
}

/// What happened. The tag is the event's name in `events.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", content = "content", rename_all = "snake_case")]
pub enum What {
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
    /// Agents remember.
    Memory(MemoryUpdate),
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
        /// The most tokens it may produce.
        num_predict: u32,
    },
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
        /// Tokens of the call, where it was answered.
        tokens: TokenCount,
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

/// The word every event carries as its `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventType {
    /// The only one.
    #[default]
    DebateEvent,
}

/// One thing that happened (row E1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Always `debate_event`.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// The debate's id.
    pub debate: String,
    /// Its number among logged events, from 1 without gaps; live-only events have none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seq: Option<u64>,
    /// The time of the last journal entry it rests on.
    pub time: DateTime<Utc>,
    /// The round, where there is one.
    pub round: Option<u32>,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
    /// By whom, with which model.
    pub metadata: Metadata,
}

impl Event {
    /// One line of JSON.
    pub fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|e| format!("{{\"error\":\"{e}\"}}"))
    }
}
