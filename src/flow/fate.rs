//! By whom a point was replied to, granted or withdrawn, and what became of replies to it, as texts without ids tell it.

use super::edge::Edge;
use super::shape::{Flow, FlowPoint, PointStatus};
use crate::event::How;
use crate::text;

impl Flow {
    /// How a point stands, with those who brought that about and what became of their replies: `replied to in part by Ann, whose
    /// reply was itself replied to; by Ben, whose reply Cid granted`, `replied to by Ann, then defended`. That its own speaker withdrew it goes
    /// without saying.
    pub fn told<'f>(
        &'f self,
        point: &'f FlowPoint,
        stands: &str,
        name: impl Fn(&'f str) -> &'f str,
    ) -> String {
        let (did, then) = stands.split_at(stands.find(',').unwrap_or(stands.len()));
        let brought = |edge: &&Edge| edge.by != point.by && did.starts_with(edge.did());
        let fate = |edge: &'f Edge| match (self.granted_since(edge), self.met(edge)) {
            // What is told behind it is its fate.
            _ if !then.is_empty() => String::new(),
            (Some(granted), _) => format!(", whose reply {} granted", name(&granted.by)),
            (None, met) => {
                met.map(|it| format!(", whose reply was itself {it}")).unwrap_or_default()
            }
        };
        let by = self.about(&point.id).filter(brought).map(|edge| (fate(edge), name(&edge.by)));
        let by = text::gathered(by).into_iter();
        let by = by.map(|(fate, all)| (text::distinct(all), fate));
        let by = by.map(|(all, fate)| match all.len() {
            1 => format!(" by {}{fate}", all[0]),
            _ => {
                let fate = fate.replacen("reply was itself", "replies were themselves", 1);
                format!(
                    " by {}{}",
                    text::joined(all, "and"),
                    fate.replacen("whose reply ", "whose replies ", 1)
                )
            }
        });
        format!("{did}{}{then}", text::separated(by, ";"))
    }

    /// How what is left of the point stands that a reply was made with, if others replied to that in turn.
    pub fn met(&self, reply: &Edge) -> Option<&'static str> {
        let left = self.left_of(self.point(reply.with.as_deref()?)?)?;
        let is_met = matches!(left.status, PointStatus::Answered | PointStatus::PartlyAnswered);
        (is_met && reply.how.is_reply()).then(|| self.stands(left))
    }

    /// The move with which another side granted what a reply was made with; that of who was replied to, if there are several.
    pub fn granted_since(&self, reply: &Edge) -> Option<&Edge> {
        let with = self.point(reply.with.as_deref()?).filter(|_| reply.how.is_reply())?;
        let own = self.point(&reply.at).map(|point| &point.by);
        self.granting(with).min_by_key(|granted| Some(&granted.by) != own)
    }
}

impl Edge {
    /// What was done, in the words of the status that it gives, where it gives one.
    pub fn did(&self) -> &'static str {
        match self.how {
            How::Full => PointStatus::Answered.words(),
            How::Partial => PointStatus::PartlyAnswered.words(),
            How::Conceded => PointStatus::Conceded.words(),
            How::Withdrawn if self.with.is_some() => PointStatus::Narrowed.words(),
            How::Withdrawn => PointStatus::Withdrawn.words(),
            How::Repeated => "repeated",
            How::Defended => "defended",
            How::Upheld => "kept open",
        }
    }
}
