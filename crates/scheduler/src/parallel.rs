//! How many calls of a model really run at once on a server. No server reports that, but a reply's times show whether its
//! call waited for a slot.

use std::time::Duration;

/// After this many calls that found a slot at once with the believed limit in flight, one more is tried; each failed trial
/// doubles the number.
const CALM: u32 = 128;

/// After this many of them during a trial, the extra slot is believed in and one more is tried.
const HOLDS: u32 = 8;

/// Calls sent this close together may reach the server in any order.
pub(super) const BURST: Duration = Duration::from_millis(100);

/// Calls to one model in flight when one of them was sent, itself included.
#[derive(Debug, Clone, Copy)]
pub(super) struct InFlight {
    /// Without those sent just before.
    pub(super) least: usize,
    /// With those sent just after.
    pub(super) most: usize,
}

/// What is believed about one model on one server.
#[derive(Debug, Default)]
pub(super) struct Parallel {
    /// Maximum calls at a time; known once a call on top of them was seen to wait.
    limit: Option<usize>,
    calm: u32,
    /// Failed trials of one more call since one succeeded.
    failed: u32,
    /// Whether one more call is being tried.
    is_trial: bool,
}

impl Parallel {
    /// Maximum calls to send at a time, at most `most`.
    pub(super) fn allowed(&self, most: usize) -> usize {
        self.limit.map_or(most, |limit| limit.min(most))
    }

    /// Notes whether a call waited for a slot, given the calls in flight.
    pub(super) fn saw(&mut self, in_flight: InFlight, waited: bool) {
        let is_full = |limit| in_flight.least >= limit;
        if waited && in_flight.most > 1 {
            self.fell(self.allowed(in_flight.most - 1));
        } else if self.limit.is_some_and(is_full) {
            self.held();
        }
    }

    fn fell(&mut self, limit: usize) {
        self.failed += u32::from(self.is_trial);
        (self.limit, self.calm, self.is_trial) = (Some(limit), 0, false);
    }

    fn held(&mut self) {
        self.calm += 1;
        if self.calm >= self.calm_before_trial() {
            if self.is_trial {
                self.failed = 0;
            }
            self.limit = self.limit.map(|limit| limit + 1);
            (self.calm, self.is_trial) = (0, true);
        }
    }

    fn calm_before_trial(&self) -> u32 {
        if self.is_trial { HOLDS } else { CALM.saturating_mul(2_u32.saturating_pow(self.failed)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saw(model: &mut Parallel, in_flight: usize, waited: bool) {
        let in_flight = InFlight { least: in_flight, most: in_flight };
        model.saw(in_flight, waited);
    }

    #[test]
    fn b1_calls_that_wait_show_how_many_run_at_once() {
        let mut model = Parallel::default();
        assert_eq!(model.allowed(8), 8);
        for in_flight in [1, 2, 3, 4] {
            saw(&mut model, in_flight, false);
        }
        for in_flight in [8, 5, 7, 6] {
            saw(&mut model, in_flight, true);
        }
        assert_eq!(model.allowed(8), 4);
        assert_eq!(model.allowed(2), 2, "the user's limit holds");
    }

    #[test]
    fn b1_of_calls_sent_together_nobody_knows_which_came_first() {
        let mut model = Parallel::default();
        let together = InFlight { least: 1, most: 8 };
        for waited in [true, false, true, true, false, false, true, false] {
            model.saw(together, waited);
        }
        assert_eq!(model.allowed(8), 7);
    }

    #[test]
    fn b1_a_call_alone_that_waits_waits_for_somebody_else() {
        let mut model = Parallel::default();
        saw(&mut model, 1, true);
        assert_eq!(model.allowed(8), 8);
    }

    #[test]
    fn b1_after_many_calls_without_a_wait_one_more_is_tried_and_the_next_one_soon() {
        let mut model = Parallel::default();
        saw(&mut model, 4, true);
        (0..CALM).for_each(|_| saw(&mut model, 3, false));
        assert_eq!(model.allowed(8), 4);
        (0..HOLDS).for_each(|_| saw(&mut model, 4, false));
        assert_eq!(model.allowed(8), 5);
    }

    #[test]
    fn b1_after_a_trial_that_failed_the_next_one_comes_later() {
        let mut model = Parallel::default();
        saw(&mut model, 4, true);
        (0..CALM).for_each(|_| saw(&mut model, 3, false));
        saw(&mut model, 4, true);
        (0..CALM).for_each(|_| saw(&mut model, 3, false));
        assert_eq!(model.allowed(8), 3);
        (0..CALM).for_each(|_| saw(&mut model, 3, false));
        assert_eq!(model.allowed(8), 4);
    }
}
