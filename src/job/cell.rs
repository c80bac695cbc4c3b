//! Cells of a matrix: sets of assignments of values to paths.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::problem::Place;
use super::tree::Node;

/// A value for a path, with where both were written.
#[derive(Debug, Clone)]
pub(super) struct Assignment {
    /// The dotted path, such as `x.model`.
    pub(super) path: String,
    /// Where the path was written.
    pub(super) place: Place,
    /// The value.
    pub(super) value: Node,
}

/// One combination: its assignments in the order of the file.
pub(super) type Cell = Vec<Assignment>;

/// Whether setting one path changes what the other says: they are the same, or one leads to the other.
pub(super) fn overlap(one: &str, other: &str) -> bool {
    one.split('.').zip(other.split('.')).all(|(a, b)| a == b)
}

/// Patterns by the paths that they name, and those of the same paths by their values: a cell is looked up and not compared with
/// each of them.
pub(super) struct PatternLookup<'p> {
    patterns: &'p [Cell],
    by_paths: BTreeMap<BTreeSet<&'p str>, HashMap<Values, Vec<usize>>>,
}

impl<'p> PatternLookup<'p> {
    pub(super) fn new(patterns: &'p [Cell]) -> Self {
        let mut by_paths: BTreeMap<_, HashMap<_, Vec<_>>> = BTreeMap::new();
        for (number, pattern) in patterns.iter().enumerate() {
            let paths: BTreeSet<&str> = pattern.iter().map(|a| a.path.as_str()).collect();
            let key = key_of(pattern, &paths);
            let same_paths = by_paths.entry(paths).or_default();
            same_paths.entry(key).or_default().push(number);
        }
        Self { patterns, by_paths }
    }

    /// The patterns that a cell matches.
    pub(super) fn matching(&self, cell: &Cell) -> Vec<usize> {
        let like = |(paths, by_key): (&BTreeSet<&str>, &HashMap<Values, Vec<usize>>)| {
            by_key
                .get(&key_of(cell, paths))
                .cloned()
                .unwrap_or_default()
        };
        let alike = self.by_paths.iter().flat_map(like);
        // Values of one key may still differ.
        alike
            .filter(|number| matches(cell, &self.patterns[*number]))
            .collect()
    }
}

/// What cells with the same values at these paths have in common.
fn key_of(cell: &Cell, paths: &BTreeSet<&str>) -> Values {
    let value = |path: &&str| {
        let there = cell.iter().find(|a| a.path == **path);
        there.map(|a| a.value.rough())
    };
    paths.iter().map(value).collect()
}

/// Roughly the values of some paths.
type Values = Vec<Option<String>>;

fn matches(cell: &Cell, pattern: &Cell) -> bool {
    let found = |p: &Assignment| {
        cell.iter()
            .any(|a| a.path == p.path && a.value.same(&p.value))
    };
    pattern.iter().all(found)
}
