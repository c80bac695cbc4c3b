//! The content of a critique, in whatever form it came.

use serde::{Deserialize, Serialize};

use super::mark::{Resolution, Severity};
use crate::text;

/// An issue that a critique raises.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// How grave it is.
    pub severity: Severity,
    /// By which strategy it attacks, where that is known.
    pub strategy: Option<String>,
    /// The words of the answer that it is about, where the skeptic quotes them.
    pub claim: Option<String>,
    /// What is wrong.
    pub text: String,
    /// What would fix it, where that is told apart.
    pub mend: Option<String>,
}

impl Issue {
    /// Its strategy in words.
    pub fn attack(&self) -> Option<String> {
        let words = self.strategy.as_ref()?.replace('_', " ");
        Some(words.replace("counter example", "counterexample"))
    }

    /// What is wrong, in these words, behind those of the answer that it is about, which are shortened.
    pub fn quoting(&self, most: usize, fault: String) -> String {
        let claim = self.claim.iter();
        let claim = claim.map(|claim| format!("“{}” – ", text::shorten(claim, most)));
        claim.chain([fault]).collect()
    }
}

/// How an earlier point stands now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::formats::dialectic) struct Settled {
    /// The number that the skeptic was shown.
    pub(in crate::formats::dialectic) n: u32,
    pub(in crate::formats::dialectic) resolution: Resolution,
    /// What remains, or what settled it.
    pub(in crate::formats::dialectic) words: String,
}

/// What a critique says.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::formats::dialectic) struct Critique {
    /// New issues, in order.
    pub(in crate::formats::dialectic) issues: Vec<Issue>,
    /// How earlier points stand.
    pub(in crate::formats::dialectic) settled: Vec<Settled>,
    /// Lines that settle something without saying which point.
    pub(in crate::formats::dialectic) unnumbered: u32,
    /// Whether points can be told: it came in its form, or a line begins with a mark.
    pub(in crate::formats::dialectic) marked: bool,
    /// Whether it raises a critical issue, or shows the mark of one with an earlier point that is not resolved.
    pub(in crate::formats::dialectic) critical: bool,
    /// Whether the skeptic gave the signal. It ends nothing.
    pub(in crate::formats::dialectic) signalled: bool,
    /// The last score it states.
    pub(in crate::formats::dialectic) score: Option<f64>,
}

impl Critique {
    /// Whether anything can be told from it: points, or at least the signal.
    pub(in crate::formats::dialectic) fn says_something(&self) -> bool {
        self.marked || self.signalled
    }
}
