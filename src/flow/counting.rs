//! Which full answers count: one made with a point that is itself fully answered does not.

use std::collections::BTreeSet;

use super::shape::{Edge, Flow, PointStatus};
use crate::event::How;

impl Flow {
    /// The last answer to a point among those that its status rests on: a full one that counts, otherwise a partial one.
    pub fn answer_that_counts(&self, id: &str) -> Option<&Edge> {
        let counting = full_answers(&self.edges);
        let counts = |(place, edge): &(usize, &Edge)| match self.point(id).map(|p| p.status) {
            Some(PointStatus::Answered) => counting.contains(place),
            _ => edge.how == How::Partial || is_contested(&self.edges, *place),
        };
        let mut about = self.edges.iter().enumerate().filter(|(_, e)| e.at == id);
        about.rfind(counts).map(|(_, edge)| edge)
    }
}

/// The places among the edges of the full answers that count. In a circle of answers the latest stands.
pub(super) fn full_answers(edges: &[Edge]) -> BTreeSet<usize> {
    let mut open: BTreeSet<usize> = (0..edges.len())
        .filter(|&place| edges[place].how == How::Full)
        .filter(|&place| !is_overruled(edges, place) && !is_contested(edges, place))
        .collect();
    let mut counts = BTreeSet::new();
    while let Some((place, stands)) = settled(edges, &open, &counts) {
        open.remove(&place);
        if stands {
            counts.insert(place);
        }
    }
    counts
}

/// Whether the point's own side upheld it after what was done there.
pub(super) fn is_overruled(edges: &[Edge], place: usize) -> bool {
    is_followed(edges, place, How::Upheld)
}

/// Whether an edge is a full answer that holds but for the point's own side, which defended it afterwards. One that fell with
/// the point it was made with is none: a defence beside that takes nothing away.
pub(super) fn is_contested(edges: &[Edge], place: usize) -> bool {
    edges[place].how == How::Full
        && is_followed(edges, place, How::Defended)
        && !against(edges, place).any(|other| !is_followed(edges, other, How::Defended))
}

fn is_followed(edges: &[Edge], place: usize, how: How) -> bool {
    let (done, later) = (&edges[place], &edges[place + 1..]);
    later
        .iter()
        .any(|edge| edge.how == how && edge.at == done.at)
}

/// An answer that can be decided by now, and whether it counts; where all wait for one another, the latest of a circle.
fn settled(
    edges: &[Edge],
    open: &BTreeSet<usize>,
    counts: &BTreeSet<usize>,
) -> Option<(usize, bool)> {
    let undone = |place: &&usize| against(edges, **place).any(|other| counts.contains(&other));
    let free = |place: &&usize| !against(edges, **place).any(|other| open.contains(&other));
    let lost = open.iter().find(undone).map(|place| (*place, false));
    let won = || open.iter().find(free).map(|place| (*place, true));
    let circle = || {
        open.iter()
            .rev()
            .find(|place| is_in_last_circle(edges, open, **place))
    };
    lost.or_else(won)
        .or_else(|| circle().map(|place| (*place, true)))
}

/// The full answers to the point that an answer was made with.
fn against(edges: &[Edge], place: usize) -> impl Iterator<Item = usize> {
    let with = edges[place].with.as_deref();
    (0..edges.len()).filter(move |&other| {
        edges[other].how == How::Full && with == Some(edges[other].at.as_str())
    })
}

/// Whether an answer waits for none but those that wait for it.
fn is_in_last_circle(edges: &[Edge], open: &BTreeSet<usize>, place: usize) -> bool {
    let mut awaited = awaited(edges, open, place).into_iter();
    awaited.all(|other| self::awaited(edges, open, other).contains(&place))
}

/// The undecided answers that an answer waits for, at any remove.
fn awaited(edges: &[Edge], open: &BTreeSet<usize>, place: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut next = vec![place];
    while let Some(from) = next.pop() {
        let onward = against(edges, from).filter(|other| open.contains(other));
        next.extend(onward.filter(|other| reached.insert(*other)));
    }
    reached
}
