//! Who was of one mind with whom, going by the stances that they took.

use super::Trace;
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
        self.case(point).map(|case| case.words)
    }

    fn case(&self, point: &FlowPoint) -> Option<Case> {
        let made = self.statement(point.statement)?;
        Case::of(profile_of(&self.format), made, self.stances.iter())
    }

    /// Whether somebody was of one mind, before a round, with the speaker of a point that was its own view.
    pub fn agrees(&self, id: &str, point: &FlowPoint, round: u32) -> bool {
        let own = self.stance_before(id, round);
        own.is_some()
            && own == self.stance_before(&point.by, round)
            && self.case(point).is_none_or(|case| case.is_left)
    }
}
