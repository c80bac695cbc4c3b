//! What the budget of a run lacks for a debate.

use std::fmt;

use crate::text;

/// What the budget lacks for a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shortage {
    /// Time, in milliseconds.
    Time { expected: u64, left: u64 },
    /// Tokens.
    Tokens { expected: u64, left: u64 },
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([expected, left], unit) = match *self {
            Self::Time { expected, left } => ([expected, left].map(text::lasting), ""),
            Self::Tokens { expected, left } => ([expected, left].map(text::rounded), " tokens"),
        };
        // It goes without saying of numbers that differ only in what is not printed.
        let left = text::told_if(left != expected, || format!(" ({left})"));
        write!(f, "it is expected to take {expected}{unit}, more than what is left{left}")
    }
}
