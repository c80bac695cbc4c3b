//! A job file as a tree whose every key and value knows its line and column.

use serde_json::Value;

use super::problem::{Place, Problems};
use crate::text;

/// A value and where it was written.
#[derive(Debug, Clone)]
pub struct Node {
    /// Where it begins.
    pub place: Place,
    /// What it is.
    pub data: Data,
}

/// A key of a mapping and where it was written.
#[derive(Debug, Clone)]
pub struct Name {
    /// Where it begins.
    pub place: Place,
    /// Its text; numbers and flags as they were written.
    pub text: String,
}

/// The kinds of values, by YAML 1.2's core schema.
#[derive(Debug, Clone)]
pub enum Data {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`.
    Flag(bool),
    /// A whole number, and how it was written.
    Whole(i64, String),
    /// Any other number, and how it was written.
    Number(f64, String),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order of the file.
    Map(Vec<(Name, Node)>),
}

impl Node {
    /// A value that comes from this place.
    pub fn at(place: &Place, data: Data) -> Self {
        Self { place: place.clone(), data }
    }

    /// The value of a key, if this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|(_, node)| node)
    }

    /// A key with its value, if this is a mapping that has it.
    pub fn entry(&self, key: &str) -> Option<&(Name, Node)> {
        self.entries().iter().find(|(name, _)| name.text == key)
    }

    /// Where a key is written; where it is not, where this begins.
    pub(super) fn place_of_key(&self, key: &str) -> &Place {
        self.entry(key).map_or(&self.place, |(name, _)| &name.place)
    }

    /// Where the value of a key is written; where it is not, where this begins.
    pub(super) fn place_of_value(&self, key: &str) -> &Place {
        self.get(key).map_or(&self.place, |node| &node.place)
    }

    /// Whether a key is there with a value.
    pub(super) fn gives(&self, key: &str) -> bool {
        self.get(key).is_some_and(|node| !matches!(node.data, Data::Null))
    }

    /// The entries of a list; a value that is no list is its own and only entry.
    pub fn items(&self) -> &[Node] {
        if let Data::List(items) = &self.data { items } else { std::slice::from_ref(self) }
    }

    /// Text, or a number as it was written.
    pub fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) | Data::Whole(_, text) | Data::Number(_, text) => Some(text),
            _ => None,
        }
    }

    /// The entries, if this is a mapping; none otherwise.
    pub fn entries(&self) -> &[(Name, Node)] {
        if let Data::Map(entries) = &self.data { entries } else { &[] }
    }

    /// What a reader would call the value: "a list", "text"…
    pub fn kind(&self) -> &'static str {
        match self.data {
            Data::Null => "nothing",
            Data::Flag(_) => "true or false",
            Data::Whole(..) => "a whole number",
            Data::Number(..) => "a number",
            Data::Text(_) => "text",
            Data::List(_) => "a list",
            Data::Map(_) => "a mapping",
        }
    }

    /// Reports that the value is of another kind than `wanted`.
    pub(super) fn refuse(&self, problems: &Problems, wanted: &str, remedy: impl Into<String>) {
        problems.add(&self.place, format!("{wanted}, not {}", self.kind()), remedy);
    }

    /// The value as a message shows it.
    pub fn shown(&self) -> String {
        match &self.data {
            Data::List(_) | Data::Map(_) => self.kind().to_owned(),
            Data::Whole(_, text) | Data::Number(_, text) => text.clone(),
            Data::Text(text) => Value::from(text::shorten(text, 60)).to_string(),
            Data::Null => "an empty value".to_owned(),
            Data::Flag(flag) => flag.to_string(),
        }
    }

    /// Whether the value says yes (or no) in a word that people use for it.
    pub fn says(&self, yes: bool) -> bool {
        let words = if yes { ["yes", "on"] } else { ["no", "off"] };
        match &self.data {
            Data::Flag(flag) => *flag == yes,
            Data::Text(text) => words.contains(&text.trim().to_lowercase().as_str()),
            _ => false,
        }
    }

    /// The value as JSON.
    pub fn json(&self) -> Value {
        match &self.data {
            Data::Null => Value::Null,
            Data::Flag(flag) => (*flag).into(),
            Data::Whole(n, _) => (*n).into(),
            Data::Number(x, _) => (*x).into(),
            Data::Text(text) => text.as_str().into(),
            Data::List(items) => items.iter().map(Node::json).collect(),
            Data::Map(entries) => entries.iter().map(|(k, v)| (k.text.clone(), v.json())).collect(),
        }
    }

    /// Says of every part that it comes from `place`.
    pub fn move_to(&mut self, place: &Place) {
        self.place = place.clone();
        match &mut self.data {
            Data::List(items) => items.iter_mut().for_each(|item| item.move_to(place)),
            Data::Map(entries) => {
                for (name, node) in entries {
                    name.place = place.clone();
                    node.move_to(place);
                }
            }
            _ => {}
        }
    }

    /// Puts `value` at a dotted path such as `y.0.persona`; mappings on the way are made. `Err` says why it can't be.
    pub fn set(&mut self, path: &[&str], name_place: &Place, value: Node) -> Result<(), String> {
        let Some((first, rest)) = path.split_first() else {
            *self = value;
            return Ok(());
        };
        match &mut self.data {
            Data::List(items) => {
                let count = items.len();
                let index = first.parse().ok().filter(|n: &usize| n.to_string() == *first);
                let missing = || {
                    format!(
                        "there is no entry `{first}` in this list of {count} (they count from 0)"
                    )
                };
                let item = index.and_then(|index| items.get_mut(index));
                item.ok_or_else(missing)?.set(rest, name_place, value)
            }
            Data::Map(entries) => {
                let known = entries.iter().position(|(name, _)| name.text == *first);
                let index = known.unwrap_or_else(|| {
                    let name = Name { place: name_place.clone(), text: (*first).to_owned() };
                    entries.push((name, Node::at(&value.place, Data::Map(Vec::new()))));
                    entries.len() - 1
                });
                entries[index].1.set(rest, name_place, value)
            }
            Data::Null => {
                self.data = Data::Map(Vec::new());
                self.set(path, name_place, value)
            }
            _ => Err(format!("`{first}` would be inside {}, which has no keys", self.kind())),
        }
    }
}

/// A number as people write it in decimals; whole ones beyond 64 bits are kept as any other number.
pub(super) fn number(text: &str) -> Option<Data> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    // Words such as `inf` would be read as numbers too.
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if let Ok(n) = text.parse() {
        return Some(Data::Whole(n, text.to_owned()));
    }
    let value = text.parse().ok().filter(|x: &f64| x.is_finite());
    value.map(|x| Data::Number(x, text.to_owned()))
}
