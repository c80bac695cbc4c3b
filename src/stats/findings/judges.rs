//! What is known about the judges; people's labels, their agreement with judges, and judges' rates corrected by them.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::counts::JudgmentCounts;
use super::panels::JudgePair;
use crate::facts::Kind;
use crate::stats::claim::LEAST_TOPICS;
use statistics::agreement::Agreement;
use statistics::estimate::Estimate;

/// What is known about the judges.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Judges {
    /// Agreement, by format, kind and subject.
    pub agreement: Vec<AgreementRow>,
    /// Each judge's scores, by model, format and kind.
    pub rows: Vec<JudgeRow>,
    /// Whether the contestant named first does better.
    pub order: Vec<OrderBias>,
    /// How often two judges had the same side ahead.
    pub pairs: Vec<JudgesAlike>,
    /// The mean total by judge (model) and family of the judged model.
    pub families: Vec<FamilyCell>,
    /// Whether longer texts score higher: the slope of the total on the natural logarithm of the tokens judged, within debates and
    /// between texts of the same model.
    pub verbosity: Vec<Slope>,
}

/// What judges may agree on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rated {
    /// The total.
    Total,
    /// The total less the judge's mean in the debate.
    WithinDebate,
    /// Whether a debater goes on.
    Keep,
    /// Who is ahead.
    Winner,
    /// The majority of the judges, compared with that of the audience.
    Audience,
    /// A criterion, by its name.
    #[serde(untagged)]
    Criterion(String),
}

impl fmt::Display for Rated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// Agreement between judges of the same subject. Seats of one model are one judge: the first of them counts.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AgreementRow {
    /// The format.
    pub format: String,
    /// Whether judges were asked about each round (`ballot`) or about the whole debate (`verdict`).
    pub kind: Kind,
    /// The subject: a criterion, `total`, `within_debate` (the total less the judge's mean in the debate, of debates with a winner),
    /// `keep`, `winner`, or `audience` (its majority compared with the judges').
    #[schemars(with = "String")]
    pub what: Rated,
    /// `nominal`, `ordinal` or `interval`.
    pub metric: String,
    /// How far they agree.
    #[serde(flatten)]
    pub agreement: Agreement,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// A judge, in one format, asked about rounds or about whole debates.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct JudgeRow {
    /// The model that judged.
    pub judge: String,
    /// The format.
    pub format: String,
    /// What it was asked about: each round (`ballot`) or the whole debate (`verdict`).
    pub kind: Kind,
    /// Its judgments, by status.
    pub judgments: JudgmentCounts,
    /// The mean total it gave.
    pub mean: Estimate,
    /// How much higher it scored than the other judges of the same texts.
    pub leniency: Estimate,
    /// Its scores minus another judge's for texts of its own family, minus the same difference for other families; over pairs of
    /// judgments, except those of others on their own families.
    pub self_preference: Estimate,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// Whether the contestant named first does better, or the side, in readings of the whole debate.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OrderBias {
    /// The format.
    pub format: String,
    /// The judge's model; `null` for all judges together.
    pub judge: Option<String>,
    /// The share of decided judgments in which the contestant named first has the higher total (½ = no bias), over contestants read in
    /// both places.
    pub first_slot: Estimate,
    /// The share of pairs of readings in opposite orders, of the same debate by the same judge, with the same decision.
    pub consistent: Estimate,
    /// The effect of being named first on a side, in points of the total: half the difference between the two orders, over pairs of readings
    /// of the same debate by the same judge.
    pub slot_effect: Estimate,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// How often two tosses of a coin agree.
const AS_COINS: f64 = 0.5;

impl OrderBias {
    /// Whether readings in both orders are not shown to agree more often than two tosses of a coin do.
    pub(crate) fn is_like_coins(&self) -> bool {
        let same = &self.consistent;
        same.clusters >= LEAST_TOPICS && same.low.is_some_and(|low| low <= AS_COINS)
    }
}

impl Judges {
    /// Whether the judges of a format together are like coins: then draws, which their turning makes, narrow intervals of strength.
    pub(crate) fn leave_draws(&self) -> bool {
        self.order.iter().any(|row| row.judge.is_none() && row.is_like_coins())
    }
}

/// Two judges of the same debates.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct JudgesAlike {
    /// The format.
    pub format: String,
    /// The two, and how often both had the same side ahead, or neither.
    #[serde(flatten)]
    pub pair: JudgePair,
}

/// A judge's scores for one family of models.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FamilyCell {
    /// The format.
    pub format: String,
    /// The model that judged.
    pub judge: String,
    /// The judge's family.
    pub judge_family: Option<String>,
    /// The family of the judged model.
    pub family: String,
    /// Whether the judge shares that family, or one of them.
    pub own: bool,
    /// The mean total.
    pub mean: Estimate,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// How the total depends on length, within debates and models.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Slope {
    /// The format.
    pub format: String,
    /// The judge's model; `null` for all judges together.
    pub judge: Option<String>,
    /// Points of total per unit of the natural logarithm of tokens.
    pub slope: Estimate,
    /// Points of total for twice as many tokens.
    pub per_doubling: Estimate,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// Labels by people.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Labels {
    /// People who read debates.
    pub raters: usize,
    /// Debates drawn for them at random.
    pub drawn: usize,
    /// Agreement between people.
    pub people: Agreement,
    /// The share of debates with the same answer by a person who read them twice, with the sides swapped.
    pub repeats: Estimate,
    /// The debates that somebody read twice; several people may have read the same.
    pub repeated: Vec<usize>,
    /// Agreement of verdicts and judges with people.
    pub judges: Vec<LikePeople>,
    /// Why no rate is corrected if there are more debates than people's were drawn from; omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// Win rates by judges, by people, and by judges corrected by people.
    pub corrected: Vec<CorrectedRate>,
    /// The debates that people read.
    pub debates: Vec<usize>,
}

/// Agreement of someone's verdicts with people's.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LikePeople {
    /// The verdicts: `own`, `panel:NAME`, or `panel:NAME/MODEL` for one judge of a panel.
    pub verdicts: String,
    /// Agreement on who is ahead.
    pub agreement: Agreement,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// How often a model wins against others, with a draw as half a win.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CorrectedRate {
    /// The corrected verdicts: `own` or `panel:NAME`.
    pub verdicts: String,
    /// The model.
    pub model: String,
    /// The rate by verdicts only.
    pub judged: Estimate,
    /// The rate by people only, over the debates drawn for them.
    pub people: Estimate,
    /// The rate by verdicts, corrected by people. Its `n` counts debates that people read.
    pub corrected: Estimate,
    /// The weight of the verdicts in it, from 0 to 1.
    pub lambda: Option<f64>,
    /// The underlying debates.
    pub debates: Vec<usize>,
}
