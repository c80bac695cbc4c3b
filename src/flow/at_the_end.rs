//! What was replied to when the other side had no turn left: such a reply stands because nobody could answer it.

use super::shape::{Flow, FlowPoint, PointStatus};
use crate::event::How;

/// Of a point to which each full reply came so late.
pub const MET: &str = "replied to at the end";
/// Of a point to which a full reply was itself replied to so late.
pub const SAVED: &str = "replied to, then defended at the end";

/// A status in words that need no legend.
pub fn explained(status: &str) -> &str {
    if status == MET { "replied to at the end, with no turn left to defend it" } else { status }
}

impl Flow {
    /// What such replies did to a point whose status rests on them. `has_turn` says whether a side spoke with a statement on its
    /// record.
    pub fn at_the_end(
        &self,
        point: &FlowPoint,
        has_turn: impl Fn(&str, u32) -> bool,
    ) -> Option<&'static str> {
        let answers = self.counting.of(&self.edges);
        let about = |id: &str| answers.about.get(id).into_iter().flatten();
        let is_met = |point: &FlowPoint| {
            let counted = about(&point.id).filter(|place| answers.full.contains(*place));
            let mut late =
                counted.map(|place| !has_turn(&point.side, self.edges[*place].statement));
            late.next() == Some(true) && late.all(|is_late| is_late)
        };
        let is_saved = |place: &usize| {
            let reply = &self.edges[*place];
            let with = reply.with.as_deref().and_then(|with| self.point(with));
            reply.how == How::Full && with.is_some_and(is_met)
        };
        match point.status {
            PointStatus::Answered => is_met(point).then_some(MET),
            PointStatus::Open | PointStatus::Standing => {
                about(&point.id).any(is_saved).then_some(SAVED)
            }
            _ => None,
        }
    }
}
