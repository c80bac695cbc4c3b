//! Which of the order and side effects comparisons can tell, and why not.

use std::collections::BTreeMap;

use super::Options;
use super::table::{Cell, Count};

/// What can be said of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is fitted.
    Told,
    /// It is fitted, and contains the other effect too.
    Joint,
    /// It is contained in the other one.
    Contained,
    /// There are no comparisons.
    Empty,
    /// Nobody asked.
    NotAsked,
    /// No comparison says who was first.
    Unknown,
    /// It is the same whenever two entities meet.
    Constant,
}

impl Standing {
    /// Of an effect that is asked for or not; known in a comparison, if there is any; varying where the same two meet.
    fn new(asked: bool, known: Option<bool>, varies: bool) -> Self {
        match (asked, known) {
            (false, _) => Self::NotAsked,
            (true, None) => Self::Empty,
            (true, Some(false)) => Self::Unknown,
            (true, Some(true)) if varies => Self::Told,
            (true, Some(true)) => Self::Constant,
        }
    }

    pub(super) fn fitted(self) -> bool {
        matches!(self, Self::Told | Self::Joint)
    }
}

/// What can be said of order and side. An effect is told where the same two entities met with different values of it; of itself, an
/// entity is the equal. With differences between pairs only, it would rest on nothing but the assumption that strengths add up.
pub(super) fn standings(cells: &[Cell], counts: &[Count], options: &Options) -> [Standing; 2] {
    let played: Vec<&Cell> = cells
        .iter()
        .zip(counts)
        .filter(|(_, count)| count.games > 0.0)
        .map(|(cell, _)| cell)
        .collect();
    let differences = differences(&played);
    if same(&differences) {
        return [Standing::Joint, Standing::Contained];
    }
    [(0, options.order), (1, options.side)].map(|(place, asked)| {
        let known = played.iter().map(|cell| cell.places[place] != 0);
        let varies = differences.iter().any(|both| both[place] != 0);
        Standing::new(asked, known.reduce(|a, b| a || b), varies)
    })
}

/// Whether order and side always differ together, so that no comparison tells one from the other.
fn same(differences: &[[i8; 2]]) -> bool {
    let parallel = |[x, y]: &[i8; 2]| differences.iter().all(|[u, v]| x * v == y * u);
    differences.iter().any(|[x, y]| *x != 0 && *y != 0) && differences.iter().all(parallel)
}

/// By how much order and side differ between comparisons of the same two; of an entity with itself, from 0.
fn differences(cells: &[&Cell]) -> Vec<[i8; 2]> {
    let mut bases: BTreeMap<(usize, usize), [i8; 2]> = BTreeMap::new();
    let mut differences = Vec::new();
    for cell in cells {
        let own = cell.places;
        let base = if cell.own() { [0, 0] } else { *bases.entry((cell.a, cell.b)).or_insert(own) };
        differences.push([own[0] - base[0], own[1] - base[1]]);
    }
    differences.sort_unstable();
    differences.dedup();
    differences
}
