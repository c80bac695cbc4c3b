//! How many debates and judgments there are.

use schemars::JsonSchema;
use serde::Serialize;

/// How many debates there are, and how they went.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Counts {
    /// Debates with a trace. Debates that were not finished have none.
    pub planned: usize,
    /// Debates that went as planned.
    pub done: usize,
    /// Debates played to the end with something missing.
    pub degraded: usize,
    /// Debates not played to the end.
    pub failed: usize,
    /// Debates in which a contestant's reply was an emergency reply: counted, not compared.
    pub emergency: usize,
    /// Debates in which a fallback model spoke for a contestant: counted, not compared.
    pub fallback: usize,
    /// Distinct topics, by which all intervals are clustered.
    pub topics: usize,
    /// How many topics with equal numbers of debates they are worth (Kish): (Σ n)² / Σ n² over their numbers of debates.
    pub topics_effective: Option<f64>,
    /// Distinct models that argued.
    pub models: usize,
    /// Distinct judges, by model.
    pub judges: usize,
    /// Rehearsals among the counted debates.
    pub rehearsals: usize,
    /// Rehearsals left out.
    pub rehearsals_left_out: usize,
    /// Debates left out because an older version of plans made them.
    pub older_plans_left_out: usize,
    /// Debates left out by the filters.
    pub filtered_out: usize,
    /// Directories that repeat a debate of another directory. Each debate counts once.
    pub copies: usize,
    /// Counted debates that have the id of another and other content: the same job was run again elsewhere.
    pub repetitions: usize,
    /// Files that could not be read.
    pub damaged: usize,
    /// Judgments, by status.
    pub judgments: JudgmentCounts,
}

/// How many judgments there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct JudgmentCounts {
    /// Asked for.
    pub planned: usize,
    /// Valid.
    pub valid: usize,
    /// Given, but invalid.
    pub invalid: usize,
    /// Missing: the judge gave none.
    pub abstained: usize,
}
