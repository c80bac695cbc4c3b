//! People's labels, their agreement with judges, and judges' rates corrected by them.

use schemars::JsonSchema;
use serde::Serialize;

use statistics::agreement::Agreement;
use statistics::estimate::Estimate;

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
