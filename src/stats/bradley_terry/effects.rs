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
    /// Nobody asked.
    NotAsked,
    /// No comparison says who was first.
    Unknown,
    /// It is the same whenever two entities meet.
    Constant,
}

/// Both effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Effects {
    pub(super) order: Standing,
    pub(super) side: Standing,
}

impl Standing {
    pub(super) fn fitted(self) -> bool {
        matches!(self, Self::Told | Self::Joint)
    }
}

impl Effects {
    /// An effect is told where the same two entities met with different values of it; of itself, an entity is the equal. With
    /// differences between pairs only, it would rest on nothing but the assumption that strengths add up.
    pub(super) fn of(cells: &[Cell], counts: &[Count], options: &Options) -> Self {
        let played = || {
            cells
                .iter()
                .zip(counts)
                .filter(|(_, count)| count.games > 0.0)
                .map(|(cell, _)| cell)
        };
        let differences = differences(played());
        let missing = |asked: bool, known: bool| match (asked, known) {
            (false, _) => Standing::NotAsked,
            (true, false) => Standing::Unknown,
            (true, true) => Standing::Constant,
        };
        let or = |told: bool, missing: Standing| if told { Standing::Told } else { missing };
        let order = missing(options.order, played().any(|cell| cell.first != 0));
        let side = missing(options.side, played().any(|cell| cell.side != 0));
        let one_line = differences
            .iter()
            .all(|(x, y)| differences.iter().all(|(u, v)| x * v == y * u));
        if one_line && differences.iter().any(|(x, y)| *x != 0 && *y != 0) {
            return Self {
                order: Standing::Joint,
                side: Standing::Contained,
            };
        }
        Self {
            order: or(differences.iter().any(|(x, _)| *x != 0), order),
            side: or(differences.iter().any(|(_, y)| *y != 0), side),
        }
    }
}

/// By how much (order, side) differ between comparisons of the same two; of an entity with itself, from (0, 0).
fn differences<'a>(cells: impl Iterator<Item = &'a Cell>) -> Vec<(i8, i8)> {
    let mut bases: BTreeMap<(usize, usize), (i8, i8)> = BTreeMap::new();
    let mut differences = Vec::new();
    for cell in cells {
        let own = (cell.first, cell.side);
        let base = if cell.own() {
            (0, 0)
        } else {
            *bases.entry((cell.a, cell.b)).or_insert(own)
        };
        differences.push((own.0 - base.0, own.1 - base.1));
    }
    differences.sort_unstable();
    differences.dedup();
    differences
}
