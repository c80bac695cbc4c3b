//! By whom a point was replied to, granted or withdrawn, and what became of replies to it, as texts without ids tell it.

use super::edge::Edge;
use super::shape::{Flow, FlowPoint, PointStatus};
use crate::event::How;
use crate::text;

impl Flow {
    /// How a point stands, with those who brought that about and what became of their replies: `replied to in part by Ann, which
    /// was itself replied to; by Ben, which Cid granted`, `replied to by Ann, then defended`. That its own speaker withdrew it goes
    /// without saying.
    pub fn told<'f>(
        &'f self,
        point: &'f FlowPoint,
        stands: &str,
        name: impl Fn(&'f str) -> &'f str,
        side: impl Fn(&'f str) -> Option<&'f str>,
    ) -> String {
        let brought = |edge: &&Edge| match point.status {
            PointStatus::Withdrawn => edge.how == How::Withdrawn && edge.by != point.by,
            PointStatus::Conceded => edge.how == How::Conceded,
            PointStatus::PartlyAnswered => edge.how.is_reply(),
            _ => edge.how == How::Full && stands.starts_with(PointStatus::Answered.words()),
        };
        let (did, then) = stands.split_at(stands.find(',').unwrap_or(stands.len()));
        let fate = |edge: &'f Edge| match self.granted_since(point, edge, &side) {
            // What is told behind it is its fate.
            _ if !then.is_empty() => String::new(),
            Some(own) => format!(", which {} granted", name(&own.by)),
            None => {
                self.met(edge).map_or_else(String::new, |it| format!(", which was itself {it}"))
            }
        };
        let by = self.about(&point.id).filter(brought).map(|edge| (fate(edge), name(&edge.by)));
        let by = text::gathered(by).into_iter().map(|(fate, names)| {
            format!(" by {}{fate}", text::joined(text::distinct(names), "and"))
        });
        format!("{did}{}{then}", text::separated(by, ";"))
    }

    /// How what is left of the point stands that a reply was made with, if others replied to that in turn.
    pub fn met(&self, reply: &Edge) -> Option<&'static str> {
        let left = self.left_of(self.point(reply.with.as_deref()?)?)?;
        let is_met = matches!(left.status, PointStatus::Answered | PointStatus::PartlyAnswered);
        (is_met && reply.how.is_reply()).then(|| self.stands(left))
    }

    /// The move with which a point's own side granted what a reply to it was made with.
    pub fn granted_since<'f>(
        &'f self,
        point: &FlowPoint,
        reply: &Edge,
        side: impl Fn(&'f str) -> Option<&'f str>,
    ) -> Option<&'f Edge> {
        let with = self.point(reply.with.as_deref()?).filter(|_| reply.how.is_reply())?;
        self.granting(with).find(|edge| side(&edge.by) == Some(point.side.as_str()))
    }
}
