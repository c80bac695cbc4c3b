//! How many calls of a model really run at once on a server: no server says so, but each reply's times show whether it waited
//! for a slot.

/// After so many calls that found a slot at once, with as many beside them as are believed to run, one more is tried; after
/// twice as many each time that this fails.
const CALM: u32 = 64;

/// After so many it is believed that there is a slot for it.
const HOLDS: u32 = 8;

/// What is believed of one model on one server.
#[derive(Debug, Default)]
pub(super) struct Parallel {
    /// The most calls at a time, once one more than that was seen to wait.
    limit: Option<usize>,
    calm: u32,
    /// How often a limit was found, since one more call last found a slot.
    found: u32,
    /// Whether one more call is being tried.
    is_trial: bool,
}

impl Parallel {
    /// The most calls to send at a time, of `most`.
    pub(super) fn allowed(&self, most: usize) -> usize {
        self.limit.map_or(most, |limit| limit.min(most))
    }

    /// Takes in whether a call waited for a slot that was sent as the `nth` of those in flight.
    pub(super) fn saw(&mut self, nth: usize, waited: bool) {
        if waited && nth > 1 {
            let limit = self.allowed(nth - 1);
            self.found += u32::from(self.limit != Some(limit));
            (self.limit, self.calm, self.is_trial) = (Some(limit), 0, false);
        } else if self.limit.is_some_and(|limit| nth >= limit) {
            self.calm += 1;
            if self.is_trial && self.calm >= HOLDS {
                (self.found, self.is_trial) = (1, false);
            }
            if self.calm >= CALM.saturating_mul(2_u32.saturating_pow(self.found - 1)) {
                (self.limit, self.calm, self.is_trial) = (Some(nth + 1), 0, true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b1_calls_that_wait_show_how_many_run_at_once() {
        let mut model = Parallel::default();
        assert_eq!(model.allowed(8), 8);
        for nth in [1, 2, 3, 4] {
            model.saw(nth, false);
        }
        for nth in [8, 5, 7, 6] {
            model.saw(nth, true);
        }
        assert_eq!(model.allowed(8), 4);
        assert_eq!(model.allowed(2), 2, "the user's limit holds");
    }

    #[test]
    fn b1_a_call_alone_that_waits_waits_for_somebody_else() {
        let mut model = Parallel::default();
        model.saw(1, true);
        assert_eq!(model.allowed(8), 8);
    }

    #[test]
    fn b1_after_many_calls_without_a_wait_one_more_is_tried() {
        let mut model = Parallel::default();
        model.saw(4, true);
        (0..CALM).for_each(|_| model.saw(3, false));
        assert_eq!(model.allowed(8), 4);
        model.saw(4, true);
        assert_eq!(model.allowed(8), 3);
        (0..CALM).for_each(|_| model.saw(3, false));
        assert_eq!(model.allowed(8), 3, "it is tried less often");
    }
}
