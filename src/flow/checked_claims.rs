//! What became of a claim that was checked, as far as the clerk noted it as an argument.

use super::shape::{Flow, FlowPoint};
use crate::event::How;
use crate::text::overlap::terms;

impl Flow {
    /// The argument of a statement that a checked claim belongs to, with the statement in which its own side withdrew it; `None`
    /// where it stands. Of the statement's arguments, it is the one that shares most terms with the claim, at least half of its own.
    pub fn withdrawn(&self, statement: u32, claim: &str) -> Option<(&FlowPoint, u32)> {
        let claimed = terms(claim);
        let made = self.points.iter().filter(|p| p.statement == statement);
        let shares = made.map(|point| {
            let own = terms(&point.text);
            let shared = own.keys().filter(|term| claimed.contains_key(*term));
            (shared.count(), own.len(), point)
        });
        let (shared, all, point) = shares.max_by_key(|(shared, ..)| *shared)?;
        let mut about = self.about(&point.id);
        let edge = about.rfind(|edge| edge.how == How::Withdrawn)?;
        (shared > 0 && shared * 2 >= all).then_some((point, edge.statement))
    }
}
