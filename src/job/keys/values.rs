//! The values of keys: texts, numbers, flags, choices, and lists of texts.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::Keys;
use crate::job::shape::Shape;
use crate::job::tree::{Data, Node};
use crate::job::words;

impl<'a> Keys<'a> {
    /// Text of a length, on one line unless `lines`.
    pub(crate) fn text(
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

    /// Text of a length on one line, or nothing where the key is left out or `null`.
    pub(crate) fn optional_text(
        &mut self,
        key: &str,
        length: RangeInclusive<usize>,
        doc: &str,
    ) -> Option<String> {
        let text = Shape::Text {
            length: length.clone(),
            lines: false,
        };
        let shape = Shape::Nullable(Box::new(text));
        let node = self.describe(key, shape, Some(Value::Null), doc)?;
        self.text_of(key, node, &length, false)
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

    /// A whole number in a range.
    pub(crate) fn whole(
        &mut self,
        key: &str,
        default: u64,
        range: RangeInclusive<i64>,
        doc: &str,
    ) -> u64 {
        let node = self.describe(key, Shape::Whole(range.clone()), Some(default.into()), doc);
        node.and_then(|node| self.whole_of(key, node, &range))
            .and_then(|n| u64::try_from(n).ok())
            .unwrap_or(default)
    }

    /// A whole number in a range, or nothing where the key is left out or `null`.
    pub(crate) fn optional_integer(
        &mut self,
        key: &str,
        range: RangeInclusive<i64>,
        doc: &str,
    ) -> Option<i64> {
        let shape = Shape::Nullable(Box::new(Shape::Whole(range.clone())));
        let node = self.describe(key, shape, Some(Value::Null), doc)?;
        self.whole_of(key, node, &range)
    }

    fn whole_of(&self, key: &str, node: &Node, range: &RangeInclusive<i64>) -> Option<i64> {
        match node.data {
            Data::Whole(n, _) if range.contains(&n) => Some(n),
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
    pub(crate) fn number(
        &mut self,
        key: &str,
        default: f64,
        range: RangeInclusive<f64>,
        doc: &str,
    ) -> f64 {
        let node = self.describe(key, Shape::Number(range.clone()), Some(default.into()), doc);
        node.and_then(|node| self.number_of(key, node, &range))
            .unwrap_or(default)
    }

    /// A number in a range, or nothing where the key is left out or `null`.
    pub(crate) fn optional_number(
        &mut self,
        key: &str,
        range: RangeInclusive<f64>,
        doc: &str,
    ) -> Option<f64> {
        let shape = Shape::Nullable(Box::new(Shape::Number(range.clone())));
        let node = self.describe(key, shape, Some(Value::Null), doc)?;
        self.number_of(key, node, &range)
    }

    fn number_of(&self, key: &str, node: &Node, range: &RangeInclusive<f64>) -> Option<f64> {
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
    pub(crate) fn flag(&mut self, key: &str, default: bool, doc: &str) -> bool {
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
    pub(crate) fn optional_flag(&mut self, key: &str, doc: &str) -> Option<bool> {
        let shape = Shape::Nullable(Box::new(Shape::Flag));
        let node = self.describe(key, shape, Some(Value::Null), doc)?;
        if let Data::Flag(flag) = node.data {
            return Some(flag);
        }
        self.wrong(key, node, "true or false");
        None
    }

    /// One of several words, each with its meaning.
    pub(crate) fn choice<T: Copy>(&mut self, key: &str, options: &[(&str, T)], doc: &str) -> T {
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
    pub(crate) fn texts(
        &mut self,
        key: &str,
        count: RangeInclusive<usize>,
        length: RangeInclusive<usize>,
        doc: &str,
    ) -> Vec<String> {
        self.texts_or(key, &[], count, length, doc)
    }

    /// A list of texts, `default` where the key is left out.
    pub(crate) fn texts_or(
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

    pub(super) fn items(
        &self,
        key: &str,
        node: &'a Node,
        count: &RangeInclusive<usize>,
    ) -> &'a [Node] {
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
}
