//! A job's values as read, with the text as written.

use serde_json::{Map, Value};

use super::problem::Place;
use super::reader::Reader;
use super::settings_macro::SettingsGroup;
use super::shape::Key;
use super::tree::{Data, Node};

/// A job: what was written, and the values that are valid.
pub struct JobText<'a> {
    pub(crate) reader: Reader<'a>,
    pub(crate) node: &'a Node,
    pub(crate) given: Map<String, Value>,
}

/// An entry of a job's list, or the mapping below a key; empty if the job leaves it out.
pub(crate) struct Mapping<'a> {
    /// What was written; the whole job if nothing was.
    pub(crate) node: &'a Node,
    pub(crate) given: Map<String, Value>,
}

impl<'a> JobText<'a> {
    /// Reads the values of known keys.
    pub(super) fn read(reader: Reader<'a>, node: &'a Node, keys: &[Key]) -> Self {
        Self { reader, node, given: reader.keys("", keys, node) }
    }

    /// Settings that stand at the top of the job, on top of `base`.
    pub(crate) fn group<T: SettingsGroup>(&self, base: &T) -> T {
        self.with(base, self.node, &self.given)
    }

    /// Settings on top of `base`.
    pub(super) fn with<T: SettingsGroup>(
        &self,
        base: &T,
        node: &Node,
        given: &Map<String, Value>,
    ) -> T {
        base.with(given).unwrap_or_else(|error| {
            self.report(&node.place, format!("internal error (please report): {error}"), "");
            base.clone()
        })
    }

    /// The mapping below a key; `None` if there is none.
    pub(crate) fn section(&self, key: &str) -> Option<Mapping<'a>> {
        let node = self.node.get(key)?;
        let given = self.given.get(key).cloned();
        (!matches!(node.data, Data::Null)).then(|| entry(node, given))
    }

    /// What is below a key that is omitted.
    pub(super) fn nothing(&self) -> Mapping<'a> {
        entry(self.node, None)
    }

    /// The entries of a list; as many empty ones as are `missing` if there is none.
    pub(crate) fn entries(&self, key: &str, missing: usize) -> Vec<Mapping<'a>> {
        let Some(Data::List(items)) = self.node.get(key).map(|node| &node.data) else {
            return (0..missing).map(|_| self.nothing()).collect();
        };
        let given = self.given.get(key).and_then(Value::as_array);
        let given = |i: usize| given.and_then(|given| given.get(i).cloned());
        items.iter().enumerate().map(|(i, node)| entry(node, given(i))).collect()
    }

    /// Where a key's value stands, or the job if the key is not given.
    pub(crate) fn place_of(&self, key: &str) -> &'a Place {
        self.node.place_of_value(key)
    }

    pub(crate) fn report(
        &self,
        place: &Place,
        cause: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.reader.problems.add(place, cause, remedy);
    }
}

fn entry(node: &Node, given: Option<Value>) -> Mapping<'_> {
    let given = match given {
        Some(Value::Object(given)) => given,
        _ => Map::new(),
    };
    Mapping { node, given }
}
