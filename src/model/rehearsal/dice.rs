//! The random numbers of a rehearsal.

use crate::digest;
use crate::model::Request;

/// Numbers that follow from the plan, the call and its seed.
pub(super) struct Dice {
    seed: u64,
}

impl Dice {
    /// The numbers of a call.
    pub(super) fn new(request: &Request, plan: &str) -> Self {
        let seed = digest::derive(request.seed.into(), &format!("{plan} {}", request.call));
        Self { seed }
    }

    /// A number below `sides`.
    pub(super) fn roll(&self, what: &str, sides: u64) -> u64 {
        digest::derive(self.seed, what) % sides
    }
}
