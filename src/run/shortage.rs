//! What the budget of a run lacks for a debate.

use std::fmt;

use crate::text;

/// What the budget lacks for a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shortage {
    /// Time, in milliseconds; `all` is that of a whole run.
    Time { expected: u64, left: u64, all: u64 },
    /// Tokens.
    Tokens { expected: u64, left: u64, all: u64 },
}

impl Shortage {
    /// Whether no run with this budget has enough.
    pub(super) fn is_for_ever(self) -> bool {
        match self {
            Self::Time { expected, all, .. } | Self::Tokens { expected, all, .. } => expected > all,
        }
    }
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Time { expected, all, .. } if expected > all => {
                let [told, all] = [expected, all].map(text::lasting);
                let enough = expected.div_ceil(1000);
                write!(
                    f,
                    "it is expected to take {told}, more than a whole run has ({all}); no run with this budget can hold it: give it --max-time {enough}s"
                )
            }
            Self::Time { expected, left, .. } => {
                let [expected, left] = [expected, left].map(text::lasting);
                write!(f, "it is expected to take {expected}{}", more_than_left(&expected, &left))
            }
            Self::Tokens { expected, all, .. } if expected > all => {
                let [told, all] = [expected, all].map(text::rounded);
                write!(
                    f,
                    "it is expected to take {told} tokens, more than a whole run has ({all}); no run with this budget can hold it: give it --max-tokens {expected}"
                )
            }
            Self::Tokens { expected, left, .. } => {
                let [expected, left] = [expected, left].map(text::rounded);
                let more = more_than_left(&expected, &left);
                write!(f, "it is expected to take {expected} tokens{more}")
            }
        }
    }
}

/// `, more than what is left (48 min)`, which goes without saying of numbers that differ only in what is not printed.
fn more_than_left(expected: &str, left: &str) -> String {
    let left = if left == expected { String::new() } else { format!(" ({left})") };
    format!(", more than what is left{left}")
}
