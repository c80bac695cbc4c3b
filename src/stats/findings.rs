//! The findings on many debates: the structure of `report.json` and of `rebut stats --format json`. Every other form of the
//! report is rendered only from it.

mod answers;
mod counts;
mod course;
mod groups;
mod judges;
mod leaderboards;
mod panels;
mod places;
mod scores;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

pub use self::answers::{
    AgainstAlone, Answers, ArmAccuracy, ArmDifference, CellMatch, CurvePoint, SampleWorth,
};
pub use self::counts::{Counts, JudgmentCounts};
pub use self::course::{ConsensusRound, Example, Failure, ReadAs, Speed, Survival, Worth};
pub use self::groups::{Breakdown, DebaterRow, Debaters, Group, Measure, Unit};
pub use self::judges::{
    AgreementRow, CorrectedRate, FamilyCell, JudgeRow, Judges, JudgesAlike, Labels, LikePeople,
    OrderBias, Rated, Slope,
};
pub use self::leaderboards::{
    Confounded, Distance, Exchange, Leaderboards, Match, PointsBoard, PointsRow, StrengthBoard,
    StrengthRow, Support, SwappedPair, WinCount,
};
pub use self::panels::{JudgePair, PanelCompared, PanelJudge, PanelRow};
pub use self::places::{Asked, Coincidence, DesignCheck, PositionWins, Trait};
pub use self::scores::{AtEqualLength, Comparisons, Distribution, PairedDifference, PairedSeats};
use crate::event::Status;
use crate::facts::Text;

/// The version of the shape of `report.json`.
pub const FINDINGS_VERSION: &str = "6.2";

/// Resamples behind each bootstrap interval.
pub const REPLICATES: usize = 1000;

/// All findings.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Findings {
    /// The version of this format, MAJOR.MINOR.
    pub schema_version: String,
    /// When it was computed: the only difference between two runs on the same debates.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub generated_at: DateTime<Utc>,
    /// The data and parameters of the computation.
    pub provenance: Provenance,
    /// What the design of the debates allows to be compared; empty if no two models are compared.
    pub design: Vec<DesignCheck>,
    /// Key findings in sentences, with their uncertainty; the first is the verdict.
    pub headlines: Vec<String>,
    /// Caveats, in sentences.
    pub cautions: Vec<String>,
    /// How often questions with known answers were answered correctly; omitted if no debate has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Answers>,
    /// Debates' answers on open topics against those of a model alone, by panel; omitted if none are compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<AgainstAlone>,
    /// Numbers of debates, by status and kind.
    pub counts: Counts,
    /// Numbers by groups of debates.
    pub breakdowns: Vec<Breakdown>,
    /// Leaderboards by points and by strength.
    pub leaderboards: Leaderboards,
    /// What debaters do with arguments: from the notes, not from judgments.
    pub debaters: Debaters,
    /// Paired differences between models, one family per format.
    pub comparisons: Vec<Comparisons>,
    /// How often each score was given.
    pub distributions: Vec<Distribution>,
    /// What is known about the judges.
    pub judges: Judges,
    /// The results of panels that read finished debates, by name.
    pub panels: Vec<PanelRow>,
    /// Labels by people who read debates on label sheets; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Labels>,
    /// The share of weight behind the leading stance, by round of roundtables.
    pub consensus: Vec<ConsensusRound>,
    /// How long debaters lasted, in knockouts.
    pub survival: Option<Survival>,
    /// Debates worth reading first: the closest, the widest, the most disputed; empty with fewer than nine judged debates.
    pub examples: Vec<Example>,
    /// Tokens and times of calls by model and purpose.
    pub speeds: Vec<Speed>,
    /// What went wrong, most frequent first.
    pub failures: Vec<Failure>,
    /// How statements, judgments and notes in an unexpected form were read, most frequent first.
    pub read_as: Vec<ReadAs>,
    /// The counted debates, in order of their start. Other lists refer to them by `n`.
    pub debates: Vec<DebateLine>,
    /// Files that could not be read as traces.
    pub damaged: Vec<Damaged>,
}

impl Findings {
    /// Whether it is known what difference in strength could have been detected.
    pub(crate) fn know_power_of_strength(&self) -> bool {
        self.counts.know_power() && !self.judges.leave_draws()
    }
}

/// The data and parameters of the computation.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Provenance {
    /// The version of `rebut`.
    pub rebut: String,
    /// The command, as given.
    pub command: String,
    /// The filters, as given.
    pub filters: Vec<String>,
    /// The verdicts that count: `own`, `panel:NAME`, `panel:NAME@ID` or `human`.
    pub verdicts: String,
    /// The SHA-256 of the data read from the counted debates.
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
    /// Its directory, with `/` as separator, relative to the report (to the current directory for `stats`).
    pub path: String,
    /// Whether it has a page, `debate.html`. Debates of earlier versions have only `index.md`.
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
    /// Whether an emergency reply replaces a contestant's statement.
    pub emergency: bool,
    /// Whether a fallback model spoke for a contestant.
    pub fallback: bool,
    /// When it began.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub started_at: DateTime<Utc>,
}

/// A file that could not be read as a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Damaged {
    /// The file.
    pub path: String,
    /// The cause.
    pub cause: String,
}
