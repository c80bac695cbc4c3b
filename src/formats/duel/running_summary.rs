//! The running summary of a duel: a line a round, of the newest rounds.

use crate::event::RoundNotes;
use crate::text;

/// Rounds of which the running summary tells, the newest: as many as a duel has by default.
const TOLD: usize = 8;
/// Characters that a round has in the running summary and in a headline.
pub(super) const LINE: usize = 160;

/// A round in the running summary.
pub(super) fn told(notes: &RoundNotes) -> String {
    format!(
        "Round {}: {}",
        notes.round,
        text::first_sentence(&notes.summary, LINE)
    )
}

/// The newest lines of the running summary.
pub(super) fn newest(told: &[String]) -> &[String] {
    &told[told.len().saturating_sub(TOLD)..]
}
