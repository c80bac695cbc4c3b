//! A debate's rubric: only scores by the same rubric are compared.

use crate::facts::{Facts, Text};
use crate::text::joined;

/// The criteria that a debate was judged by, in order of their names, their scale, and the digest of what judges were told of them;
/// that is `None` where it is unknown, as for ballots: what a panel beside them was told is no part of what they gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rubric<'c> {
    criteria: &'c [Text],
    scale: Option<(u8, u8)>,
    digest: Option<&'c str>,
}

impl<'c> Rubric<'c> {
    pub(super) fn from_facts(facts: &'c Facts) -> Self {
        Self {
            criteria: &facts.criteria,
            scale: facts.scale(),
            digest: facts.rubric.as_deref().filter(|_| !facts.profile().rotates),
        }
    }

    /// The same in words: `clarity and relevance, 1 to 5`; with what tells it from those of the same criteria and scale.
    pub(super) fn told_among(&self, all: &[&Self]) -> String {
        let words = self.words();
        if !all.iter().any(|other| *other != self && other.words() == words) {
            return words;
        }
        let digest = self.digest.map(|digest| digest.get(..6).unwrap_or(digest));
        format!("{words}, instructions {}", digest.unwrap_or("unknown"))
    }

    fn words(&self) -> String {
        let names = self.criteria.iter().map(|name| name.replace('_', " "));
        let scale = self.scale.map(|(least, most)| format!(", {least} to {most}"));
        joined(names, "and") + &scale.unwrap_or_default()
    }
}
