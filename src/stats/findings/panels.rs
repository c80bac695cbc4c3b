//! The results of panels, and the reliability of their judges.

use schemars::JsonSchema;
use serde::Serialize;

use super::counts::JudgmentCounts;
use statistics::agreement::Agreement;
use statistics::estimate::Estimate;

/// What a panel compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PanelCompared {
    /// Two sides of a debate.
    Sides,
    /// The first and the final answer of a debate.
    FirstAndFinal,
    /// A debate's answer and that of one model alone.
    DebateAndAlone,
}

/// A panel over all debates that it judged and in which it compared the same.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PanelRow {
    /// Its name, with the first digits of its id if several have that name.
    pub panel: String,
    /// What it compared.
    pub compared: PanelCompared,
    /// Verdicts with a winner, or a better answer.
    pub won: usize,
    /// Verdicts that are a draw.
    pub drawn: usize,
    /// Debates without a verdict: too few votes.
    pub no_quorum: usize,
    /// The share of debates in which the panel and the debate's own outcome have the same winner, among debates with both.
    pub like_own: Estimate,
    /// Agreement between the votes.
    pub agreement: Agreement,
    /// Its judges.
    pub judges: Vec<PanelJudge>,
    /// How often two judges gave the same vote on a debate.
    pub pairs: Vec<JudgePair>,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// A judge on a panel, by its model.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PanelJudge {
    /// The model.
    pub judge: String,
    /// Debates in which it may vote.
    pub voting: usize,
    /// Debates in which it was recused, whether asked or not.
    pub recused: usize,
    /// Its judgments, by status.
    pub judgments: JudgmentCounts,
    /// The effect of being put first on a side, in points of the total.
    pub slot_effect: Estimate,
    /// The share of readings in which the side put first is ahead; a tie counts half.
    pub first_slot: Estimate,
    /// The p-value of `first_slot` against one half; exact if no topic was judged twice.
    pub first_slot_p: Option<f64>,
    /// Why there is none.
    pub first_slot_reason: Option<String>,
    /// The share of debates whose two readings, in opposite orders, disagree on the side ahead.
    pub flips: Estimate,
    /// The share of debates (of all) in which the two readings put opposite sides ahead; in the other flips, one is a tie.
    pub reversed: Estimate,
    /// The share of debates whose two readings in the same order disagree on the side ahead: chance.
    pub repeat_flips: Estimate,
    /// How much more often readings in opposite orders disagree than those in the same order, over debates with both.
    pub excess: Estimate,
    /// The effect on a criterion of coming first, in points of its score.
    pub criterion_order: Estimate,
    /// How far, as a shadow judge, it favours its own family compared with the voting judges of the same debate, in points of the margin.
    pub self_preference: Estimate,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// Two judges of a panel.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct JudgePair {
    /// The models.
    pub judges: [String; 2],
    /// The share of debates with the same vote by both.
    pub alike: Estimate,
}
