//! Who was of one mind with whom, going by the stances that they took.

use super::Trace;
use crate::event::Stance;
use crate::flow::FlowPoint;
use crate::job::profile_of;

impl<R> Trace<R> {
    /// The stance that somebody took last before a round.
    pub fn stance_before(&self, id: &str, round: u32) -> Option<&str> {
        let own = self.stances.iter().filter(|stance| stance.by.id == id);
        let mut taken = own.filter(|stance| stance.stance.is_some());
        taken.rfind(|stance| stance.round < round)?.stance.as_deref()
    }

    /// In which role a point was made, if it was not its speaker's own view.
    pub fn role_of_point(&self, point: &FlowPoint) -> Option<&'static str> {
        let made = self.statement(point.statement)?;
        profile_of(&self.format).advocacy_in(made.phase.name())
    }

    /// The case for which a point was made, if that is not, or no longer, its maker's own: `as devil's advocate`, `when for pause`.
    pub fn case_of(&self, point: &FlowPoint) -> Option<String> {
        let role = self.role_of_point(point).map(str::to_owned);
        role.or_else(|| {
            let made = self.statement(point.statement).filter(|_| !self.stances.is_empty())?;
            let (left, _) = Stance::left_since(self.stances.iter(), &made.by, made.round)?;
            Some(format!("when for {left}"))
        })
    }

    /// Whether somebody was of one mind, before a round, with the speaker of a point that was its own view.
    pub fn agrees(&self, id: &str, point: &FlowPoint, round: u32) -> bool {
        let own = self.stance_before(id, round);
        own.is_some()
            && own == self.stance_before(&point.by, round)
            && self.role_of_point(point).is_none()
    }
}
