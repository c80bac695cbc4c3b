//! Regular expressions.

use regex::Regex;

/// `pattern` is ours and compiles, as the tests show.
pub(super) fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of ours")
}
