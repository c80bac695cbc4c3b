//! Who speaks first in a round, and which round is the last.

use super::settings::{Knockout, Start, X};

/// The speakers of a round, in order.
pub(super) fn speaking_order<'a>(
    settings: &Knockout,
    round: u32,
    debater: &'a str,
) -> [&'a str; 2] {
    let x_first = match settings.starting_position {
        Start::X => true,
        Start::Y => false,
        Start::Alternate => round % 2 == 1,
    };
    if x_first { [X, debater] } else { [debater, X] }
}

/// Whether a round is for weighing what was said: the last one, unless it is also the first.
pub(super) fn is_last(settings: &Knockout, round: u32) -> bool {
    round > 1 && round == settings.rounds
}
