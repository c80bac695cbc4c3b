//! Ballots, verdicts, audience votes and labels, as a debate's files and `rebut show` tell them.

pub(super) mod audience_votes;
pub(super) mod ballots;
pub(super) mod decided;
pub(super) mod labels;
pub(super) mod own_model_decides;
mod own_voters;
pub(crate) mod panels;
pub(super) mod reasons;
pub(super) mod score_lines;
pub(super) mod self_judging;
pub(super) mod spoken;
pub(super) mod verdict;
