//! Which debates a reader should look at first, where there are too many to list.

use crate::event::Status;
use crate::stats::findings::{DebateLine, Findings};

/// The place of every debate in a tour that takes one of each kind in turn, so that many of one kind do not hide the others.
#[derive(Debug)]
pub(crate) struct Worth(Vec<(usize, usize)>);

impl Worth {
    /// In turn: failed, degraded, made up in part, the closest, widest and most disputed, and the newest.
    pub(crate) fn of(findings: &Findings) -> Self {
        let newest = || findings.debates.iter().rev();
        let of = |wanted: fn(&DebateLine) -> bool| -> Vec<usize> {
            newest().filter(|line| wanted(line)).map(|line| line.n).collect()
        };
        let kinds = [
            of(|line| line.status == Status::Failed),
            of(|line| line.status == Status::Degraded),
            of(|line| line.emergency || line.fallback),
            findings.examples.iter().map(|it| it.debate).collect(),
            of(|_| true),
        ];
        let mut places = vec![(usize::MAX, 0); findings.debates.len() + 1];
        for (kind, own) in kinds.iter().enumerate() {
            for (turn, n) in own.iter().enumerate() {
                if let Some(place) = places.get_mut(*n) {
                    *place = (*place).min((turn, kind));
                }
            }
        }
        Self(places)
    }

    /// So many of these debates, by their numbers.
    pub(crate) fn first(&self, debates: &[usize], most: usize) -> Vec<usize> {
        let mut first = debates.to_vec();
        if most < first.len() {
            first.select_nth_unstable_by_key(most, |n| self.0.get(*n).copied());
            first.truncate(most);
            first.sort_unstable();
        }
        first
    }
}
