//! Reading a mapping key by key. The same call that reads a key describes it, so that the errors, the defaults and
//! `rebut schema job` cannot disagree.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

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
        let Some(text) = node.text().map(str::trim) else {
            self.wrong(key, node, "text");
            return None;
        };
        let Err((cause, remedy)) = words::check_text(text, length, lines) else {
            return Some(text.to_owned());
        };
        let written = self.problems.rest_of_line(&node.place);
        let commented = text.chars().count() < *length.start()
            && written.contains(" #")
            && !written.starts_with(['"', '\'']);
        let remedy = if commented {
            "` #` begins a comment: put the whole text in quotes".to_owned()
        } else {
            remedy
        };
        let cause = format!("`{}` {cause}", self.full(key));
        self.problems.add(&node.place, cause, remedy);
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
            Data::Whole(n, _) if range.contains(&n) => u64::try_from(n).ok(),
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
        self.valid_number(key, default, range, doc)
            .unwrap_or(default)
    }

    /// A number in a range; `None` where what is given is none, which is then a problem.
    pub fn valid_number(
        &mut self,
        key: &str,
        default: f64,
        range: RangeInclusive<f64>,
        doc: &str,
    ) -> Option<f64> {
        let given = self.has(key);
        let node = self.describe(key, Shape::Number(range.clone()), Some(default.into()), doc);
        let Some(node) = node else {
            return (!given).then_some(default);
        };
        let value = match node.data {
            Data::Whole(n, _) => n as f64,
            Data::Number(x, _) => x,
            _ => f64::NAN,
        };
        if range.contains(&value) {
            return Some(value);
        }
        let wanted = format!("a number from {} to {}", range.start(), range.end());
        self.wrong(key, node, &wanted);
        None
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

    /// `true` or `false`, or nothing where the key is left out or `null`.
    pub fn optional_flag(&mut self, key: &str, doc: &str) -> Option<bool> {
        let shape = Shape::Nullable(Box::new(Shape::Flag));
        let node = self.describe(key, shape, Some(Value::Null), doc)?;
        if let Data::Flag(flag) = node.data {
            return Some(flag);
        }
        self.wrong(key, node, "true or false");
        None
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
        let found = options.iter().find(|(word, _)| node.text() == Some(*word));
        if let Some((_, value)) = found {
            return *value;
        }
        let listed = words.join(", ");
        let near = if let Data::Text(text) = &node.data {
            words::did_you_mean(text, words.iter().map(String::as_str))
        } else {
            None
        };
        let remedy = near.unwrap_or_else(|| match words.as_slice() {
            [only] => format!("write `{only}`, or leave the key out"),
            _ => format!("choose one of {listed}"),
        });
        let wanted = match words.as_slice() {
            [only] => only.clone(),
            _ => format!("one of {listed}"),
        };
        self.refuse(key, node, &wanted, &remedy);
        default
    }

    /// A list of texts; none where the key is left out.
    pub fn texts(
        &mut self,
        key: &str,
        count: RangeInclusive<usize>,
        length: RangeInclusive<usize>,
        doc: &str,
    ) -> Vec<String> {
        self.texts_or(key, &[], count, length, doc)
    }

    /// A list of texts, `default` where the key is left out.
    pub fn texts_or(
        &mut self,
        key: &str,
        default: &[String],
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
            Some(json!(default)),
            doc,
        );
        let Some(node) = node else {
            return default.to_vec();
        };
        self.items(key, node, &count)
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
        if let Err((cause, remedy)) = words::check_count(items.len(), count) {
            let cause = format!("`{}` {cause}", self.full(key));
            self.problems.add(self.place_of_key(key), cause, remedy);
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

    /// A mapping of its own keys, with its defaults where it is left out; `null` for none.
    pub fn section_or_null<T>(
        &mut self,
        key: &str,
        doc: &str,
        read: impl FnOnce(&mut Keys<'_>) -> T,
    ) -> Option<T> {
        let empty = Node::empty_map(self.node.place.clone());
        let node = self.node.get(key).unwrap_or(&empty);
        let mut keys = Keys::read_nullable(node, &self.full(key), self.problems);
        let value = read(&mut keys);
        let shape = Shape::Nullable(Box::new(Shape::Section(keys.finish())));
        self.describe(key, shape, Some(json!({})), doc);
        (!matches!(node.data, Data::Null)).then_some(value)
    }

    /// A mapping of its own keys that may be left out or `null`: then there is none.
    pub fn optional_section<T>(
        &mut self,
        key: &str,
        doc: &str,
        mut read: impl FnMut(&mut Keys<'_>) -> T,
    ) -> Option<T> {
        let silent = Problems::of(std::path::Path::new(""), "");
        let empty = Node::empty_map(self.node.place.clone());
        let mut description = Keys::read(&empty, "", &silent);
        read(&mut description);
        let shape = Shape::Nullable(Box::new(Shape::Section(description.finish())));
        let node = self.describe(key, shape, Some(Value::Null), doc)?;
        let mut keys = Keys::read_nullable(node, &self.full(key), self.problems);
        let value = read(&mut keys);
        keys.finish();
        Some(value)
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
        let node = self.node.get(key);
        let given = node
            .filter(|node| matches!(node.data, Data::List(_)))
            .map(|node| self.items(key, node, &count));
        let mut inner = Vec::new();
        let mut values = Vec::new();
        for (i, node) in given.unwrap_or(&empty[..missing]).iter().enumerate() {
            let mut keys = Keys::read(node, &format!("{}.{i}", self.full(key)), self.problems);
            values.push(read(i, &mut keys));
            inner = keys.finish();
        }
        if values.is_empty() {
            let silent = Problems::of(std::path::Path::new(""), "");
            let mut description = Keys::read(&empty[0], "", &silent);
            read(0, &mut description);
            inner = description.finish();
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
        let shown = text::shorten(&name.text, 60);
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

/// A default as a message shows it.
fn brief(default: &Value) -> String {
    match default {
        Value::Array(items) if !items.is_empty() => words::counted(items.len(), "entry", "entries"),
        other => other.to_string(),
    }
}
