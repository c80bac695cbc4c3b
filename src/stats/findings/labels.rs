//! What people say of debates, how far judges agree with them, and judges' rates corrected by them.

use schemars::JsonSchema;
use serde::Serialize;

use statistics::agreement::Agreement;
use statistics::estimate::Estimate;

/// What people say.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Labels {
    /// People who read debates.
    pub raters: usize,
    /// Debates that were drawn for them at random.
    pub drawn: usize,
    /// How far people agree with each other.
    pub people: Agreement,
    /// The share of debates on which a person who read it twice, with the sides exchanged, said the same.
    pub repeats: Estimate,
    /// How far verdicts and judges agree with people.
    pub judges: Vec<LikePeople>,
    /// Rates of wins by judges, by people, and by judges corrected by people.
    pub corrected: Vec<CorrectedRate>,
    /// The debates that people read.
    pub debates: Vec<usize>,
}

/// How far somebody's verdicts are those of people.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LikePeople {
    /// Whose: `own`, `panel:NAME`, or `panel:NAME/MODEL` for one judge of a panel.
    pub verdicts: String,
    /// Agreement on who is ahead.
    pub agreement: Agreement,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// How often a model wins against others; a draw is half a win.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CorrectedRate {
    /// Whose verdicts are corrected: `own` or `panel:NAME`.
    pub verdicts: String,
    /// The model.
    pub model: String,
    /// By the verdicts alone.
    pub judged: Estimate,
    /// By people alone, over the debates that were drawn for them.
    pub people: Estimate,
    /// By the verdicts, corrected by people. Its `n` counts debates that people read.
    pub corrected: Estimate,
    /// How much of the verdicts counts in it: 0 nothing, 1 all.
    pub lambda: Option<f64>,
    /// The debates behind it.
    pub debates: Vec<usize>,
}
