//! The content of a critique, whether structured or prose.

use serde::{Deserialize, Serialize};

use super::mark::{Resolution, Severity};
use crate::text;

/// An issue that a critique raises.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// How grave it is.
    pub severity: Severity,
    /// The strategy of the attack, if known.
    pub strategy: Option<String>,
    /// The words of the answer that it is about, if the skeptic quotes them.
    pub claim: Option<String>,
    /// What is wrong.
    pub text: String,
    /// What would fix it, if stated separately.
    pub mend: Option<String>,
}

impl Issue {
    /// Its strategy in words.
    pub fn attack(&self) -> Option<String> {
        let words = self.strategy.as_ref()?.replace('_', " ");
        Some(words.replace("counter example", "counterexample"))
    }

    /// Calls no words a quotation that are not the draft's. They stand behind what is wrong with them, which comes first where
    /// that is shortened.
    pub(in crate::formats::dialectic) fn quote_only(&mut self, draft: &str) {
        if let Some(claim) = self.claim.take_if(|claim| !text::has_words(draft, claim)) {
            let claim = text::capitalised(&text::sentence(claim.trim()));
            self.text = format!("{} The claim meant: {claim}", text::sentence(self.text.trim()));
        }
    }

    /// What is wrong, in the words of `fault`, after a shortened quotation of the answer's words that it is about.
    pub fn quoting(&self, most: usize, fault: String) -> String {
        let claim = self.claim.iter();
        let claim = claim.map(|claim| format!("“{}” – ", text::shorten(claim, most)));
        claim.chain([fault]).collect()
    }
}

/// The new status of an earlier point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::formats::dialectic) struct Settled {
    /// The number under which the skeptic was shown the point.
    pub(in crate::formats::dialectic) n: u32,
    pub(in crate::formats::dialectic) resolution: Resolution,
    /// What remains, or what settled it.
    pub(in crate::formats::dialectic) words: String,
}

/// The content of a critique.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::formats::dialectic) struct Critique {
    /// New issues, in order.
    pub(in crate::formats::dialectic) issues: Vec<Issue>,
    /// The status of earlier points.
    pub(in crate::formats::dialectic) settled: Vec<Settled>,
    /// Lines that settle a point without saying which.
    pub(in crate::formats::dialectic) unnumbered: u32,
    /// Whether its points can be identified: it came as a structured reply, or a line begins with a mark.
    pub(in crate::formats::dialectic) marked: bool,
    /// Whether it raises a critical issue, or shows the critical mark next to an earlier point that is not resolved.
    pub(in crate::formats::dialectic) critical: bool,
    /// Whether the skeptic gave the signal, which ends nothing by itself.
    pub(in crate::formats::dialectic) signalled: bool,
    /// The last score it states.
    pub(in crate::formats::dialectic) score: Option<f64>,
}

impl Critique {
    /// Whether anything can be read from it: points, or at least the signal.
    pub(in crate::formats::dialectic) fn says_something(&self) -> bool {
        self.marked || self.signalled
    }
}
