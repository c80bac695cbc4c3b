//! What a panel's judging adds to a verdict: who may vote, the setup of each reading, and how readings became votes.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::job::panel::{Orders, ViewKind};

/// A judging of a finished debate by a panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judging {
    /// Its id, derived from the debate, its record and the panel.
    pub id: String,
    /// The panel.
    pub panel: PanelRef,
    /// The basis of votes: `scores`.
    pub basis: String,
    /// The digest of the record that was read.
    pub record_digest: String,
    /// The contestants judged, under the keys used in votes.
    pub candidates: Vec<Candidate>,
    /// The judges' view of the debate.
    pub view: Sight,
    /// How readings become votes, and votes become a winner.
    pub rule: Rule,
    /// The votes that count.
    pub votes: Votes,
    /// When the last reading was on disk.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub at: DateTime<Utc>,
}

impl Judging {
    /// Whether it compares two answers, not two sides.
    pub fn is_of_answers(&self) -> bool {
        Candidate::are_answers(&self.candidates)
    }

    /// Who has more votes; nobody if both have as many.
    pub fn ahead(&self) -> Option<&Candidate> {
        let key = match self.votes.p.cmp(&self.votes.q) {
            Ordering::Greater => Side::P,
            Ordering::Less => Side::Q,
            Ordering::Equal => return None,
        };
        self.candidates.iter().find(|it| it.key == key)
    }
}

/// A panel, by name and by everything that determines its requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PanelRef {
    /// Its name.
    pub name: String,
    /// The digest of its settings, including its prompts.
    pub id: String,
}

/// One of the two sides that a panel compares.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The first in the plan.
    P,
    /// The other.
    Q,
}

impl Side {
    /// Both, in the order of the plan.
    pub const BOTH: [Self; 2] = [Self::P, Self::Q];
}

/// The contestant behind a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Candidate {
    /// The key.
    pub key: Side,
    /// The participant's id, or the team's; of an answer, its author's.
    pub participant: String,
    /// The number of the statement, if it is one answer that is judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<u32>,
    /// The families of its models.
    pub families: Vec<String>,
}

impl Candidate {
    /// Whether these are two answers and not two sides of a debate.
    pub fn are_answers(all: &[Self]) -> bool {
        !all.is_empty() && all.iter().all(|it| it.statement.is_some())
    }
}

/// The judges' view of the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sight {
    /// The layout.
    pub kind: ViewKind,
    /// The number of names of participants and models replaced in the copy.
    pub masked: u32,
    /// The numbers of omitted statements: emergency replies, which are not arguments.
    pub omitted: Vec<u32>,
}

/// How readings become votes, and votes become a winner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rule {
    /// How a judge's readings become its vote: `both_or_tie`, for a side only if it is ahead in both orders.
    pub reconcile: String,
    /// The reading orders of each judge.
    pub orders: Orders,
    /// Two totals that are no further apart are level.
    pub tie_within: f64,
    /// How votes become a winner: `votes`.
    pub aggregate: String,
    /// Minimum votes, ties among them, that make a verdict.
    pub quorum: u32,
}

/// The votes of judges who may vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Votes {
    /// For the first candidate.
    pub p: u32,
    /// For the second.
    pub q: u32,
    /// For neither.
    pub tie: u32,
}

impl Votes {
    /// Those for whoever has more, and those for the other.
    pub fn most_and_least(self) -> [u32; 2] {
        [self.p.max(self.q), self.p.min(self.q)]
    }
}

/// What a winner, or that there is none, rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WinnerReason {
    /// More votes than for the other and than for neither.
    Majority,
    /// No such majority.
    Tied,
    /// Too few judges gave a vote.
    NoQuorum,
}

/// What became of a judge's seat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Seat {
    /// The digest of the judge's weights.
    pub digest: Option<String>,
    /// The families assigned to its model.
    pub families: Vec<String>,
    /// Whether it votes.
    pub status: SeatStatus,
    /// Why it does not vote, if it is too close to a debater.
    pub recusal: Option<Recusal>,
    /// Its vote; `null` without one.
    pub vote: Option<Vote>,
    /// The basis of the vote, or of its absence.
    pub vote_reason: Option<VoteReason>,
    /// The mean margin of its readings, without repeats.
    pub margin: Option<f64>,
}

/// Whether a judge votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeatStatus {
    /// It votes.
    Voting,
    /// It was recused and not asked.
    Recused,
    /// It was recused but still asked; its vote never counts.
    Shadow,
    /// It may vote, but none of its readings is usable.
    Failed,
}

/// Why a judge does not vote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recusal {
    /// What it shares with a debater.
    pub reason: RecusalReason,
    /// The debater's id.
    pub with: String,
    /// What is shared: a digest, a family or a model's name.
    pub shares: String,
}

/// What a judge shares with a debater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecusalReason {
    /// The weights.
    SameDigest,
    /// The model's name, if digests are unknown.
    Named,
    /// An ancestor: one was made from the other, or both from the same.
    SameLineage,
    /// The family.
    SameFamily,
}

/// A judge's vote.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Vote {
    /// For the first candidate.
    P,
    /// For the second.
    Q,
    /// For neither.
    Tie,
}

impl Vote {
    /// The side that is ahead by a margin of the first over the second.
    pub fn of(margin: f64, tie_within: f64) -> Self {
        // Totals are sums of weights: what differs in the seventh place is level.
        let (ahead, level) = (margin.abs(), tie_within + 1e-6);
        match (ahead <= level, margin > 0.0) {
            (true, _) => Self::Tie,
            (false, true) => Self::P,
            (false, false) => Self::Q,
        }
    }

    /// 1 for the first candidate, -1 for the second, 0 for neither.
    pub fn sign(self) -> f64 {
        match self {
            Self::P => 1.0,
            Self::Q => -1.0,
            Self::Tie => 0.0,
        }
    }
}

/// The basis of a vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VoteReason {
    /// All readings put the same side ahead.
    Agreed,
    /// They disagree.
    OrdersDisagree,
    /// All readings are ties.
    Equal,
    /// A reading needed for the vote is unusable.
    ReadingMissing,
}

/// How a panel's judge read, and what follows from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PanelReading {
    /// The number of the reading in this order, from 1; only the first counts for the vote.
    pub repeat: u32,
    /// The names of the sides in the prompt, by key.
    pub labels: BTreeMap<Side, String>,
    /// The criteria in the order of the prompt.
    pub criteria: Vec<String>,
    /// The first candidate's total minus the second's; `null` without a judgment.
    pub margin: Option<f64>,
    /// The side ahead; `null` without a judgment.
    pub pick: Option<Vote>,
}
