//! The shape of `trace.json`.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::event::{
    AUDIENCE, AudienceVote, Ballot, Budget, Call, DEBATE, FactCheck, How, Incident, IncidentKind,
    Interjection, Memory, ModelCard, Notes, Outcome, Preference, Rejection, Retrieval, Rotation,
    RoundNotes, Stance, Statement, Status, Usage, Verdict,
};
use crate::flow::{Flow, PointStatus};
use crate::id::DebateId;
use crate::job::{FormatSettings, THE_TEAM, profile_of};
use crate::question::{AnswerStage, Answered, Posed};
use crate::text;

/// Characters of an answer behind an outcome.
const ANSWER: usize = 80;

/// The version of the shape of `trace.json`: readers refuse another major and accept any minor.
pub const SCHEMA_VERSION: &str = "1.3";

/// A debate, complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Trace")]
pub struct Trace<R = Value> {
    /// The version of this format, MAJOR.MINOR.
    pub schema_version: String,
    /// The debate's id, 64 hexadecimal digits.
    #[schemars(with = "String")]
    pub id: DebateId,
    /// How it ended.
    pub status: Status,
    /// Why it is not `done`, in words.
    pub cause: Option<String>,
    /// Whether it was rehearsed, without models.
    pub rehearsal: bool,
    /// The script of the rehearsal, if any (since 1.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// Replies missing in the script and therefore made up (since 1.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_up: Option<u32>,
    /// The format.
    pub format: String,
    /// The motion.
    pub topic: String,
    /// The job's name.
    pub job: String,
    /// The job's tags.
    pub tags: BTreeMap<String, String>,
    /// When it first began.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub started_at: DateTime<Utc>,
    /// When its last reply was on disk.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub ended_at: DateTime<Utc>,
    /// The version of `rebut` that began it.
    pub rebut: String,
    /// The plan.
    pub plan: TracePlan,
    /// The participants.
    pub participants: Vec<TraceParticipant>,
    /// The models, as described by the server.
    pub models: Vec<ModelCard>,
    /// Statements, in order.
    pub statements: Vec<Statement>,
    /// Judges' scores and votes by round.
    pub ballots: Vec<Ballot>,
    /// The audience's votes by round, if people may vote (since 1.2).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audience: Vec<AudienceVote>,
    /// The result of each round's votes.
    pub rotations: Vec<Rotation>,
    /// The clerk's notes, exchange by exchange (since 1.2).
    #[serde(default)]
    pub notes: Vec<Notes>,
    /// Every argument and its final status, from the clerk's notes (since 1.2).
    #[serde(default)]
    pub flow: Flow,
    /// The summary of each round.
    pub rounds: Vec<RoundNotes>,
    /// Each agent's memory at the end.
    pub memories: BTreeMap<String, Memory>,
    /// Interruptions and their causes.
    #[serde(default)]
    pub interjections: Vec<Interjection>,
    /// Fact checks of statements.
    #[serde(default)]
    pub fact_checks: Vec<FactCheck>,
    /// Participants' stances, round by round.
    #[serde(default)]
    pub stances: Vec<Stance>,
    /// Rejected replies.
    #[serde(default)]
    pub rejections: Vec<Rejection>,
    /// Searches by meaning in the templates.
    #[serde(default)]
    pub retrievals: Vec<Retrieval>,
    /// The digest of the debate's content, which verdicts refer to (since 1.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_digest: Option<String>,
    /// Verdicts on the whole debate: by its own judges, and by panels that read it afterwards.
    pub verdicts: Vec<Verdict>,
    /// Answers to a question with a known answer; the last `final` one is the debate's.
    pub answers: Vec<Answered>,
    /// Labels by people: the user's rating, and the side ahead according to readers of label sheets.
    pub labels: Vec<Label>,
    /// The outcome; `null` if the debate failed.
    pub outcome: Option<Outcome>,
    /// Its usage of calls, tokens and time.
    pub usage: Usage,
    /// Every attempt of every call, call by call in the order in which they were asked; the check of a reply follows it (since 1.1).
    #[serde(default)]
    pub calls: Vec<Call>,
    /// How long it took.
    pub timing: Timing,
    /// All deviations from what was asked.
    pub incidents: Vec<Incident>,
    /// The format's own record.
    pub record: R,
}

/// The arm of what is not a control.
pub const DEBATE_ARM: &str = "debate";

/// The plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TracePlan {
    /// `debate`, or the kind of control run.
    pub arm: String,
    /// The debates that this one pairs with.
    pub pairing: Pairing,
    /// The debate's seed.
    pub seed: u64,
    /// Always `null`: the known answer is in `question`.
    pub expected: Option<Value>,
    /// The tokens that a control run is matched to, if it is (since 1.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// The question with a known answer, if there is one (since 1.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Posed>,
    /// The plan version.
    pub version: u32,
    /// Facts for every participant.
    pub background: Value,
    /// Rules for every participant and judge.
    pub rules: Vec<String>,
    /// The whole query, in formats with a query instead of a motion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The language of the debate, if the job sets one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The format's settings.
    pub settings: Map<String, Value>,
    /// `emergency` or `abort`.
    pub on_failure: String,
    /// What is written beside the usual artifacts.
    pub output: Value,
    /// The digest of the snapshot of plan, personas and templates.
    pub inputs: String,
}

/// What a debate pairs with: the same cell, or the same repetition of another cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pairing {
    /// Values from the matrix, by path.
    pub cell: Map<String, Value>,
    /// The number of the run in its cell, from 1.
    pub repetition: u32,
    /// The assignment of sides, 0 or 1, if the job swaps them (since 1.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swap: Option<u32>,
    /// A key shared with the debate that has the other assignment (since 1.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swap_group: Option<String>,
}

/// A participant, with models and sampling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceParticipant {
    /// The id.
    pub id: String,
    /// The displayed name.
    pub name: String,
    /// The position.
    pub position: String,
    /// The persona's name.
    pub persona: Option<String>,
    /// Whether it argues (others moderate or keep notes).
    pub contestant: bool,
    /// Whether it made the first argument.
    pub spoke_first: bool,
    /// Whether it made the last argument.
    pub spoke_last: bool,
    /// The models of its statements, its own first.
    pub models: Vec<ModelUse>,
    /// Statements on the record that came from a model.
    #[serde(deserialize_with = "crate::event::count")]
    pub statements: u64,
    /// Tokens spoken.
    #[serde(deserialize_with = "crate::event::count")]
    pub tokens: u64,
    /// Its configured model and sampling.
    pub sampling: Map<String, Value>,
}

/// A model used by a participant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelUse {
    /// Its name in Ollama.
    pub name: String,
    /// The digest of its weights.
    pub digest: Option<String>,
    /// Its quantization.
    pub quantization: Option<String>,
    /// Its family.
    pub family: Option<String>,
    /// Statements it made for this participant.
    #[serde(deserialize_with = "crate::event::count")]
    pub statements: u64,
}

/// A label from outside. Answers on a label sheet have the name `winner`; their value is a side's id, `tie`, `both_bad` or
/// `cannot_say`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Label {
    /// Its source: a person or a program.
    pub source: String,
    /// Its topic.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// How a person came to it who read the debate on a label sheet (since 1.2).
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub preference: Option<Preference>,
}

impl Label {
    /// Whether it is the user's rating.
    pub fn is_rating(&self) -> bool {
        self.source == "user" && self.name == "rating"
    }
}

/// How long a debate took.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Timing {
    /// From its first start to its last reply, including interruptions; absent if the clock was set back meanwhile.
    #[serde(
        default,
        deserialize_with = "crate::event::perhaps",
        skip_serializing_if = "Option::is_none"
    )]
    pub total_ms: Option<u64>,
    /// Total time the servers spent on its calls.
    #[serde(deserialize_with = "crate::event::count")]
    pub model_ms: u64,
    /// Each round's model time, as if the judges answered concurrently.
    pub rounds_ms: Vec<u64>,
}

impl<R> Trace<R> {
    /// Adds what did not go as asked with what was given after the debate's end.
    pub fn report(&mut self, kind: IncidentKind, message: String) {
        self.incidents.push(Incident {
            kind,
            call: None,
            attempt: None,
            message,
            at: self.ended_at,
        });
    }

    /// Takes replies to points that a skeptic left at ❌ for none, not even in part: among a flow's moves, that looks like ⚠️. The
    /// skeptic's ledger has the points in the order of the flow.
    pub(super) fn refuse(&mut self) {
        let kept = self.outcome.as_ref().and_then(|it| it.details.get("ledger")?.as_array());
        for (kept, point) in kept.into_iter().flatten().zip(&mut self.flow.points) {
            let last = self.flow.edges.iter().rfind(|edge| edge.at == point.id);
            let is_upheld = last.is_some_and(|edge| edge.how == How::Upheld);
            let is_part = point.status == PointStatus::PartlyAnswered;
            if kept["status"] == "unresolved" && is_upheld && is_part {
                point.status = PointStatus::Standing;
            }
        }
    }

    /// The user's rating.
    pub fn rating(&self) -> Option<&Value> {
        Some(&self.labels.iter().find(|label| label.is_rating())?.value)
    }

    /// The outcome, or the cause of there being none, in one line.
    pub fn line(&self) -> Option<String> {
        self.outcome_line().or_else(|| self.cause.clone())
    }

    /// The outcome in one line, on a question with a known answer with whether the answer is right.
    pub fn outcome_line(&self) -> Option<String> {
        let line = &self.outcome.as_ref()?.line;
        Some(format!("{line}{}", self.graded(line).unwrap_or_default()))
    }

    /// `; answer given afterwards: A) 2 (wrong)`; where the answer is the outcome, ` (wrong)`.
    fn graded(&self, line: &str) -> Option<String> {
        let (posed, answer) = (self.plan.question.as_ref()?, self.final_answer()?);
        let said = posed.said(answer.value.as_ref()?);
        let grade = if answer.correct { "right" } else { "wrong" };
        Some(if line.starts_with(&said) {
            format!(" ({grade})")
        } else {
            format!("; answer given afterwards: {} ({grade})", text::shorten(&said, ANSWER))
        })
    }

    /// A participant by id.
    pub fn participant(&self, id: &str) -> Option<&TraceParticipant> {
        self.participants.iter().find(|p| p.id == id)
    }

    /// The answer to its question that counts.
    pub fn final_answer(&self) -> Option<&Answered> {
        let is_final = |answer: &&Answered| answer.stage == AnswerStage::Final;
        self.answers.iter().rfind(is_final)
    }

    /// Those who argue.
    pub fn contestants(&self) -> impl Iterator<Item = &TraceParticipant> {
        self.participants.iter().filter(|p| p.contestant)
    }

    /// A statement by its number.
    pub fn statement(&self, n: u32) -> Option<&Statement> {
        self.statements.iter().find(|s| s.n == n)
    }

    /// The rounds that were held; an initial round that is numbered 0 is none of them.
    pub fn rounds_held(&self) -> usize {
        self.rounds.iter().filter(|notes| notes.round > 0).count()
    }

    /// The shown name of a participant, of a team or of the texts of ours.
    pub fn name_of<'a>(&'a self, id: &'a str) -> &'a str {
        let other = match id {
            "moderator" => profile_of(&self.format).announced_by,
            DEBATE => "Debate",
            AUDIENCE => "Audience",
            _ if profile_of(&self.format).team == Some(id) => THE_TEAM,
            _ => id,
        };
        self.participant(id).map_or(other, |p| p.name.as_str())
    }
}

/// A format's settings by key, as a job file names them.
pub fn settings_of(format: &FormatSettings) -> Map<String, Value> {
    let (settings, _) = format.values();
    settings.as_object().cloned().unwrap_or_default()
}
