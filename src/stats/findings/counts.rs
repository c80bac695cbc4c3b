//! Numbers of debates and judgments.

use schemars::JsonSchema;
use serde::Serialize;

/// Numbers of debates, by status and kind.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Counts {
    /// The counted debates: those with a trace.
    pub counted: usize,
    /// The debates that the jobs asked for: with a trace, begun, or not begun by the last batch of an output directory; `null` if that
    /// is not known: with filters, with older plans, after a batch that was killed, if the last batch did not have all of them,
    /// or while it has not come to some that were begun, or ended, before it.
    pub planned: Option<usize>,
    /// Debates that went as planned.
    pub done: usize,
    /// Debates that ended with something important missing.
    pub degraded: usize,
    /// Debates that ended early.
    pub failed: usize,
    /// Debates that were begun, or that the last batch of some command names as unfinished, and have not ended. They are in no other
    /// number but `planned`; there may be more where that is `null`.
    pub unfinished: usize,
    /// Debates that the last batch did not begin. They are in no other number but `planned`.
    pub not_started: usize,
    /// Debates in which a contestant's reply was an emergency reply: counted, not compared.
    pub emergency: usize,
    /// Debates in which a fallback model spoke for a contestant: counted, not compared.
    pub fallback: usize,
    /// Debates won or drawn by the verdict of their own judges, if that is what counts.
    pub decided: usize,
    /// Of these, those with weak evidence: one judge decides, no more judges are for the winner than for the other side, the margin is
    /// smaller than the difference between a judge's readings, or it is a draw though a judge's readings differ in who is ahead. Seats
    /// of one model are one judge. A summary that an earlier version wrote may not say so.
    pub weak: usize,
    /// Controls among the counted debates.
    pub controls: usize,
    /// Distinct topics, by which all intervals are clustered.
    pub topics: usize,
    /// The effective number of topics (Kish): (Σ n)² / Σ n² over their numbers of debates.
    pub topics_effective: Option<f64>,
    /// Distinct models that argued.
    pub models: usize,
    /// Distinct judges, by model.
    pub judges: usize,
    /// Rehearsals among the counted debates.
    pub rehearsals: usize,
    /// Excluded rehearsals.
    pub rehearsals_left_out: usize,
    /// Debates excluded because they belong to an older plan version.
    pub older_plans_left_out: usize,
    /// Debates excluded by the filters.
    pub filtered_out: usize,
    /// Directories with a copy of a debate in another directory. Each debate counts once: the copy with more verdicts, labels and
    /// ratings, otherwise the first by path.
    pub copies: usize,
    /// Counted debates with the id of another but different content: the same job was run again elsewhere.
    pub repetitions: usize,
    /// Files that could not be read.
    pub damaged: usize,
    /// Judgments, by status: a knockout's ballots, and readings of whole debates and final answers.
    pub judgments: JudgmentCounts,
}

impl Counts {
    /// Whether no model was asked for any of the debates.
    pub(crate) fn are_rehearsals(&self) -> bool {
        self.counted > 0 && self.rehearsals == self.counted
    }

    /// Whether they tell what could have been detected: made-up replies say nothing of how much models vary.
    pub(crate) fn know_power(&self) -> bool {
        self.rehearsals == 0
    }
}

/// Numbers of judgments.
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
