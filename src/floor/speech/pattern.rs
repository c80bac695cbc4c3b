//! Regular expressions.

use regex::Regex;

/// Compiles one of our own patterns; the tests show that they all compile.
pub(super) fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of ours")
}
