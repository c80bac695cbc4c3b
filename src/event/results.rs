//! The formats' own results, as far as they are read outside the format and its source record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ending::Outcome;
use super::winner::Winner;

/// Those of an outcome's details that are read: each format gives some of them, by these names.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct Results {
    /// Whether the query called for a debate.
    pub triggered: Option<bool>,
    /// The stance that enough of the participants share.
    pub consensus: Option<String>,
    /// Those who ended at another stance than the leading one.
    pub dissent: Vec<String>,
    /// Who was not voted out.
    pub standing: Option<String>,
    /// Why the rounds ended.
    pub end_reason: Option<EndReason>,
    /// Whether fewer rounds were held than there might have been.
    pub early_stopped: Option<bool>,
    /// Who won which round.
    pub round_winners: Vec<RoundWinner>,
    /// How the debate went, by the judge who speaks for the verdict.
    pub summary: Option<String>,
    /// The id of that judge. Earlier versions do not have it.
    pub summary_by: Option<String>,
    /// The last score that a skeptic stated.
    pub quality_score: Option<f64>,
    /// What judges gave the final answer.
    pub auto_score: Option<AutoScore>,
    /// How judges compared the first answer with the final one.
    pub comparison: Option<AnswersCompared>,
    /// Model time of the synthesis.
    pub synthesis_ms: Option<u64>,
    /// Model time of all calls but those for a retrieval.
    pub model_ms: Option<u64>,
}

/// Why rounds ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// All were held.
    Completed,
    /// The moderator ended them.
    EndedByModerator,
    /// The debate failed.
    Failed,
}

/// Who won a round that was judged.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RoundWinner {
    /// The round.
    pub round: u32,
    /// Who won it; `None` where nobody did.
    pub winner: Option<Winner>,
    /// The reason.
    pub reason: String,
}

/// What judges' scores of a final answer come to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AutoScore {
    /// The mean of the valid judges' weighted totals, from 1 to 10.
    pub score: f64,
    /// The means by criterion.
    #[serde(default)]
    pub breakdown: BTreeMap<String, f64>,
    /// How many judges gave a valid score.
    #[serde(skip)]
    pub judges: usize,
    /// The judges' reasons; with several judges each behind its name.
    #[serde(default)]
    pub justification: String,
    /// Whether more than half of the valid judges hold that question and answer would make a good example to train on.
    #[serde(default)]
    pub would_benefit_from_finetune: bool,
}

/// How judges compared a first answer with a final one, blind and in both orders.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct AnswersCompared {
    /// Which is better.
    pub better: Option<BetterAnswer>,
    /// Each judge's comparison.
    pub judges: Vec<AnswersComparedBy>,
}

/// One judge's comparison of two answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct AnswersComparedBy {
    /// Which is better; `None` without a valid reading.
    pub better: Option<BetterAnswer>,
    /// Whether its two readings disagree.
    pub changed_with_the_order: bool,
}

/// Which of two answers is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BetterAnswer {
    /// The first.
    First,
    /// The final one.
    Final,
    /// Neither.
    Equal,
}

impl BetterAnswer {
    /// The answer in words, for a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::First => "the first answer",
            Self::Final => "the final answer",
            Self::Equal => "neither",
        }
    }

    /// What the final answer gained, as a share of a win.
    pub fn gain(self) -> f64 {
        match self {
            Self::First => 0.0,
            Self::Equal => 0.5,
            Self::Final => 1.0,
        }
    }
}

impl AnswersCompared {
    /// The share of judges whose readings disagree; `None` without a judge who was heard.
    pub fn flips(&self) -> Option<f64> {
        let heard = self.judges.iter().filter(|judge| judge.better.is_some());
        let changed = heard.clone().filter(|judge| judge.changed_with_the_order);
        let (changed, heard) = (changed.count(), heard.count());
        (heard > 0).then(|| changed as f64 / heard as f64)
    }
}

impl Results {
    /// Those of an outcome, if they are what a format gives; none without one.
    pub fn read(outcome: Option<&Outcome>) -> Result<Self, serde_json::Error> {
        let read = outcome.map(|outcome| Self::deserialize(&outcome.details));
        Ok(read.transpose()?.unwrap_or_default())
    }

    /// The same; none if they are not.
    pub fn of(outcome: Option<&Outcome>) -> Self {
        Self::read(outcome).unwrap_or_default()
    }
}
