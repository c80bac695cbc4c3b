//! What the budget of a run lacks for a debate.

use std::fmt;

use crate::stop::MAX_TOKENS;
use crate::text;

/// What the budget lacks for a debate: tokens, or time in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shortage {
    /// The flag that sets the limit.
    pub(super) limit: &'static str,
    pub(super) expected: u64,
    pub(super) left: u64,
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let are_tokens = self.limit == MAX_TOKENS;
        let in_words = if are_tokens { text::rounded } else { text::lasting };
        let [expected, left] = [self.expected, self.left].map(in_words);
        let unit = if are_tokens { " tokens" } else { "" };
        // It goes without saying of numbers that differ only in what is not printed.
        let left = text::told_if(left != expected, || format!(" ({left})"));
        write!(f, "it is expected to take {expected}{unit}, more than what is left{left}")
    }
}
