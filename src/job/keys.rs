//! Reading a mapping key by key. The same call that reads a key describes it, so that the errors, the defaults and
//! `rebut schema job` cannot disagree.

mod sections;
mod values;

use std::path::Path;

use serde_json::Value;

use super::problem::{Place, Problems};
use super::shape::{Key, Shape};
use super::tree::{Data, Name, Node};
use super::words;
use crate::text;

/// A mapping that is being read.
#[derive(Debug)]
pub struct Keys<'a> {
    node: &'a Node,
    path: String,
    known: Vec<Key>,
    /// Keys that were reported in another way.
    passed_over: Vec<String>,
    /// Where what is wrong is collected.
    pub problems: &'a Problems,
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
    pub fn read(node: &'a Node, path: &str, problems: &'a Problems) -> Self {
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
    pub fn node(&self) -> &'a Node {
        self.node
    }

    /// Where the mapping begins.
    pub fn place(&self) -> &'a Place {
        &self.node.place
    }

    /// Where a key is written, or the mapping if the key is not given.
    pub fn place_of_key(&self, key: &str) -> &'a Place {
        self.node
            .entry(key)
            .map_or(&self.node.place, |(name, _)| &name.place)
    }

    /// Where a key's value stands, or the mapping if the key is not given.
    pub fn place_of(&self, key: &str) -> &'a Place {
        self.node
            .get(key)
            .map_or(&self.node.place, |node| &node.place)
    }

    /// Whether the key is given.
    pub fn has(&self, key: &str) -> bool {
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
            Shape::Nullable(_) | Shape::Section(_) | Shape::Table(_) | Shape::Any
        );
        self.known.push(Key {
            name: key.to_owned(),
            doc: doc.to_owned(),
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
            Shape::List(item, _) if entry => words::remedy(item, None, node),
            shape => words::remedy(shape, known.default.as_ref(), node),
        });
        self.refuse(key, node, wanted, &remedy);
    }

    /// Reports that a key must hold something else than it does.
    pub fn refuse(&self, key: &str, node: &Node, wanted: &str, remedy: &str) {
        let cause = format!(
            "`{}` must be {wanted}, not {}",
            self.full(key),
            words::shown(node)
        );
        self.problems.add(&node.place, cause, remedy);
    }

    /// A value whose shape the caller checks.
    pub fn raw(&mut self, key: &str, shape: Shape, default: Value, doc: &str) -> Option<&'a Node> {
        self.describe(key, shape, Some(default), doc)
    }

    /// Ends the reading: keys that nobody asked for are problems. Returns what is known of the mapping.
    pub fn finish(self) -> Vec<Key> {
        self.finish_with(|_| None)
    }

    /// Like [`Keys::finish`]; `home` says where an unknown key would be right, if it knows.
    pub(super) fn finish_with(self, home: impl Fn(&str) -> Option<String>) -> Vec<Key> {
        for (name, _) in self.node.entries() {
            let known = self.known.iter().any(|key| key.name == name.text);
            if !known && !self.passed_over.contains(&name.text) {
                self.unknown(name, &home);
            }
        }
        self.known
    }

    fn unknown(&self, name: &Name, home: &dyn Fn(&str) -> Option<String>) {
        let place = if self.path.is_empty() {
            String::new()
        } else {
            format!(" in `{}`", self.path)
        };
        if name.text.is_empty() {
            let remedy = "write a key before the colon, or remove the line";
            self.problems
                .add(&name.place, format!("a key{place} is empty"), remedy);
            return;
        }
        let shown = text::shorten(&name.text, 60);
        if self.problems.is_full() {
            self.problems
                .add(&name.place, format!("unknown key `{shown}`{place}"), "");
            return;
        }
        let known = || self.known.iter().map(|key| key.name.as_str());
        let indented = name.text.starts_with(char::is_whitespace);
        let remedy = indented.then(|| "indent the line with plain spaces".to_owned());
        let remedy = remedy
            .or_else(|| self.elsewhere(&name.text))
            .or_else(|| words::did_you_mean(&name.text, known()))
            .or_else(|| words::of_like_name(&name.text, &known().collect::<Vec<_>>()))
            .or_else(|| home(&name.text))
            .unwrap_or_else(|| {
                let known: Vec<&str> = known().collect();
                format!("known keys here: {}", known.join(", "))
            });
        let odd = name.text.chars().find(|c| !c.is_ascii());
        let odd = odd.map_or_else(String::new, |c| {
            format!(", which holds U+{:04X}", u32::from(c))
        });
        let cause = format!("unknown key `{shown}`{place}{odd}");
        self.problems.add(&name.place, cause, remedy);
    }

    /// Where a key that is unknown here would be right: below one of the known ones.
    fn elsewhere(&self, written: &str) -> Option<String> {
        if let Some((head, rest)) = written.split_once('.') {
            let known = self.known.iter().any(|key| key.name == head);
            return known.then(|| match (rest.contains('.'), rest) {
                (false, rest) => {
                    format!("write `{head}: {{{rest}: …}}`; paths with dots stand under `matrix`")
                }
                _ => format!("write it inside `{head}`; paths with dots stand under `matrix`"),
            });
        }
        let holds = |key: &&Key| key.shape.keys().iter().any(|key| key.name == written);
        let homes: Vec<String> = self
            .known
            .iter()
            .filter(holds)
            .map(|key| format!("`{}`", key.name))
            .collect();
        let first = homes.first()?.trim_matches('`');
        Some(format!(
            "it belongs under {}: write `{first}: {{{written}: …}}` (in a matrix, `{first}.{written}`)",
            homes.join(" or ")
        ))
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
