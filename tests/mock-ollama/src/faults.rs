//! Faults that come by chance: the same seed has the same ones.

use crate::dice::Dice;
use crate::{Answer, Call};
use std::time::Duration;

/// What share of the chats fails in which way, and how often the whole server does.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// From which everything is drawn.
    pub seed: u64,
    /// The share that is refused with 503.
    pub busy: f64,
    /// The share that falls silent after two chunks.
    pub stalls: f64,
    /// The share whose runner dies after two chunks.
    pub crashes: f64,
}

impl Faults {
    /// What answers `call` instead of `reply`, by its place in the log.
    pub fn answer(&self, call: &Call, reply: Answer) -> Answer {
        let mut dice = Dice::new(self.seed ^ (call.n as u64).wrapping_mul(0x9e37_79b9));
        let chance = share(&mut dice);
        if chance < self.busy {
            Answer::busy()
        } else if chance < self.busy + self.stalls {
            reply.hang_after(2)
        } else if chance < self.busy + self.stalls + self.crashes {
            reply.crash_after(2)
        } else {
            reply
        }
    }

    /// When the server dies and comes back, in turns: how long it lives, about `life`, and then is dead, about `death`.
    pub fn lives(
        &self,
        life: Duration,
        death: Duration,
    ) -> impl Iterator<Item = (Duration, Duration)> {
        let mut dice = Dice::new(self.seed ^ 0xdead);
        let mut about = move |it: Duration| it.mul_f64(0.5 + share(&mut dice));
        std::iter::repeat_with(move || (about(life), about(death)))
    }
}

/// From 0 to 1, without 1.
fn share(dice: &mut Dice) -> f64 {
    dice.below(1 << 32) as f64 / (1_u64 << 32) as f64
}
