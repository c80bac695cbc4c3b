//! Debates' answers on open topics against those of a model alone.

use schemars::JsonSchema;
use serde::Serialize;

use super::answers::CellMatch;
use statistics::estimate::Estimate;
use statistics::paired::Difference;

/// How a debate's answers fare against those of one model alone, which had as many tokens, by the verdicts of a panel or of people.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AgainstAlone {
    /// The verdicts: `panel:NAME` or `human`; `any panel` if nobody has read a comparison.
    pub verdicts: String,
    /// The share of comparisons in which the debate's answer is better; neither counts half. Clustered by topic.
    pub preferred: Estimate,
    /// `preferred` minus one half, which is what two equal answers would have.
    #[serde(flatten)]
    pub found: Difference,
    /// Comparisons in which the debate's answer is better.
    pub better: usize,
    /// Comparisons in which neither is.
    pub even: usize,
    /// Comparisons in which the answer of the model alone is.
    pub worse: usize,
    /// Comparisons without a verdict: too few votes, or not read.
    pub undecided: usize,
    /// Comparisons in which a fallback model or an emergency reply spoke for someone, on either side. They are in no other number.
    pub replaced: usize,
    /// Comparisons with a debate that has changed since. They are in no other number.
    pub stale: usize,
    /// Whether the tokens of every cell are as close to those of its debates as the job requires.
    pub matched: bool,
    /// The tokens of each cell.
    pub cells: Vec<CellMatch>,
    /// Words of the debates' answers.
    pub words: Estimate,
    /// Words of the answers of the model alone.
    pub words_alone: Estimate,
    /// The underlying comparisons.
    pub debates: Vec<usize>,
}
