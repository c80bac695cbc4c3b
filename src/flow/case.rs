//! For which case points were made, and which of them their makers have to defend.

use std::collections::HashMap;
use std::fmt;

use super::edge::Edge;
use super::shape::{Flow, FlowPoint};
use crate::event::{How, Stance, Statement};
use crate::job::Profile;

/// A case that is not, or no longer, its speaker's own; in words: `as devil's advocate`, `when for pause`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Case {
    /// The speaker's task, as prompts call it.
    Task(&'static str),
    /// A stance that the speaker has left since.
    Left(String),
}

impl Case {
    /// That of a statement.
    pub fn of<'s>(
        profile: &Profile,
        said: &Statement,
        stances: impl DoubleEndedIterator<Item = &'s Stance> + Clone,
    ) -> Option<Self> {
        profile.advocacy_in(said.phase.name()).map(Self::Task).or_else(|| {
            let (left, _) = Stance::left_since(stances, &said.by, said.round)?;
            Some(Self::Left(left.to_owned()))
        })
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task(words) => f.write_str(words),
            Self::Left(stance) => write!(f, "when for {stance}"),
        }
    }
}

/// Those of a debate's statements, by their numbers.
#[derive(Debug)]
pub struct Cases(HashMap<u32, Case>);

impl Cases {
    /// Those of these statements.
    pub fn of<'s>(
        profile: &Profile,
        said: impl Iterator<Item = &'s Statement>,
        stances: impl DoubleEndedIterator<Item = &'s Stance> + Clone,
    ) -> Self {
        let case = |said: &Statement| Some((said.n, Case::of(profile, said, stances.clone())?));
        Self(said.filter_map(case).collect())
    }

    /// The case for which a point was made.
    pub fn of_point(&self, point: &FlowPoint) -> Option<&Case> {
        self.0.get(&point.statement)
    }

    /// Whether a point was made for a stance that its maker has left since, even if it was kept.
    pub fn is_left(&self, point: &FlowPoint) -> bool {
        matches!(self.of_point(point), Some(Case::Left(_)))
    }

    /// Whether a point is its maker's to defend: made for its own case, or defended when it had left the stance for which it was
    /// made. Such a point still speaks for that stance, and who gives a case up may well repeat what does.
    pub fn is_own(&self, flow: &Flow, point: &FlowPoint) -> bool {
        let defends = |edge: &Edge| edge.by == point.by && edge.how == How::Defended;
        let mut about = flow.about(&point.id);
        let mut was_kept = || about.any(|it| defends(it) && !self.0.contains_key(&it.statement));
        self.of_point(point).is_none() || self.is_left(point) && was_kept()
    }
}
