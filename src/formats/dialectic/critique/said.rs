//! What a critique says, whatever it came as.

use super::mark::{Resolution, Severity};

/// An issue that a critique raises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::formats::dialectic) struct Issue {
    pub(in crate::formats::dialectic) severity: Severity,
    pub(in crate::formats::dialectic) strategy: Option<&'static str>,
    /// The words of the answer that it is about, where the skeptic quotes them.
    pub(in crate::formats::dialectic) claim: Option<String>,
    /// What is wrong.
    pub(in crate::formats::dialectic) text: String,
    /// What would mend it, where that is told apart.
    pub(in crate::formats::dialectic) mend: Option<String>,
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
