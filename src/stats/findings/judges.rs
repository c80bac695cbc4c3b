//! What is known about the judges.

use schemars::JsonSchema;
use serde::Serialize;

use super::counts::JudgmentCounts;
use statistics::agreement::Agreement;
use statistics::estimate::Estimate;

/// What is known about the judges.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Judges {
    /// Agreement, by format and subject.
    pub agreement: Vec<AgreementRow>,
    /// Each judge's scores, by model and format.
    pub rows: Vec<JudgeRow>,
    /// Whether the contestant that a judge reads first does better.
    pub order: Vec<OrderBias>,
    /// The mean total by judge (model) and family of the judged model.
    pub families: Vec<FamilyCell>,
    /// Whether longer statements score higher: the slope of the total on the natural logarithm of tokens, within debates.
    pub verbosity: Vec<Slope>,
}

/// How far judges of the same subject agree.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AgreementRow {
    /// The format.
    pub format: String,
    /// What was judged: a criterion, `total`, `keep`, `winner`, or `audience` (its majority against the judges').
    pub what: String,
    /// `nominal`, `ordinal` or `interval`.
    pub metric: String,
    /// How far they agree.
    #[serde(flatten)]
    pub agreement: Agreement,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// A judge, in one format.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct JudgeRow {
    /// The model that judged.
    pub judge: String,
    /// The format.
    pub format: String,
    /// Its judgments, by status.
    pub judgments: JudgmentCounts,
    /// The mean total it gave.
    pub mean: Estimate,
    /// How much more it gave than the other judges of the same texts.
    pub leniency: Estimate,
    /// What it gave above another judge to texts of its own family, less the same for other families; over pairs of judgments, those
    /// of others on their own families apart.
    pub self_preference: Estimate,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// Whether the contestant that is read first does better.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OrderBias {
    /// The format.
    pub format: String,
    /// The judge's model; `null` for all together.
    pub judge: Option<String>,
    /// The share of decided judgments in which the contestant read first has the higher total; ½ is none. Over contestants that were read in
    /// both places.
    pub first_slot: Estimate,
    /// The share of pairs of opposite reading orders of the same debate by the same judge that decide alike.
    pub consistent: Estimate,
    /// The debates behind it.
    pub debates: Vec<usize>,
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
    /// The family of the model that was judged.
    pub family: String,
    /// The mean total.
    pub mean: Estimate,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// How the total depends on length, within debates.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Slope {
    /// The format.
    pub format: String,
    /// The judge's model; `null` for all together.
    pub judge: Option<String>,
    /// Points of total per unit of the natural logarithm of tokens.
    pub slope: Estimate,
    /// The debates behind it.
    pub debates: Vec<usize>,
}
