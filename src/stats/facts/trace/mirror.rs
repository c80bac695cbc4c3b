//! The part of `trace.json` that statistics read. Everything else, the texts above all, is skipped by the parser: that is what
//! makes reading many traces fast.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::borrowed::{Map, ModelName, Str};
use crate::event::{Origin, ReadingStatus, Status, Use};

#[derive(Deserialize)]
pub(super) struct Trace<'a> {
    #[serde(borrow)]
    pub(super) schema_version: Str<'a>,
    #[serde(borrow)]
    pub(super) id: Str<'a>,
    pub(super) status: Status,
    #[serde(borrow)]
    pub(super) cause: Option<Str<'a>>,
    pub(super) rehearsal: bool,
    #[serde(borrow)]
    pub(super) format: Str<'a>,
    #[serde(borrow)]
    pub(super) topic: Str<'a>,
    #[serde(borrow)]
    pub(super) job: Str<'a>,
    #[serde(borrow)]
    pub(super) tags: Map<'a, Str<'a>>,
    pub(super) started_at: DateTime<Utc>,
    #[serde(borrow)]
    pub(super) plan: Plan<'a>,
    #[serde(borrow)]
    pub(super) participants: Vec<Participant<'a>>,
    #[serde(borrow)]
    pub(super) models: Vec<Model<'a>>,
    #[serde(borrow)]
    pub(super) statements: Vec<Statement<'a>>,
    #[serde(borrow)]
    pub(super) ballots: Vec<Ballot<'a>>,
    #[serde(borrow)]
    pub(super) rotations: Vec<Rotation<'a>>,
    pub(super) rounds: Vec<Round>,
    #[serde(borrow, default)]
    pub(super) stances: Vec<Stance<'a>>,
    #[serde(borrow)]
    pub(super) verdicts: Vec<Verdict<'a>>,
    #[serde(borrow)]
    pub(super) labels: Vec<Label<'a>>,
    #[serde(borrow)]
    pub(super) outcome: Option<Outcome<'a>>,
    #[serde(borrow)]
    pub(super) usage: Usage<'a>,
    pub(super) timing: Timing,
    #[serde(borrow)]
    pub(super) incidents: Vec<Incident<'a>>,
    #[serde(borrow, default)]
    pub(super) calls: Vec<OneCall<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Plan<'a> {
    #[serde(borrow)]
    pub(super) pairing: Pairing<'a>,
    pub(super) seed: u64,
}

#[derive(Deserialize)]
pub(super) struct Pairing<'a> {
    #[serde(borrow)]
    pub(super) cell: Map<'a, &'a RawValue>,
    pub(super) repetition: u32,
}

#[derive(Deserialize)]
pub(super) struct Participant<'a> {
    #[serde(borrow)]
    pub(super) id: Str<'a>,
    #[serde(borrow)]
    pub(super) name: Str<'a>,
    #[serde(borrow)]
    pub(super) position: Str<'a>,
    #[serde(borrow)]
    pub(super) persona: Option<Str<'a>>,
    pub(super) contestant: bool,
    pub(super) spoke_first: bool,
    pub(super) spoke_last: bool,
    #[serde(borrow)]
    pub(super) models: Vec<Model<'a>>,
    pub(super) tokens: u64,
}

#[derive(Deserialize)]
pub(super) struct Model<'a> {
    #[serde(borrow)]
    pub(super) name: ModelName<'a>,
    #[serde(borrow)]
    pub(super) digest: Option<Str<'a>>,
    #[serde(borrow)]
    pub(super) family: Option<Str<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Statement<'a> {
    pub(super) n: u32,
    pub(super) round: u32,
    #[serde(borrow)]
    pub(super) by: Str<'a>,
    pub(super) tokens: u64,
    pub(super) origin: Origin,
    pub(super) cut: bool,
}

#[derive(Deserialize)]
pub(super) struct Judge<'a> {
    #[serde(borrow)]
    pub(super) id: Str<'a>,
    #[serde(borrow)]
    pub(super) model: Option<ModelName<'a>>,
}

#[derive(Deserialize)]
pub(super) struct ReadingOf<'a> {
    #[serde(borrow)]
    pub(super) order: Vec<Str<'a>>,
    pub(super) status: ReadingStatus,
    #[serde(default, borrow)]
    pub(super) read_as: Vec<Str<'a>>,
    #[serde(borrow)]
    pub(super) scores: Map<'a, f64>,
    #[serde(borrow)]
    pub(super) totals: Map<'a, f64>,
}

#[derive(Deserialize)]
pub(super) struct Ballot<'a> {
    pub(super) round: u32,
    #[serde(borrow)]
    pub(super) by: Judge<'a>,
    #[serde(borrow)]
    pub(super) about: Str<'a>,
    #[serde(rename = "continue")]
    pub(super) keep: Option<bool>,
    #[serde(borrow)]
    pub(super) reading: ReadingOf<'a>,
}

#[derive(Deserialize)]
pub(super) struct Rotation<'a> {
    #[serde(borrow)]
    pub(super) debater: Str<'a>,
    pub(super) voted_out: bool,
    pub(super) rotated: bool,
}

#[derive(Deserialize)]
pub(super) struct Round {
    pub(super) round: u32,
}

#[derive(Deserialize)]
pub(super) struct Stance<'a> {
    pub(super) round: u32,
    #[serde(borrow)]
    pub(super) stance: Option<Str<'a>>,
    pub(super) weight: f64,
}

#[derive(Deserialize)]
pub(super) struct Verdict<'a> {
    #[serde(borrow)]
    pub(super) source: Str<'a>,
    pub(super) rubric: Rubric,
    #[serde(borrow)]
    pub(super) judges: Vec<VerdictJudge<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Rubric {
    #[serde(default)]
    pub(super) scale: Option<(u8, u8)>,
}

#[derive(Deserialize)]
pub(super) struct VerdictJudge<'a> {
    #[serde(borrow)]
    pub(super) id: Str<'a>,
    #[serde(borrow)]
    pub(super) model: Option<ModelName<'a>>,
    #[serde(borrow)]
    pub(super) readings: Vec<ReadingOf<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Label<'a> {
    #[serde(borrow)]
    pub(super) source: Str<'a>,
    #[serde(borrow)]
    pub(super) name: Str<'a>,
    #[serde(borrow)]
    pub(super) value: &'a RawValue,
}

#[derive(Deserialize)]
pub(super) struct Outcome<'a> {
    #[serde(borrow)]
    pub(super) line: Str<'a>,
    #[serde(borrow)]
    pub(super) winner: Option<Str<'a>>,
    #[serde(borrow)]
    pub(super) points: Map<'a, f64>,
    #[serde(borrow)]
    pub(super) details: Details<'a>,
}

/// What the formats' own results say that statistics count.
#[derive(Deserialize)]
pub(super) struct Details<'a> {
    pub(super) triggered: Option<bool>,
    #[serde(borrow)]
    pub(super) consensus: Option<&'a RawValue>,
    pub(super) early_stopped: Option<bool>,
    #[serde(borrow)]
    pub(super) end_reason: Option<Str<'a>>,
    pub(super) quality_score: Option<f64>,
    pub(super) auto_score: Option<AutoScore>,
}

#[derive(Deserialize)]
pub(super) struct AutoScore {
    pub(super) score: f64,
}

#[derive(Deserialize)]
pub(super) struct Usage<'a> {
    #[serde(borrow)]
    pub(super) by_model: Map<'a, Use>,
}

#[derive(Deserialize)]
pub(super) struct Timing {
    pub(super) total_ms: u64,
    pub(super) model_ms: u64,
    pub(super) rounds_ms: Vec<u64>,
}

#[derive(Deserialize)]
pub(super) struct Incident<'a> {
    #[serde(borrow)]
    pub(super) kind: Str<'a>,
    #[serde(borrow)]
    pub(super) call: Option<Str<'a>>,
}

#[derive(Deserialize)]
pub(super) struct OneCall<'a> {
    #[serde(borrow)]
    pub(super) purpose: Str<'a>,
    #[serde(borrow)]
    pub(super) model: ModelName<'a>,
    #[serde(borrow)]
    pub(super) outcome: Str<'a>,
    pub(super) reply_tokens: Option<u64>,
    pub(super) prompt_ms: Option<u64>,
    pub(super) reply_ms: Option<u64>,
}
