//! Who was of one mind with whom, going by the stances that they took.

use super::Trace;
use crate::event::Statement;
use crate::flow::{Case, FlowPoint};
use crate::job::profile_of;

impl<R> Trace<R> {
    /// The stance that somebody took last before a round.
    pub fn stance_before(&self, id: &str, round: u32) -> Option<&str> {
        let own = self.stances.iter().filter(|stance| stance.by.id == id);
        let mut taken = own.filter(|stance| stance.stance.is_some());
        taken.rfind(|stance| stance.round < round)?.stance.as_deref()
    }

    /// The case for which a point was made, if that is not, or no longer, its maker's own, in words.
    pub fn case_of(&self, point: &FlowPoint) -> Option<String> {
        let made = self.statement(point.statement)?;
        Case::of(profile_of(&self.format), made, self.stances.iter()).map(|case| case.words)
    }

    /// Whether a statement was not made for a case that was its speaker's task.
    pub fn is_own_view(&self, s: &Statement) -> bool {
        profile_of(&self.format).advocacy_in(s.phase.name()).is_none()
    }

    /// Whether somebody was of one mind, before a round, with the speaker of a point that was its own view.
    pub fn agrees(&self, id: &str, point: &FlowPoint, round: u32) -> bool {
        let own = self.stance_before(id, round);
        own.is_some()
            && own == self.stance_before(&point.by, round)
            && self.statement(point.statement).is_none_or(|made| self.is_own_view(made))
    }
}
