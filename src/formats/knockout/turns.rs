//! Who speaks first in a round, and which round is the last.

use super::settings::{Knockout, Start, X};

/// The speakers of a round, in order.
pub(super) fn speaking_order<'a>(
    settings: &Knockout,
    round: u32,
    debater: &'a str,
) -> [&'a str; 2] {
    match settings.starting_position {
        Start::Y => [debater, X],
        Start::Alternate if round.is_multiple_of(2) => [debater, X],
        Start::X | Start::Alternate => [X, debater],
    }
}

/// Whether a round is for weighing what was said: the last one, unless it is also the first.
pub(super) fn is_last(settings: &Knockout, round: u32) -> bool {
    round > 1 && round == settings.rounds
}
