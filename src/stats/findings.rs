//! What was found in many debates: the shape of `report.json` and of `rebut stats --format json`. Every other form of the
//! report is rendered from it and from nothing else.

mod answers;
mod counts;
mod course;
mod debaters;
mod examples;
mod groups;
mod judges;
mod labels;
mod leaderboards;
mod panels;
mod scores;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

pub use self::answers::{Answers, ArmAccuracy, ArmDifference, CellMatch};
pub use self::counts::{Counts, JudgmentCounts};
pub use self::course::{ConsensusRound, Failure, ReadAs, Speed, Survival};
pub use self::debaters::{DebaterRow, Debaters};
pub use self::examples::{Example, Worth};
pub use self::groups::{Breakdown, Group, Measure, Unit};
pub use self::judges::{AgreementRow, FamilyCell, JudgeRow, Judges, OrderBias, Slope};
pub use self::labels::{CorrectedRate, Labels, LikePeople};
pub use self::leaderboards::{
    Confounded, Leaderboards, Match, PointsBoard, PointsRow, StrengthBoard, StrengthRow,
    SwappedPair, Trait,
};
pub use self::panels::{JudgePair, PanelJudge, PanelRow};
pub use self::scores::{Comparisons, Distribution, PairedDifference};
use crate::event::Status;
use crate::facts::Text;

/// The version of the shape of `report.json`.
pub const FINDINGS_VERSION: &str = "1.4";

/// Resamples behind each bootstrap interval.
pub const REPLICATES: usize = 1000;

/// Everything that was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Findings {
    /// The version of this shape, MAJOR.MINOR.
    pub schema_version: String,
    /// When it was computed: all that differs between two runs over the same debates.
    pub generated_at: DateTime<Utc>,
    /// What it was computed from and how.
    pub provenance: Provenance,
    /// Key findings in sentences, with their uncertainty; the first is the verdict.
    pub headlines: Vec<String>,
    /// Caveats, in sentences.
    pub cautions: Vec<String>,
    /// How often questions with known answers were answered correctly; left out where no debate has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Answers>,
    /// How many debates there are, and how they went.
    pub counts: Counts,
    /// Numbers by groups of debates.
    pub breakdowns: Vec<Breakdown>,
    /// Leaderboards by points and by strength.
    pub leaderboards: Leaderboards,
    /// What debaters do: as it was noted, not as it was judged.
    pub debaters: Debaters,
    /// Paired differences between models, a family for each format.
    pub comparisons: Vec<Comparisons>,
    /// How often each score was given.
    pub distributions: Vec<Distribution>,
    /// What is known about the judges.
    pub judges: Judges,
    /// What panels that read debates afterwards found, by name.
    pub panels: Vec<PanelRow>,
    /// What people say who read debates on label sheets; left out where nobody did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Labels>,
    /// The share of weight behind the leading stance, by round of roundtables.
    pub consensus: Vec<ConsensusRound>,
    /// How long debaters stood, in knockouts.
    pub survival: Option<Survival>,
    /// Debates worth reading first: the closest, the widest, the most disputed; none of fewer than nine judged ones.
    pub examples: Vec<Example>,
    /// Tokens and times of calls by model and purpose.
    pub speeds: Vec<Speed>,
    /// What went wrong, most frequent first.
    pub failures: Vec<Failure>,
    /// What made statements, judgments and notes usable that were not given as asked, most frequent first.
    pub read_as: Vec<ReadAs>,
    /// The counted debates, in order of their starts. Lists of debates elsewhere name them by `n`.
    pub debates: Vec<DebateLine>,
    /// Files that could not be read as traces.
    pub damaged: Vec<Damaged>,
}

/// What findings were computed from and how.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Provenance {
    /// The version of `rebut`.
    pub rebut: String,
    /// The command, as given.
    pub command: String,
    /// The filters, as given.
    pub filters: Vec<String>,
    /// Whose verdicts count: `own`, `panel:NAME` or `human`.
    pub verdicts: String,
    /// The SHA-256 of what was read of the counted debates.
    pub corpus: String,
    /// The seed of resampling.
    pub seed: u64,
    /// Resamples behind each bootstrap interval.
    pub replicates: usize,
    /// The confidence of all intervals.
    pub confidence: f64,
}

/// A counted debate.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DebateLine {
    /// Its number in this report, from 1.
    pub n: usize,
    /// Its id, 64 hexadecimal digits.
    pub id: Arc<str>,
    /// Its directory, with `/` between the parts, relative to where the report is written (to the current directory for `stats`).
    pub path: String,
    /// Whether it has a page, `debate.html`, as debates of earlier versions have not; else `index.md` is what to read.
    pub page: bool,
    /// The format.
    #[schemars(with = "String")]
    pub format: Text,
    /// The job.
    #[schemars(with = "String")]
    pub job: Text,
    /// The topic.
    #[schemars(with = "String")]
    pub topic: Text,
    /// How it ended.
    pub status: Status,
    /// Why it is not `done`.
    #[schemars(with = "Option<String>")]
    pub cause: Option<Text>,
    /// The outcome in one line.
    pub outcome: Option<Arc<str>>,
    /// Whether it is a rehearsal.
    pub rehearsal: bool,
    /// Whether an emergency reply stands in for a contestant's statement.
    pub emergency: bool,
    /// Whether a fallback model spoke for a contestant.
    pub fallback: bool,
    /// When it began.
    pub started_at: DateTime<Utc>,
}

/// A file that could not be read as a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Damaged {
    /// The file.
    pub path: String,
    /// Why not.
    pub cause: String,
}
