//! How many debates and judgments there are.

use schemars::JsonSchema;
use serde::Serialize;

/// How many debates there are and how they went.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Counts {
    /// Debates with a trace. Debates that were not finished have none.
    pub planned: usize,
    /// As they should be.
    pub done: usize,
    /// Played to the end with something missing.
    pub degraded: usize,
    /// Not played to the end.
    pub failed: usize,
    /// Debates in which a contestant's reply was an emergency reply: counted, not compared.
    pub emergency: usize,
    /// Debates in which a fallback model spoke for a contestant: counted, not compared.
    pub fallback: usize,
    /// Distinct topics: the clusters of all intervals.
    pub topics: usize,
    /// Distinct models that argued.
    pub models: usize,
    /// Distinct judges, by model.
    pub judges: usize,
    /// Rehearsals among the debates that were counted.
    pub rehearsals: usize,
    /// Rehearsals that were left out.
    pub rehearsals_left_out: usize,
    /// Debates that the filters left out.
    pub filtered_out: usize,
    /// Directories that hold a debate of another directory again: counted once.
    pub copies: usize,
    /// Files that could not be read.
    pub damaged: usize,
    /// JudgmentCounts.
    pub judgments: JudgmentCounts,
}

/// How many judgments there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct JudgmentCounts {
    /// Asked for.
    pub planned: usize,
    /// Of use.
    pub valid: usize,
    /// Given, but of no use.
    pub invalid: usize,
    /// Not to be had.
    pub abstained: usize,
}
