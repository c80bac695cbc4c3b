//! The running summary of a duel: a line per exchange, of the newest.

use crate::text;

/// Exchanges of which the running summary tells, the newest: as many as a duel of twice the usual length has.
const TOLD: usize = 8;
/// Characters that an exchange has in the running summary.
const LINE: usize = 160;

/// The exchange that ended with a round in the running summary; nothing of one without a summary.
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
