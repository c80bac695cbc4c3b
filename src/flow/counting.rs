//! Which full answers count: one made with a point that is itself fully answered does not.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::edge::Edge;
use crate::event::How;

/// The places among a flow's edges of the answers that statuses rest on, and of all moves.
#[derive(Debug, Clone, Default)]
pub(super) struct Answers {
    /// Full ones that count.
    pub(super) full: BTreeSet<usize>,
    /// Partial ones that count, and full ones that no longer do, since the point was defended.
    pub(super) part: BTreeSet<usize>,
    /// Moves after which the point's own side called it open.
    pub(super) overruled: BTreeSet<usize>,
    /// Moves by what they are about, in order.
    pub(super) about: BTreeMap<String, Vec<usize>>,
}

/// Those of a flow, and the ids of what is left of positions, found once, since each point asks for them. They follow from its moves.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counting {
    answers: OnceLock<Answers>,
    pub(super) left: OnceLock<BTreeSet<String>>,
}

impl PartialEq for Counting {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Counting {}

impl Counting {
    /// Those of these edges, which are always the same.
    pub(super) fn of(&self, edges: &[Edge]) -> &Answers {
        self.answers.get_or_init(|| Answers::of(edges))
    }
}

impl Answers {
    fn of(edges: &[Edge]) -> Self {
        let moves = Moves::of(edges);
        let part = (0..edges.len()).filter(|place| moves.counts_in_part(*place)).collect();
        let overruled = (0..edges.len()).filter(|place| moves.is_overruled(*place)).collect();
        let full = moves.full_answers();
        let about = moves.about.into_iter().map(|(id, places)| (id.to_owned(), places));
        Self { full, part, overruled, about: about.collect() }
    }
}

/// The edges of a flow by what they are about.
pub(super) struct Moves<'e> {
    edges: &'e [Edge],
    about: BTreeMap<&'e str, Vec<usize>>,
}

impl<'e> Moves<'e> {
    pub(super) fn of(edges: &'e [Edge]) -> Self {
        let mut about: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, edge) in edges.iter().enumerate() {
            about.entry(&edge.at).or_default().push(place);
        }
        Self { edges, about }
    }

    /// The places of the moves on a point or question, in order.
    pub(super) fn about(&self, id: &str) -> &[usize] {
        self.about.get(id).map_or(&[], Vec::as_slice)
    }

    /// The places of the full answers that count. In a circle of answers the latest stands.
    pub(super) fn full_answers(&self) -> BTreeSet<usize> {
        let is_open = |place: &usize| {
            let is_full = self.edges[*place].how == How::Full;
            is_full && !self.is_overruled(*place) && !self.is_contested(*place)
        };
        let mut open: BTreeSet<usize> = (0..self.edges.len()).filter(is_open).collect();
        let mut counts = BTreeSet::new();
        while !open.is_empty() {
            let before = open.len();
            self.settle(&mut open, &mut counts);
            if open.len() == before {
                // All wait for one another.
                let mut last = open.iter().rev().copied();
                let stands = last.find(|place| self.is_in_last_circle(&open, *place));
                let Some(stands) = stands else { break };
                open.remove(&stands);
                counts.insert(stands);
            }
        }
        counts
    }

    /// Decides the answers that can be decided by now. Mostly, what speaks against one comes later.
    fn settle(&self, open: &mut BTreeSet<usize>, counts: &mut BTreeSet<usize>) {
        for place in open.clone().into_iter().rev() {
            let is_lost = self.against(place).any(|other| counts.contains(&other));
            let is_won = !is_lost && !self.against(place).any(|other| open.contains(&other));
            if is_lost || is_won {
                open.remove(&place);
            }
            if is_won {
                counts.insert(place);
            }
        }
    }

    /// Whether the point's own side upheld it after what was done there. Right behind a partial answer, that leaves the part.
    pub(super) fn is_overruled(&self, place: usize) -> bool {
        let is = |place: usize, how: How| self.edges[place].how == how;
        let later = self.about(&self.edges[place].at).windows(2).filter(|it| it[0] >= place);
        let mut upheld = later.filter(|it| is(it[1], How::Upheld));
        upheld.any(|it| !is(place, How::Partial) || !is(it[0], How::Partial))
    }

    /// Whether an edge is a partial answer that holds, or a full one that the point was defended against.
    pub(super) fn counts_in_part(&self, place: usize) -> bool {
        let is_partial = self.edges[place].how == How::Partial;
        is_partial && !self.is_overruled(place) || self.is_contested(place)
    }

    /// Whether an edge is a full answer that holds but for the point's own side, which defended it afterwards. One that fell with
    /// the point it was made with is none: a defence beside that takes nothing away.
    fn is_contested(&self, place: usize) -> bool {
        let mut against = self.against(place);
        self.edges[place].how == How::Full
            && self.is_followed(place, How::Defended)
            && against.all(|other| self.is_followed(other, How::Defended))
    }

    fn is_followed(&self, place: usize, how: How) -> bool {
        let about = self.about(&self.edges[place].at).iter();
        let mut later = about.rev().take_while(|other| **other > place);
        later.any(|other| self.edges[*other].how == how)
    }

    /// The full answers to the point that an answer was made with.
    fn against(&self, place: usize) -> impl Iterator<Item = usize> {
        let with = self.edges[place].with.as_deref();
        let about = with.map_or(&[][..], |with| self.about(with)).iter();
        about.copied().filter(|other| self.edges[*other].how == How::Full)
    }

    /// Whether an answer waits for none but those that wait for it.
    fn is_in_last_circle(&self, open: &BTreeSet<usize>, place: usize) -> bool {
        let mut awaited = self.awaited(open, place).into_iter();
        awaited.all(|other| self.awaited(open, other).contains(&place))
    }

    /// The undecided answers that an answer waits for, at any remove.
    fn awaited(&self, open: &BTreeSet<usize>, place: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut next = vec![place];
        while let Some(from) = next.pop() {
            let onward = self.against(from).filter(|other| open.contains(other));
            next.extend(onward.filter(|other| reached.insert(*other)));
        }
        reached
    }
}
