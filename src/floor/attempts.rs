//! Which attempt comes next (row M2): three per model for temporary failures, then the fallbacks in order. Pure.

use std::time::Duration;

use crate::digest;
use crate::job::participant::Participant;
use crate::model::{Fault, Trouble};

/// Attempts per model if a failure may be temporary.
const TRIES: u32 = 3;
/// The share of a prompt's size that is kept when the server finds it too long.
const SQUEEZE: f64 = 0.7;

/// What follows a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// The same model is asked again.
    Again,
    /// The next model in the list is asked.
    Fallback,
    /// Nothing is left to try.
    Exhausted,
}

/// The state of a call between its attempts.
#[derive(Debug, Clone, Default)]
pub(super) struct Attempts {
    models: Vec<String>,
    model: usize,
    tries: u32,
    /// The attempt that is due, from 1.
    pub(super) number: u32,
    /// The attempt whose seed is used.
    seed_of: u32,
    /// The share of the prompt's size to keep.
    pub(super) share: f64,
    /// The reply that was not accepted, and what its model is told about it.
    pub(super) repair: Option<(String, String)>,
    /// Repairs so far on this model.
    repairs: u32,
    /// Whether this model has declined the task and been told what the exercise is.
    told_of_exercise: bool,
    /// Consecutive failures on this model.
    failures: u32,
}

impl Attempts {
    pub(super) fn new(by: &Participant) -> Self {
        let models = by.models().map(str::to_owned).collect();
        Self { models, number: 1, seed_of: 1, share: 1.0, ..Self::default() }
    }

    /// The model that is due.
    pub(super) fn model(&self) -> &str {
        &self.models[self.model]
    }

    /// The seed of the attempt that is due.
    pub(super) fn seed(&self, debate_seed: u64, call: &str) -> u32 {
        digest::call_seed(debate_seed, call, self.seed_of)
    }

    /// How long to wait before the attempt that is due. The pause doubles with each failure and has a jitter derived from the
    /// debate's id, so that debates with the same seed that failed together do not come back together.
    pub(super) fn pause(&self, first: Duration, debate: &str, call: &str) -> Duration {
        if self.failures == 0 {
            return Duration::ZERO;
        }
        let jitter = digest::derive(0, &format!("pause/{debate}/{call}/{}", self.number)) % 512;
        first * (1 << (self.failures - 1).min(6)) * (512 + jitter as u32) / 1024
    }

    /// Decides what follows a failed attempt.
    pub(super) fn failed(&mut self, fault: Fault) -> Next {
        self.tries += 1;
        self.failures += 1;
        let same = fault.trouble() == Trouble::MayHeal && self.tries < TRIES;
        let next = if same { Next::Again } else { self.next_model() };
        self.number += u32::from(same);
        let wants_less = matches!(fault, Fault::ContextExceeded | Fault::ContextFull);
        if next != Next::Exhausted && wants_less {
            self.share *= SQUEEZE;
        }
        if same && !fault.is_transport() {
            self.seed_of = self.number;
        }
        next
    }

    /// Decides what follows a reply that declines the task. The first time, its model is told what the exercise is.
    pub(super) fn declined(&mut self, reply: &str, remedy: &str) -> Next {
        if std::mem::replace(&mut self.told_of_exercise, true) {
            return self.next_model();
        }
        self.ask_again(reply, remedy);
        Next::Again
    }

    fn next_model(&mut self) -> Next {
        if self.model + 1 == self.models.len() {
            return Next::Exhausted;
        }
        self.number += 1;
        // The next model is not shown this one's reply as its own.
        (self.repair, self.repairs, self.told_of_exercise) = (None, 0, false);
        (self.model, self.tries, self.failures, self.seed_of) = (self.model + 1, 0, 0, self.number);
        Next::Fallback
    }

    /// Begins a repair after an unusable reply: the model is shown its error. `false` if there have been `most` repairs.
    pub(super) fn unusable(&mut self, reply: &str, remedy: &str, most: u32) -> bool {
        if self.repairs == most {
            return false;
        }
        self.repairs += 1;
        self.ask_again(reply, remedy);
        true
    }

    fn ask_again(&mut self, reply: &str, remedy: &str) {
        self.number += 1;
        self.seed_of = self.number;
        (self.tries, self.failures) = (0, 0);
        self.repair = Some((reply.to_owned(), remedy.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_fallback() -> Attempts {
        Attempts::new(&Participant { fallback: vec!["mistral".into()], ..Participant::default() })
    }

    #[test]
    fn m2_what_may_heal_gets_three_attempts_then_the_fallback_three_more() {
        let mut attempts = with_fallback();
        let steps: Vec<Next> = (0..6).map(|_| attempts.failed(Fault::EmptyReply)).collect();
        assert_eq!(
            steps,
            [Next::Again, Next::Again, Next::Fallback, Next::Again, Next::Again, Next::Exhausted]
        );
        assert_eq!((attempts.model(), attempts.number), ("mistral", 6));
    }

    #[test]
    fn m2_what_cannot_heal_goes_straight_to_the_fallback() {
        let mut attempts = with_fallback();
        assert_eq!(attempts.failed(Fault::BadRequest), Next::Fallback);
        assert_eq!(attempts.failed(Fault::BadRequest), Next::Exhausted);
    }

    #[test]
    fn m2_a_resend_after_a_broken_stream_keeps_its_seed_and_others_do_not() {
        let mut attempts = with_fallback();
        let first = attempts.seed(1, "c");
        attempts.failed(Fault::BrokenStream);
        assert_eq!(attempts.seed(1, "c"), first);
        attempts.failed(Fault::EmptyReply);
        assert_ne!(attempts.seed(1, "c"), first);
    }

    #[test]
    fn m2_a_model_that_declines_is_asked_once_more_then_the_fallback_takes_over() {
        let mut attempts = with_fallback();
        let steps: Vec<Next> =
            (0..4).map(|_| attempts.declined("No.", "It is an exercise.")).collect();
        assert_eq!(steps, [Next::Again, Next::Fallback, Next::Again, Next::Exhausted]);
        assert_eq!((attempts.model(), attempts.number), ("mistral", 4));
    }

    #[test]
    fn m3b_a_prompt_that_was_too_long_is_rebuilt_at_70_percent() {
        let mut attempts = with_fallback();
        attempts.failed(Fault::ContextExceeded);
        assert!((attempts.share - 0.7).abs() < 1e-9);
    }

    #[test]
    fn m2_pauses_double_with_jitter() {
        let mut attempts = with_fallback();
        let second = Duration::from_secs(1);
        assert_eq!(attempts.pause(second, "id", "c"), Duration::ZERO);
        attempts.failed(Fault::Timeout);
        let one = attempts.pause(second, "id", "c");
        attempts.failed(Fault::Timeout);
        let two = attempts.pause(second, "id", "c");
        assert!(
            one >= second / 2 && one < second && two >= second && two < second * 2,
            "{one:?} {two:?}"
        );
    }

    #[test]
    fn m4_there_are_as_many_repairs_as_there_may_be() {
        let mut attempts = with_fallback();
        assert!(attempts.unusable("{}", "no", 1));
        assert!(!attempts.unusable("{}", "no", 1));
        let mut attempts = with_fallback();
        assert!(attempts.unusable("a", "no", 2) && attempts.unusable("b", "no", 2));
        assert_eq!(attempts.repair, Some(("b".into(), "no".into())));
        assert!(!attempts.unusable("c", "no", 2));
    }
}
