//! A judgment of the whole debate, as events and traces have it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::judgments::{Judge, Reading};
use super::panel_judging::{Judging, Seat};
use super::winner::Winner;

/// A judgment of the whole debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// `own` for the debate's own judges, `panel` for a panel that read it afterwards.
    pub source: String,
    /// The rubric.
    pub rubric: Rubric,
    /// The judges and their judgments.
    pub judges: Vec<VerdictJudge>,
    /// The winner's id, `draw`, or `null` without a judgment or if nobody can win.
    pub winner: Option<Winner>,
    /// The basis of the winner.
    pub winner_reason: Option<String>,
    /// What is known of a judging by a panel; nothing of the debate's own judges.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub judging: Option<Judging>,
}

/// The rubric.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rubric {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The digest of its text.
    pub digest: String,
    /// The lowest and highest score.
    #[serde(default)]
    pub scale: Option<(u8, u8)>,
}

/// A judge of the whole debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictJudge {
    /// Who.
    #[serde(flatten)]
    pub judge: Judge,
    /// Its judgments, one per order of the contestants.
    pub readings: Vec<Reading>,
    /// What became of its seat on a panel.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
}

impl Verdict {
    /// Whether the debate's own judges gave it, and not a panel that was asked later.
    pub fn is_own(&self) -> bool {
        self.source == "own"
    }
}
