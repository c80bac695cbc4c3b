//! The running summary of a duel: one line per exchange, for the newest exchanges.

use crate::text;

/// Maximum exchanges in the running summary, the newest: as many as a duel of twice the usual length has.
const TOLD: usize = 8;
/// Maximum characters per exchange in the running summary.
const LINE: usize = 160;

/// The running summary's line on the exchange that ended with a round; `None` for an exchange without a summary.
pub(super) fn told(round: u32, summary: &str) -> Option<String> {
    let line = text::first_sentence(summary, LINE);
    let rounds = match round % 2 {
        0 => format!("Rounds {} and {round}", round - 1),
        _ => format!("Round {round}"),
    };
    (!line.is_empty()).then(|| format!("{rounds}: {line}"))
}

/// The newest lines of the running summary.
pub(super) fn newest(told: &[String]) -> &[String] {
    &told[told.len().saturating_sub(TOLD)..]
}
