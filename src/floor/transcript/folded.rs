//! The notes that replace a finished round.

use std::collections::BTreeSet;

use crate::flow::Flow;

/// Replaces the statements of an exchange once its round is folded.
#[derive(Debug, Clone, Default)]
pub(in crate::floor) struct Folded {
    /// The round in which the exchange ended.
    pub(in crate::floor) round: u32,
    pub(in crate::floor) summary: String,
    /// The numbers of its statements.
    pub(in crate::floor) statements: BTreeSet<u32>,
    /// The flow as it was then. Later rounds do not change it, so that prompts keep their beginning.
    pub(in crate::floor) flow: Flow,
}
