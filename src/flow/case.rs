//! For which case points were made, and which of them their makers have to defend.

use std::collections::HashMap;

use super::edge::Edge;
use super::shape::{Flow, FlowPoint};
use crate::event::{How, Stance, Statement};
use crate::job::Profile;

/// A case that is not, or no longer, its speaker's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// What is told of it: `as devil's advocate`, `when for pause`.
    pub words: String,
    /// Whether it is a stance that the speaker has left since, and not a task.
    pub is_left: bool,
}

impl Case {
    /// That of a statement.
    pub fn of<'s>(
        profile: &Profile,
        said: &Statement,
        stances: impl DoubleEndedIterator<Item = &'s Stance> + Clone,
    ) -> Option<Self> {
        if let Some(words) = profile.advocacy_in(said.phase.name()) {
            return Some(Self { words: words.to_owned(), is_left: false });
        }
        let left = Stance::left_since(stances, &said.by, said.round)?;
        Some(Self { words: format!("when for {left}"), is_left: true })
    }
}

/// Those of a debate's statements, by their numbers.
#[derive(Debug)]
pub struct Cases(pub HashMap<u32, Case>);

impl Cases {
    /// The case for which a point was made.
    pub fn of_point(&self, point: &FlowPoint) -> Option<&Case> {
        self.0.get(&point.statement)
    }

    /// Whether a point was made for a stance that its maker has left since, even if it was kept.
    pub fn is_left(&self, point: &FlowPoint) -> bool {
        self.of_point(point).is_some_and(|case| case.is_left)
    }

    /// Whether a point is its maker's to defend: made for its own case, or for a stance that the maker has left, and defended in a
    /// statement that was for no such case. It still speaks for that stance, and who gives a case up may well repeat what does.
    pub fn is_own(&self, flow: &Flow, point: &FlowPoint) -> bool {
        let defends = |edge: &Edge| edge.by == point.by && edge.how == How::Defended;
        let mut about = flow.about(&point.id);
        let mut was_kept = || about.any(|it| defends(it) && !self.0.contains_key(&it.statement));
        self.of_point(point).is_none_or(|case| case.is_left && was_kept())
    }
}
