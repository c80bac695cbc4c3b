//! Reading a mapping key by key. The same call that reads a key describes it, so that the errors, the defaults and
//! `rebut schema job` cannot disagree.

mod sections;
mod values;

use std::path::Path;

use serde_json::Value;

use super::problem::{Place, Problems};
use super::reader::Reader;
use super::remedy;
use super::setting::Group;
use super::shape::{Key, Shape};
use super::tree::{Data, Node};
use super::words;

/// A mapping that is being read.
pub(crate) struct Keys<'a> {
    node: &'a Node,
    path: String,
    known: Vec<Key>,
    /// Keys that were reported in another way.
    passed_over: Vec<String>,
    /// Where what is wrong is collected.
    pub(crate) problems: &'a Problems,
}

impl<'a> Keys<'a> {
    /// Like [`Keys::read`], of a mapping that `null` switches off.
    fn read_nullable(node: &'a Node, path: &str, problems: &'a Problems) -> Self {
        if words::means(node, false) {
            let cause = format!(
                "`{path}` must be a mapping of keys, not {}",
                words::shown(node)
            );
            problems.add(&node.place, cause, "write `null` for none");
            return Self::unread(node, path, problems);
        }
        Self::read(node, path, problems)
    }

    /// Begins to read `node`, which stands at `path` (empty for the whole file).
    pub(crate) fn read(node: &'a Node, path: &str, problems: &'a Problems) -> Self {
        if !matches!(node.data, Data::Map(_) | Data::Null) {
            let cause = format!("`{path}` must be a mapping of keys, not {}", node.kind());
            problems.add(&node.place, cause, words::mapping_remedy(node));
        }
        Self::unread(node, path, problems)
    }

    fn unread(node: &'a Node, path: &str, problems: &'a Problems) -> Self {
        Self {
            node,
            path: path.to_owned(),
            known: Vec::new(),
            passed_over: Vec::new(),
            problems,
        }
    }

    /// The mapping itself.
    pub(crate) fn node(&self) -> &'a Node {
        self.node
    }

    /// Where the mapping begins.
    pub(crate) fn place(&self) -> &'a Place {
        &self.node.place
    }

    /// Where a key is written, or the mapping if the key is not given.
    pub(crate) fn place_of_key(&self, key: &str) -> &'a Place {
        self.node
            .entry(key)
            .map_or(&self.node.place, |(name, _)| &name.place)
    }

    /// Where a key's value stands, or the mapping if the key is not given.
    pub(crate) fn place_of(&self, key: &str) -> &'a Place {
        self.node
            .get(key)
            .map_or(&self.node.place, |node| &node.place)
    }

    /// Whether the key is given.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.node.get(key).is_some()
    }

    /// Leaves a key out of those that are reported as unknown: what is wrong with it was said.
    pub(super) fn pass_over(&mut self, key: &str) {
        self.passed_over.push(key.to_owned());
    }

    /// Reports a key, where it is given, that people may expect here: `why` it is not, and what to do instead.
    pub(super) fn refuse_key(&mut self, key: &str, why: &str, remedy: &str) {
        if self.has(key) {
            let cause = format!("`{}` {why}", self.full(key));
            self.problems.add(self.place_of_key(key), cause, remedy);
            self.pass_over(key);
        }
    }

    fn full(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// Describes a key and returns its value if it is given. `null` for a key that has a default is a problem.
    fn describe(
        &mut self,
        key: &str,
        shape: Shape,
        default: Option<Value>,
        doc: &str,
    ) -> Option<&'a Node> {
        let nullable = matches!(
            shape,
            Shape::Nullable(_) | Shape::Section(_) | Shape::ByName(_) | Shape::Any
        );
        self.known.push(Key {
            name: key.to_owned().into(),
            doc: doc.to_owned().into(),
            shape,
            default: default.clone(),
        });
        let node = self.node.get(key)?;
        if !matches!(node.data, Data::Null) {
            return Some(node);
        }
        if !nullable {
            let remedy = default.map_or_else(
                || "give it a value".to_owned(),
                |default| format!("leave the key out for its default, {}", brief(&default)),
            );
            let cause = format!("`{}` has no value", self.full(key));
            self.problems.add(&node.place, cause, remedy);
        }
        None
    }

    /// Reports that a value is not what the key, or an entry of its list, is described to hold.
    fn wrong(&self, key: &str, node: &Node, wanted: &str) {
        let (name, entry) = key.split_once('.').map_or((key, false), |(k, _)| (k, true));
        let known = self.known.iter().find(|known| known.name == name);
        let remedy = known.map_or_else(String::new, |known| match &known.shape {
            Shape::List(item, _) if entry => remedy::remedy(item, None, node),
            shape => remedy::remedy(shape, known.default.as_ref(), node),
        });
        self.refuse(key, node, wanted, &remedy);
    }

    /// Reports that a key must hold something else than it does.
    pub(crate) fn refuse(&self, key: &str, node: &Node, wanted: &str, remedy: &str) {
        let cause = format!(
            "`{}` must be {wanted}, not {}",
            self.full(key),
            words::shown(node)
        );
        self.problems.add(&node.place, cause, remedy);
    }

    /// A value whose shape the caller checks.
    pub(crate) fn raw(
        &mut self,
        key: &str,
        shape: Shape,
        default: Value,
        doc: &str,
    ) -> Option<&'a Node> {
        self.describe(key, shape, Some(default), doc)
    }

    /// Ends the reading: keys that nobody asked for are problems. Returns what is known of the mapping.
    pub(crate) fn finish(self) -> Vec<Key> {
        self.finish_with(|_| None)
    }

    /// Like [`Keys::finish`]; `home` says where an unknown key would be right, if it knows.
    pub(super) fn finish_with(self, home: impl Fn(&str) -> Option<String>) -> Vec<Key> {
        let passed_over = self.passed_over.iter();
        let passed_over = passed_over.map(|key| Key::refused(key.clone(), "", ""));
        let known: Vec<Key> = self.known.iter().cloned().chain(passed_over).collect();
        self.reader()
            .refuse_unknown(&self.path, &known, self.node, &home);
        self.known
    }

    /// Reads a group of settings that stand in this mapping.
    pub(crate) fn group<T: Group>(&mut self, base: &T) -> T {
        self.known.extend(base.keys());
        self.reader().group(&self.path, self.node, base)
    }

    pub(crate) fn reader(&self) -> Reader<'a> {
        Reader {
            problems: self.problems,
        }
    }
}

/// The keys that `read` asks for, by letting it read a mapping that is empty.
fn asked_for(read: impl FnOnce(&mut Keys<'_>)) -> Vec<Key> {
    let silent = Problems::of(Path::new(""), "");
    let empty = Node::empty_map(Place::At { line: 1, column: 1 });
    let mut keys = Keys::read(&empty, "", &silent);
    read(&mut keys);
    keys.finish()
}

/// A default as a message shows it.
fn brief(default: &Value) -> String {
    match default {
        Value::Array(items) if !items.is_empty() => words::counted(items.len(), "entry", "entries"),
        other => other.to_string(),
    }
}
