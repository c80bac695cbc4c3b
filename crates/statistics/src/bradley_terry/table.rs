//! Comparisons added up: a row for each pair, order and side, with counts by cluster.

use std::collections::{BTreeMap, BTreeSet};

use super::{Comparison, Options, Outcome, Party};

/// What comparisons of one kind share. `a` is before `b` in number, so that a pair has one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    pub(super) a: usize,
    pub(super) b: usize,
    /// 1: `a` spoke first, -1: `b` did, 0: unknown, or no effect is asked for; then the same of who is listed first.
    pub(super) places: [i8; 2],
}

/// Comparisons and the points of `a` in them: all that the likelihood knows of a cell.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Count {
    pub(super) games: f64,
    pub(super) score: f64,
}

/// All comparisons, added up.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) entities: usize,
    pub(super) cells: Vec<Cell>,
    /// By cluster: the cells that occur in it.
    clusters: Vec<Vec<(usize, Count)>>,
}

impl Table {
    pub(super) fn new(entities: usize, comparisons: &[Comparison], options: &Options) -> Self {
        let mut sums: BTreeMap<usize, BTreeMap<Cell, Count>> = BTreeMap::new();
        for comparison in comparisons {
            let (cell, score) = Cell::from_comparison(comparison, options);
            let count = sums.entry(comparison.cluster).or_default().entry(cell).or_default();
            count.games += 1.0;
            count.score += score;
        }
        let mut cells: Vec<Cell> = sums.values().flat_map(|cells| cells.keys().copied()).collect();
        cells.sort_unstable();
        cells.dedup();
        let place = |cell: &Cell| cells.partition_point(|other| other < cell);
        let placed = |sums: &BTreeMap<Cell, Count>| {
            sums.iter().map(|(cell, count)| (place(cell), *count)).collect()
        };
        let clusters = sums.values().map(placed).collect();
        let named = cells.iter().map(|cell| cell.b + 1).max().unwrap_or(0);
        Self { entities: entities.max(named), cells, clusters }
    }

    pub(super) fn clusters(&self) -> usize {
        self.clusters.len()
    }

    /// How many comparisons each cluster has.
    pub(super) fn games_by_cluster(&self) -> impl Iterator<Item = f64> {
        let games = |cells: &Vec<(usize, Count)>| cells.iter().map(|(_, count)| count.games).sum();
        self.clusters.iter().map(games)
    }

    /// By entity: in how many clusters it was compared with another.
    pub(super) fn clusters_by_entity(&self) -> Vec<usize> {
        let mut counts = vec![0; self.entities];
        for cluster in &self.clusters {
            let cells = cluster.iter().map(|(cell, _)| &self.cells[*cell]);
            let met = cells.filter(|cell| cell.a != cell.b);
            let here: BTreeSet<usize> = met.flat_map(|cell| [cell.a, cell.b]).collect();
            here.into_iter().for_each(|entity| counts[entity] += 1);
        }
        counts
    }

    /// The counts of all cells.
    pub(super) fn once(&self) -> Vec<Count> {
        self.counts(&vec![1; self.clusters.len()])
    }

    /// The counts of all cells with every cluster taken as often as its weight says.
    pub(super) fn counts(&self, weights: &[u32]) -> Vec<Count> {
        let mut counts = vec![Count::default(); self.cells.len()];
        for (cluster, weight) in
            self.clusters.iter().zip(weights).filter(|(_, weight)| **weight > 0)
        {
            let weight = f64::from(*weight);
            for (cell, count) in cluster {
                counts[*cell].games += weight * count.games;
                counts[*cell].score += weight * count.score;
            }
        }
        counts
    }
}

impl Cell {
    /// The cell of a comparison, and the points of its `a`.
    pub(super) fn from_comparison(comparison: &Comparison, options: &Options) -> (Self, f64) {
        let first = comparison.first.filter(|_| options.order);
        let listed = comparison.listed.filter(|_| options.side);
        let cell = Self { a: comparison.a, b: comparison.b, places: [first, listed].map(sign) };
        let score = comparison.outcome.score();
        if cell.a <= cell.b {
            return (cell, score);
        }
        let turned = Self { a: cell.b, b: cell.a, places: cell.places.map(|place| -place) };
        (turned, 1.0 - score)
    }

    /// Whether an entity meets itself.
    pub(super) fn own(&self) -> bool {
        self.a == self.b
    }
}

/// 1 where `a` has a place, -1 where `b` has it, 0 where that is unknown.
pub(super) fn sign(party: Option<Party>) -> i8 {
    match party {
        None => 0,
        Some(Party::A) => 1,
        Some(Party::B) => -1,
    }
}

impl Outcome {
    /// The points of `a`.
    pub fn score(self) -> f64 {
        match self {
            Self::Win => 1.0,
            Self::Draw => 0.5,
            Self::Loss => 0.0,
        }
    }
}
