//! Mappings below keys: one, a list of them, or a table by names that the user chooses.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::{Keys, asked_for};
use crate::job::shape::Shape;
use crate::job::tree::{Data, Name, Node};

impl Keys<'_> {
    /// A mapping of its own keys, read by `read` (over an empty mapping where the key is left out).
    pub(crate) fn section<T>(
        &mut self,
        key: &str,
        doc: &str,
        read: impl FnOnce(&mut Keys<'_>) -> T,
    ) -> T {
        let empty = Node::empty_map(self.node.place.clone());
        let node = self.node.get(key).unwrap_or(&empty);
        let mut keys = Keys::read(node, &self.full(key), self.problems);
        let value = read(&mut keys);
        let inner = keys.finish();
        self.describe(key, Shape::Section(inner), Some(json!({})), doc);
        value
    }

    /// A mapping of its own keys that may be left out or `null`: then there is none.
    pub(crate) fn optional_section<T>(
        &mut self,
        key: &str,
        doc: &str,
        mut read: impl FnMut(&mut Keys<'_>) -> T,
    ) -> Option<T> {
        let inner = asked_for(|keys| drop(read(keys)));
        let shape = Shape::Nullable(Box::new(Shape::Section(inner)));
        let node = self.describe(key, shape, Some(Value::Null), doc)?;
        let mut keys = Keys::read_nullable(node, &self.full(key), self.problems);
        let value = read(&mut keys);
        keys.finish();
        Some(value)
    }

    /// A list of mappings; `missing` many empty ones where the key is left out.
    pub(crate) fn sections<T>(
        &mut self,
        key: &str,
        missing: usize,
        count: RangeInclusive<usize>,
        doc: &str,
        mut read: impl FnMut(usize, &mut Keys<'_>) -> T,
    ) -> Vec<T> {
        let empty = vec![Node::empty_map(self.node.place.clone()); missing];
        let node = self.node.get(key);
        let given = node
            .filter(|node| matches!(node.data, Data::List(_)))
            .map(|node| self.items(key, node, &count));
        let mut inner = Vec::new();
        let mut values = Vec::new();
        for (i, node) in given.unwrap_or(&empty).iter().enumerate() {
            let mut keys = Keys::read(node, &format!("{}.{i}", self.full(key)), self.problems);
            values.push(read(i, &mut keys));
            inner = keys.finish();
        }
        if values.is_empty() {
            inner = asked_for(|keys| drop(read(0, keys)));
        }
        let shape = Shape::List(Box::new(Shape::Section(inner)), count);
        let default = json!(vec![json!({}); missing]);
        let node = self.describe(key, shape, Some(default), doc);
        if let Some(node) = node.filter(|_| given.is_none()) {
            self.wrong(key, node, "a list");
        }
        values
    }

    /// A mapping from names that the user chooses to mappings; `None` where the key is left out.
    pub(crate) fn table<T>(
        &mut self,
        key: &str,
        doc: &str,
        mut read: impl FnMut(&str, &mut Keys<'_>) -> T,
    ) -> Option<Vec<(String, T)>> {
        let inner = asked_for(|keys| drop(read("", keys)));
        let shape = Shape::ByName(Box::new(Shape::Section(inner)));
        let node = self.describe(key, shape, Some(json!({})), doc)?;
        let path = self.full(key);
        Keys::read(node, &path, self.problems);
        let one = |(name, node): &(Name, Node)| {
            let mut keys = Keys::read(node, &format!("{path}.{}", name.text), self.problems);
            let value = read(&name.text, &mut keys);
            keys.finish();
            (name.text.clone(), value)
        };
        Some(node.entries().iter().map(one).collect())
    }
}
