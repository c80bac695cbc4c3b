//! Cells of a matrix: sets of assignments of values to paths.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::Value;

use crate::digest;
use crate::job::problem::Place;
use crate::job::tree::Node;

/// A value for a path, with where both were written.
#[derive(Debug, Clone)]
pub(in crate::job) struct Assignment {
    /// The dotted path, such as `x.model`.
    pub(in crate::job) path: String,
    /// Where the path was written.
    pub(in crate::job) place: Place,
    /// The value, which many cells may share.
    pub(in crate::job) value: Arc<Node>,
}

/// One combination: its assignments in the order of the file.
pub(in crate::job) type Cell = Vec<Assignment>;

/// What a cell assigns to a path.
pub(in crate::job) fn value_at<'c>(cell: &'c [Assignment], path: &str) -> Option<&'c Node> {
    cell.iter().find(|a| a.path == path).map(|a| &*a.value)
}

/// Whether setting one path changes what the other says: they are the same, or one leads to the other.
pub(in crate::job) fn overlap(one: &str, other: &str) -> bool {
    one.split('.').zip(other.split('.')).all(|(a, b)| a == b)
}

/// Whether two cells assign the same to the same paths, but for one.
pub(in crate::job) fn is_same_without(
    path: &str,
    one: &[Assignment],
    other: &[Assignment],
) -> bool {
    let same = |(a, b): (&Assignment, &Assignment)| {
        a.path == b.path && (a.path == path || a.value.json() == b.value.json())
    };
    one.len() == other.len() && one.iter().zip(other).all(same)
}

/// Patterns by the paths that they name, and those of the same paths by their values: a cell is looked up instead of being
/// compared with each of them.
pub(in crate::job) struct PatternLookup<'p>(
    BTreeMap<BTreeSet<&'p str>, HashMap<ComparableValues, Vec<usize>>>,
);

/// The values of some paths as texts that are equal for equal values, such as 1 and 1.0.
type ComparableValues = Vec<Option<String>>;

impl<'p> PatternLookup<'p> {
    pub(in crate::job) fn new(patterns: &'p [Cell]) -> Self {
        let mut by_paths: BTreeMap<_, HashMap<_, Vec<_>>> = BTreeMap::new();
        for (number, pattern) in patterns.iter().enumerate() {
            let paths: BTreeSet<&str> = pattern.iter().map(|a| a.path.as_str()).collect();
            let values = values_at(pattern, &paths);
            let same_paths = by_paths.entry(paths).or_default();
            same_paths.entry(values).or_default().push(number);
        }
        Self(by_paths)
    }

    /// The patterns that a cell matches.
    pub(in crate::job) fn matching(&self, cell: &Cell) -> Vec<usize> {
        let groups = self.0.iter();
        let same = groups.filter_map(|(paths, by_values)| by_values.get(&values_at(cell, paths)));
        same.flatten().copied().collect()
    }
}

fn values_at(cell: &Cell, paths: &BTreeSet<&str>) -> ComparableValues {
    let value = |path| Some(digest::of_json(&comparable(value_at(cell, path)?.json())));
    paths.iter().map(|path| value(path)).collect()
}

/// A value with one way to write each number.
fn comparable(value: Value) -> Value {
    match value {
        Value::Number(n) => match n.as_f64() {
            // Adding nothing makes one of both zeros.
            Some(x) if n.as_i64().is_none_or(|n| x as i64 == n) => (x + 0.0).into(),
            _ => Value::Number(n),
        },
        Value::Array(items) => items.into_iter().map(comparable).collect(),
        Value::Object(fields) => fields.into_iter().map(|(k, v)| (k, comparable(v))).collect(),
        other => other,
    }
}
