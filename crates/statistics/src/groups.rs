//! Grouping by a key, and counting.

use std::collections::BTreeMap;

/// What goes by each key, in the order of the keys.
pub fn by_key<K: Ord, V>(all: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, Vec<V>> {
    let mut found: BTreeMap<K, Vec<V>> = BTreeMap::new();
    for (key, value) in all {
        found.entry(key).or_default().push(value);
    }
    found
}

/// How many of each there are, in their order.
pub fn tally<K: Ord>(all: impl IntoIterator<Item = K>) -> BTreeMap<K, usize> {
    let mut counts = BTreeMap::new();
    all.into_iter().for_each(|one| *counts.entry(one).or_default() += 1);
    counts
}
