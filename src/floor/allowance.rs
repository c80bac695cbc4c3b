//! The simulated clock: the maximum length of a statement, and the time it took (rows K8a, K8c).

use crate::job::participant::Participant;

/// Tokens spoken per second: 150 words per minute at 1.5 tokens each.
pub const TOKENS_A_SECOND: f64 = 3.75;
/// Tokens allowed per word: formal English takes about 1.6, and a statement that keeps to its words must not be cut.
const TOKENS_A_WORD: f64 = 1.75;
/// The share of its allowance from which a speaker is told to be brief.
pub(super) const NEARLY_ALL: f64 = 0.9;

/// The seconds it takes to speak this many tokens.
pub fn spoken_seconds(tokens: u64) -> f64 {
    tokens as f64 / TOKENS_A_SECOND
}

/// Maximum tokens a participant may say: the least of its own limit, the format's limit and what fits into the time.
pub(super) fn most_tokens(by: &Participant, limit: u32, seconds: Option<u32>) -> u32 {
    let in_time = seconds.map_or(u32::MAX, |s| (f64::from(s) * TOKENS_A_SECOND) as u32);
    by.max_tokens.min(limit).min(in_time).max(1)
}

/// The allowance in words, rounded down to tens, for people and models.
pub(crate) fn words_within(tokens: u32) -> u32 {
    let words = (f64::from(tokens) / TOKENS_A_WORD) as u32;
    if words >= 20 { words / 10 * 10 } else { words.max(1) }
}
