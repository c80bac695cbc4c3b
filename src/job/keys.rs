//! Reading a mapping key by key. The same call that reads a key describes it, so that the errors, the defaults and
//! `rebut schema job` cannot disagree.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::problem::{Place, Problems};
use super::tree::{Data, Name, Node};

/// The shape of a key's value.
#[derive(Debug, Clone)]
pub enum Shape {
    /// Text with so many characters, on one line or several.
    Text {
        /// Fewest and most characters.
        length: RangeInclusive<usize>,
        /// Whether it may have line ends.
        lines: bool,
    },
    /// A whole number in a range.
    Whole(RangeInclusive<i64>),
    /// A number in a range.
    Number(RangeInclusive<f64>),
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(Vec<String>),
    /// A list of so many values.
    List(Box<Shape>, RangeInclusive<usize>),
    /// A mapping with these keys.
    Section(Vec<Key>),
    /// A mapping from any name to this shape.
    Table(Box<Shape>),
    /// One of several shapes.
    Either(Vec<Shape>),
    /// `null` or this shape.
    Nullable(Box<Shape>),
    /// Any single value.
    Any,
}

/// A key that a mapping may have.
#[derive(Debug, Clone)]
pub struct Key {
    /// The key.
    pub name: String,
    /// What it means.
    pub doc: String,
    /// What it may hold.
    pub shape: Shape,
    /// What it is when left out; `None` where it must be given.
    pub default: Option<Value>,
}

/// A mapping that is being read.
#[derive(Debug)]
pub struct Keys<'a> {
    node: &'a Node,
    path: String,
    known: Vec<Key>,
    /// Where what is wrong is collected.
    pub problems: &'a Problems,
}

impl<'a> Keys<'a> {
    /// Begins to read `node`, which stands at `path` (empty for the whole file).
    pub fn read(node: &'a Node, path: &str, problems: &'a Problems) -> Self {
        if !matches!(node.data, Data::Map(_) | Data::Null) {
            let what = if path.is_empty() {
                "a job file".to_owned()
            } else {
                format!("`{path}`")
            };
            problems.add(
                &node.place,
                format!("{what} must be a mapping of keys, not {}", node.kind()),
                "write `key: value` lines",
            );
        }
        Self {
            node,
            path: path.to_owned(),
            known: Vec::new(),
            problems,
        }
    }

    /// Where the mapping begins.
    pub fn place(&self) -> &Place {
        &self.node.place
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
                |d| format!("leave the key out for its default, {d}"),
            );
            self.problems.add(
                &node.place,
                format!("`{}` has no value", self.full(key)),
                remedy,
            );
        }
        None
    }

    fn wrong(&self, key: &str, node: &Node, wanted: &str) {
        let shown = match &node.data {
            Data::List(_) | Data::Map(_) => node.kind().to_owned(),
            _ => node.json().to_string(),
        };
        self.problems.add(
            &node.place,
            format!("`{}` must be {wanted}, not {shown}", self.full(key)),
            "",
        );
    }

    /// Text of a length, on one line unless `lines`.
    pub fn text(
        &mut self,
        key: &str,
        default: Option<&str>,
        length: RangeInclusive<usize>,
        lines: bool,
        doc: &str,
    ) -> String {
        let shape = Shape::Text {
            length: length.clone(),
            lines,
        };
        let node = self.describe(key, shape, default.map(Value::from), doc);
        let value = node.and_then(|node| self.text_of(key, node, &length, lines));
        value.unwrap_or_else(|| default.unwrap_or_default().to_owned())
    }

    fn text_of(
        &self,
        key: &str,
        node: &Node,
        length: &RangeInclusive<usize>,
        lines: bool,
    ) -> Option<String> {
        let text = match &node.data {
            Data::Text(text) => text.trim().to_owned(),
            Data::Whole(_) | Data::Number(_) => node.json().to_string(),
            Data::Flag(_) | Data::Null => {
                self.wrong(key, node, "text (put it in quotes)");
                return None;
            }
            _ => {
                self.wrong(key, node, "text");
                return None;
            }
        };
        let found = text.chars().count();
        let (least, most) = (length.start(), length.end());
        if !length.contains(&found) {
            let cause = format!(
                "`{}` has {found} characters; it may have {least} to {most}",
                self.full(key)
            );
            self.problems.add(
                &node.place,
                cause,
                if found > *most {
                    "shorten it"
                } else {
                    "say more"
                },
            );
        } else if !lines && text.contains(['\n', '\r']) {
            let remedy = "put it on one line (a folded `>-` block joins lines)";
            self.problems.add(
                &node.place,
                format!("`{}` must be one line", self.full(key)),
                remedy,
            );
        } else if text
            .chars()
            .any(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r'))
        {
            self.problems.add(
                &node.place,
                format!("`{}` holds a control character", self.full(key)),
                "remove it",
            );
        } else {
            return Some(text);
        }
        None
    }

    /// Text, or nothing where the key is left out or `null`.
    pub fn optional_text(
        &mut self,
        key: &str,
        length: RangeInclusive<usize>,
        doc: &str,
    ) -> Option<String> {
        let shape = Shape::Nullable(Box::new(Shape::Text {
            length: length.clone(),
            lines: false,
        }));
        let node = self.describe(key, shape, Some(Value::Null), doc)?;
        self.text_of(key, node, &length, false)
    }

    /// A whole number in a range.
    pub fn whole(&mut self, key: &str, default: u64, range: RangeInclusive<i64>, doc: &str) -> u64 {
        let node = self.describe(key, Shape::Whole(range.clone()), Some(default.into()), doc);
        node.and_then(|node| self.whole_of(key, node, &range))
            .unwrap_or(default)
    }

    /// A whole number in a range, or nothing where the key is left out or `null`.
    pub fn optional_whole(
        &mut self,
        key: &str,
        range: RangeInclusive<i64>,
        doc: &str,
    ) -> Option<u64> {
        let shape = Shape::Nullable(Box::new(Shape::Whole(range.clone())));
        let node = self.describe(key, shape, Some(Value::Null), doc)?;
        self.whole_of(key, node, &range)
    }

    fn whole_of(&self, key: &str, node: &Node, range: &RangeInclusive<i64>) -> Option<u64> {
        match node.data {
            Data::Whole(n) if range.contains(&n) => u64::try_from(n).ok(),
            _ => {
                self.wrong(
                    key,
                    node,
                    &format!("a whole number from {} to {}", range.start(), range.end()),
                );
                None
            }
        }
    }

    /// A number in a range.
    pub fn number(
        &mut self,
        key: &str,
        default: f64,
        range: RangeInclusive<f64>,
        doc: &str,
    ) -> f64 {
        let node = self.describe(key, Shape::Number(range.clone()), Some(default.into()), doc);
        let Some(node) = node else { return default };
        let value = match node.data {
            Data::Whole(n) => n as f64,
            Data::Number(x) => x,
            _ => f64::NAN,
        };
        if range.contains(&value) {
            return value;
        }
        self.wrong(
            key,
            node,
            &format!("a number from {} to {}", range.start(), range.end()),
        );
        default
    }

    /// `true` or `false`.
    pub fn flag(&mut self, key: &str, default: bool, doc: &str) -> bool {
        match self
            .describe(key, Shape::Flag, Some(default.into()), doc)
            .map(|node| (&node.data, node))
        {
            None => default,
            Some((Data::Flag(flag), _)) => *flag,
            Some((_, node)) => {
                self.wrong(key, node, "true or false");
                default
            }
        }
    }

    /// One of several words, each with its meaning.
    pub fn choice<T: Copy>(&mut self, key: &str, options: &[(&str, T)], doc: &str) -> T {
        let words: Vec<String> = options.iter().map(|(word, _)| (*word).to_owned()).collect();
        let node = self.describe(
            key,
            Shape::Choice(words.clone()),
            Some(words[0].as_str().into()),
            doc,
        );
        let default = options[0].1;
        let Some(node) = node else { return default };
        let written = if let Data::Text(text) = &node.data {
            text.as_str()
        } else {
            ""
        };
        if let Some((_, value)) = options.iter().find(|(word, _)| *word == written) {
            return *value;
        }
        let shown = node.json();
        let cause = format!(
            "`{}` must be one of {}, not {shown}",
            self.full(key),
            words.join(", ")
        );
        self.problems.add(
            &node.place,
            cause,
            did_you_mean(written, words.iter().map(String::as_str)).unwrap_or_default(),
        );
        default
    }

    /// A list of texts.
    pub fn texts(
        &mut self,
        key: &str,
        count: RangeInclusive<usize>,
        length: RangeInclusive<usize>,
        doc: &str,
    ) -> Vec<String> {
        let item = Shape::Text {
            length: length.clone(),
            lines: false,
        };
        let node = self.describe(
            key,
            Shape::List(Box::new(item), count.clone()),
            Some(json!([])),
            doc,
        );
        let items = node
            .map(|node| self.items(key, node, &count))
            .unwrap_or_default();
        items
            .iter()
            .enumerate()
            .filter_map(|(i, item)| self.text_of(&format!("{key}.{i}"), item, &length, false))
            .collect()
    }

    fn items(&self, key: &str, node: &'a Node, count: &RangeInclusive<usize>) -> &'a [Node] {
        let Data::List(items) = &node.data else {
            self.wrong(key, node, "a list");
            return &[];
        };
        if !count.contains(&items.len()) {
            let cause = format!(
                "`{}` has {} entries; it may have {} to {}",
                self.full(key),
                items.len(),
                count.start(),
                count.end()
            );
            self.problems.add(&node.place, cause, "");
        }
        items
    }

    /// A mapping of its own keys, read by `read` (over an empty mapping where the key is left out).
    pub fn section<T>(&mut self, key: &str, doc: &str, read: impl FnOnce(&mut Keys<'_>) -> T) -> T {
        let empty = Node::empty_map(self.node.place.clone());
        let node = self.node.get(key).unwrap_or(&empty);
        let mut keys = Keys::read(node, &self.full(key), self.problems);
        let value = read(&mut keys);
        let inner = keys.finish();
        self.describe(key, Shape::Section(inner), Some(json!({})), doc);
        value
    }

    /// A list of mappings; `missing` many empty ones where the key is left out.
    pub fn sections<T>(
        &mut self,
        key: &str,
        missing: usize,
        count: RangeInclusive<usize>,
        doc: &str,
        mut read: impl FnMut(usize, &mut Keys<'_>) -> T,
    ) -> Vec<T> {
        let empty: Vec<Node> = (0..missing.max(1))
            .map(|_| Node::empty_map(self.node.place.clone()))
            .collect();
        let given = self.node.get(key).map(|node| self.items(key, node, &count));
        let mut inner = Vec::new();
        let mut values = Vec::new();
        for (i, node) in given.unwrap_or(&empty[..missing]).iter().enumerate() {
            let mut keys = Keys::read(node, &format!("{}.{i}", self.full(key)), self.problems);
            values.push(read(i, &mut keys));
            inner = keys.finish();
        }
        self.describe(
            key,
            Shape::List(Box::new(Shape::Section(inner)), count),
            Some(json!([])),
            doc,
        );
        values
    }

    /// A mapping from names that the user chooses to mappings; `None` where the key is left out.
    pub fn table<T>(
        &mut self,
        key: &str,
        doc: &str,
        mut read: impl FnMut(&str, &mut Keys<'_>) -> T,
    ) -> Option<Vec<(String, T)>> {
        let silent = Problems::of(std::path::Path::new(""), "");
        let empty = Node::empty_map(self.node.place.clone());
        let mut description = Keys::read(&empty, "", &silent);
        read("", &mut description);
        let shape = Shape::Table(Box::new(Shape::Section(description.finish())));
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

    /// A value whose shape the caller checks.
    pub fn raw(&mut self, key: &str, shape: Shape, default: Value, doc: &str) -> Option<&'a Node> {
        self.describe(key, shape, Some(default), doc)
    }

    /// Ends the reading: keys that nobody asked for are problems. Returns what is known of the mapping.
    pub fn finish(self) -> Vec<Key> {
        for (name, _) in self.node.entries() {
            if !self.known.iter().any(|key| key.name == name.text) {
                self.unknown(name);
            }
        }
        self.known
    }

    fn unknown(&self, name: &Name) {
        let place = if self.path.is_empty() {
            String::new()
        } else {
            format!(" in `{}`", self.path)
        };
        let known = || self.known.iter().map(|key| key.name.as_str());
        let remedy = did_you_mean(&name.text, known()).unwrap_or_else(|| {
            format!(
                "known keys here: {}",
                known().collect::<Vec<_>>().join(", ")
            )
        });
        self.problems.add(
            &name.place,
            format!("unknown key `{}`{place}", name.text),
            remedy,
        );
    }
}

/// A hint that names the nearest of `known`, where one is near.
pub fn did_you_mean<'k>(written: &str, known: impl Iterator<Item = &'k str>) -> Option<String> {
    let written = written.to_lowercase().replace('-', "_");
    let near = |word: &&str| {
        let limit = if word.len() <= 3 {
            1
        } else {
            1 + word.len() / 3
        };
        strsim::damerau_levenshtein(&written, word) <= limit
    };
    let best = known
        .filter(near)
        .min_by_key(|word| strsim::damerau_levenshtein(&written, word))?;
    Some(format!("did you mean `{best}`?"))
}
