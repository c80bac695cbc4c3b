//! Grouping by a key.

use std::collections::BTreeMap;

/// What goes by each key, in the order of the keys.
pub fn by_key<K: Ord, V>(all: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, Vec<V>> {
    let mut found: BTreeMap<K, Vec<V>> = BTreeMap::new();
    for (key, value) in all {
        found.entry(key).or_default().push(value);
    }
    found
}
