//! Reads the values of keys by their shapes; a value of another shape is a problem.

use std::ops::RangeInclusive;

use serde_json::{Map, Value, json};

use super::checks;
use super::problem::remedy;
use super::reader::{KeyContext, Reader, below};
use super::shape::{Key, Shape};
use super::tree::{Data, Name, Node};

impl Reader<'_> {
    /// The valid values of a mapping, by key; missing and wrong ones are absent.
    pub(super) fn keys(&self, path: &str, keys: &[Key], node: &Node) -> Map<String, Value> {
        let read = |key: &Key| {
            let (name, value) = node.entry(&key.name)?;
            let at = KeyContext {
                path: &below(path, &key.name),
                key: &name.place,
                default: key.default.as_ref(),
            };
            if let Shape::Refused { why, remedy } = &key.shape {
                self.problems.add(at.key, format!("`{}` {why}", at.path), remedy);
                return None;
            }
            let given = match value.data {
                Data::Null => self.null(&at, &key.shape, value),
                _ => self.value(&at, &key.shape, value),
            };
            Some((name.text.clone(), given?))
        };
        keys.iter().filter_map(read).collect()
    }

    /// Reads `null`: no value, or the key omitted, as the shape allows.
    fn null(&self, at: &KeyContext<'_>, shape: &Shape, node: &Node) -> Option<Value> {
        match shape {
            Shape::Nullable(_) => return Some(Value::Null),
            Shape::ReadBy(inner, _) => return self.null(at, inner, node),
            Shape::Section(_) | Shape::ByName(_) | Shape::Derived(_) | Shape::Any => return None,
            _ => {}
        }
        let remedy = at.default.map_or_else(
            || "give it a value".to_owned(),
            |default| format!("omit the key to use its default, {}", brief(default)),
        );
        self.problems.add(&node.place, format!("`{}` has no value", at.path), remedy);
        None
    }

    /// A value, if it has the shape; text is trimmed.
    pub(super) fn value(&self, at: &KeyContext<'_>, shape: &Shape, node: &Node) -> Option<Value> {
        match (shape, &node.data) {
            (Shape::Nullable(inner), _) => self.unless_no(at, inner, node),
            (Shape::Derived(inner), _) => self.value(at, inner, node),
            (Shape::ReadBy(_, read), _) => read(self, at, node),
            (Shape::Any | Shape::Either(_), _) => Some(node.json()),
            (Shape::Section(keys), _) => self.section(at.path, keys, node).map(Value::Object),
            (Shape::ByName(inner), _) => self.by_name(at.path, inner, node),
            (Shape::List(item, count), Data::List(items)) => {
                let may_go = items.is_empty() && at.default.is_some();
                let or_go = if may_go { ", or leave the key out" } else { "" };
                let counted = checks::check_count(items.len(), count)
                    .map_err(|(cause, remedy)| (cause, remedy + or_go));
                self.problems.accept_named(&named(at.path), at.key, counted);
                Some(self.items(at.path, item, items))
            }
            (Shape::Text { length, lines }, _) if node.text().is_some() => {
                self.text(at.path, node, length, *lines)
            }
            (Shape::Whole(range), Data::Whole(n, _)) if range.contains(n) => Some((*n).into()),
            (Shape::Number(range), Data::Whole(n, _)) if range.contains(&(*n as f64)) => {
                Some((*n as f64).into())
            }
            (Shape::Number(range), Data::Number(x, _)) if range.contains(x) => Some((*x).into()),
            (Shape::Flag, Data::Flag(flag)) => Some((*flag).into()),
            (Shape::Choice(words), Data::Text(text)) if words.contains(text) => {
                Some(text.as_str().into())
            }
            _ => {
                let remedy = remedy::remedy(shape, at.default, node);
                self.refuse(at, node, &remedy::wanted(shape), &remedy)
            }
        }
    }

    /// A value that may be `null`; words that say no are no section.
    fn unless_no(&self, at: &KeyContext<'_>, inner: &Shape, node: &Node) -> Option<Value> {
        if matches!(inner.plain(), Shape::Section(_)) && node.says(false) {
            return self.refuse(at, node, "a mapping of keys", "write `null` for none");
        }
        self.value(at, inner, node)
    }

    fn text(
        &self,
        path: &str,
        node: &Node,
        length: &RangeInclusive<usize>,
        lines: bool,
    ) -> Option<Value> {
        let text = node.text().unwrap_or_default().trim();
        let checked = checks::check_text(text, length, lines).map_err(|(cause, remedy)| {
            let is_short = text.chars().count() < *length.start();
            let commented = is_short && !self.problems.is_full() && {
                let written = self.problems.rest_of_line(&node.place);
                written.contains(" #") && !written.starts_with(['"', '\''])
            };
            let quotes = "` #` starts a comment: quote the whole text";
            (cause, if commented { quotes.to_owned() } else { remedy })
        });
        self.problems.accept_named(&named(path), &node.place, checked)?;
        Some(text.into())
    }

    fn items(&self, path: &str, item: &Shape, items: &[Node]) -> Value {
        let read = |(i, node): (usize, &Node)| {
            let at =
                KeyContext { path: &below(path, &i.to_string()), key: &node.place, default: None };
            let value = self.value(&at, item, node);
            // Each section keeps its place: participants are numbered.
            let is_section = matches!(item.plain(), Shape::Section(_));
            value.or_else(|| is_section.then(|| json!({})))
        };
        items.iter().enumerate().filter_map(read).collect()
    }

    fn by_name(&self, path: &str, shape: &Shape, node: &Node) -> Option<Value> {
        self.check_mapping(path, &[], node)?;
        let read = |(name, node): &(Name, Node)| {
            let at = KeyContext { path: &below(path, &name.text), key: &name.place, default: None };
            Some((name.text.clone(), self.value(&at, shape, node)?))
        };
        Some(Value::Object(node.entries().iter().filter_map(read).collect()))
    }

    /// A mapping of known keys; others are problems.
    fn section(&self, path: &str, keys: &[Key], node: &Node) -> Option<Map<String, Value>> {
        self.check_mapping(path, keys, node)?;
        let given = self.keys(path, keys, node);
        self.refuse_unknown(path, keys, node, &|_| None);
        Some(given)
    }

    fn check_mapping(&self, path: &str, keys: &[Key], node: &Node) -> Option<()> {
        if matches!(node.data, Data::Map(_) | Data::Null) {
            return Some(());
        }
        let wanted = format!("`{path}` must be a mapping of keys");
        node.refuse(self.problems, &wanted, remedy::mapping(node, keys));
        None
    }
}

fn named(path: &str) -> String {
    format!("`{path}`")
}

/// A default as a message shows it.
fn brief(default: &Value) -> String {
    match default {
        Value::Array(items) if !items.is_empty() => checks::entries(items.len()),
        other => other.to_string(),
    }
}
