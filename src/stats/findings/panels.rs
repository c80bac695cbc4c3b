//! What panels found, and how far their judges can be trusted.

use schemars::JsonSchema;
use serde::Serialize;

use super::counts::JudgmentCounts;
use statistics::agreement::Agreement;
use statistics::estimate::Estimate;

/// A panel over all debates that it judged.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PanelRow {
    /// Its name, with the first digits of its id where several have that name.
    pub panel: String,
    /// Verdicts with a winner.
    pub won: usize,
    /// Verdicts that are a draw.
    pub drawn: usize,
    /// Debates without a verdict: too few votes.
    pub no_quorum: usize,
    /// The share of debates with both in which the panel and the debate's own outcome have the same winner.
    pub like_own: Estimate,
    /// How far the votes agree.
    pub agreement: Agreement,
    /// Its judges.
    pub judges: Vec<PanelJudge>,
    /// How often two judges gave the same vote on one debate.
    pub pairs: Vec<JudgePair>,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// A judge on a panel, by its model.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PanelJudge {
    /// The model.
    pub judge: String,
    /// Debates in which it may vote.
    pub voting: usize,
    /// Debates in which it was recused, asked or not.
    pub recused: usize,
    /// Its judgments, by status.
    pub judgments: JudgmentCounts,
    /// What being read first is worth to a side, in points of the total.
    pub slot_effect: Estimate,
    /// The share of readings in which the side that was read first is ahead; a tie counts half.
    pub first_slot: Estimate,
    /// The p-value of that against one half: exact where no topic was judged twice.
    pub first_slot_p: Option<f64>,
    /// Why there is none.
    pub first_slot_reason: Option<String>,
    /// The share of debates whose two readings, in opposite orders, do not have the same side ahead.
    pub flips: Estimate,
    /// Of these, the share of all in which one has one side ahead and the other the other.
    pub reversed: Estimate,
    /// The share in which one reading is level.
    pub half_tied: Estimate,
    /// The share of debates whose two readings in the same order do not have the same side ahead: chance.
    pub repeat_flips: Estimate,
    /// How much more often readings in opposite orders differ than those in the same order, over debates with both.
    pub excess: Estimate,
    /// What a criterion gains by being asked for first, in points of its score.
    pub criterion_order: Estimate,
    /// What it gives its own family, as a shadow, above the judges that vote on the same debate, in points of the margin.
    pub self_preference: Estimate,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// Two judges of a panel.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct JudgePair {
    /// The models.
    pub judges: [String; 2],
    /// The share of debates on which both voted alike.
    pub alike: Estimate,
}
