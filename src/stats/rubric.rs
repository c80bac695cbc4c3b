//! A debate's rubric: only scores by the same rubric are compared.

use crate::facts::{Facts, Text};
use crate::text::joined;

/// The criteria that a debate was judged by, in order of their names, and their scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rubric<'c> {
    criteria: &'c [Text],
    scale: Option<(u8, u8)>,
}

impl<'c> Rubric<'c> {
    pub(super) fn from_facts(facts: &'c Facts) -> Self {
        Self {
            criteria: &facts.criteria,
            scale: facts.scale(),
        }
    }

    /// `clarity and relevance, 1 to 5`.
    pub(super) fn words(&self) -> String {
        let names: Vec<String> = self
            .criteria
            .iter()
            .map(|name| name.replace('_', " "))
            .collect();
        let scale = self
            .scale
            .map(|(least, most)| format!(", {least} to {most}"));
        format!("{}{}", joined(&names, "and"), scale.unwrap_or_default())
    }
}
