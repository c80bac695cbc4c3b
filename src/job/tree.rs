//! A job file as a tree whose every key and value knows its line and column.

use std::collections::BTreeSet;

use serde_json::Value;

use super::problem::Place;

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
    /// An empty mapping.
    pub fn empty_map(place: Place) -> Self {
        Self {
            place,
            data: Data::Map(Vec::new()),
        }
    }

    /// The value of a key, if this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|(_, node)| node)
    }

    /// A key with its value, if this is a mapping that has it.
    pub fn entry(&self, key: &str) -> Option<&(Name, Node)> {
        self.entries().iter().find(|(name, _)| name.text == key)
    }

    /// The entries of a list; a value that is no list is its own and only entry.
    pub fn items(&self) -> &[Node] {
        if let Data::List(items) = &self.data {
            items
        } else {
            std::slice::from_ref(self)
        }
    }

    /// Text, or a number as it was written.
    pub fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) | Data::Whole(_, text) | Data::Number(_, text) => Some(text),
            _ => None,
        }
    }

    /// Whether both hold the same value; 1 and 1.0 do.
    pub fn same(&self, other: &Self) -> bool {
        match (&self.data, &other.data) {
            (Data::Whole(a, _), Data::Whole(b, _)) => a == b,
            (Data::Number(a, _), Data::Number(b, _)) => a == b,
            (Data::Whole(a, _), Data::Number(b, _)) | (Data::Number(b, _), Data::Whole(a, _)) => {
                *a as f64 == *b
            }
            (Data::List(a), Data::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
            }
            (Data::Map(a), Data::Map(b)) => {
                let found = |(name, node): &(Name, Node)| {
                    other.get(&name.text).is_some_and(|twin| node.same(twin))
                };
                a.len() == b.len() && a.iter().all(found)
            }
            _ => self.json() == other.json(),
        }
    }

    /// A text that values have in common which are the same ([`Node::same`]); few others have it too.
    pub fn rough(&self) -> String {
        match &self.data {
            // Adding nothing makes one of both zeros.
            Data::Whole(n, _) => (*n as f64 + 0.0).to_string(),
            Data::Number(x, _) => (*x + 0.0).to_string(),
            Data::List(items) => items.iter().map(|item| item.rough() + ",").collect(),
            Data::Map(entries) => {
                let names: BTreeSet<&str> = entries.iter().map(|(name, _)| &*name.text).collect();
                names
                    .into_iter()
                    .map(|name| name.to_owned() + ",")
                    .collect()
            }
            _ => self.json().to_string(),
        }
    }

    /// The entries, if this is a mapping; none otherwise.
    pub fn entries(&self) -> &[(Name, Node)] {
        if let Data::Map(entries) = &self.data {
            entries
        } else {
            &[]
        }
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

    /// The value as JSON.
    pub fn json(&self) -> Value {
        match &self.data {
            Data::Null => Value::Null,
            Data::Flag(flag) => (*flag).into(),
            Data::Whole(n, _) => (*n).into(),
            Data::Number(x, _) => (*x).into(),
            Data::Text(text) => text.as_str().into(),
            Data::List(items) => items.iter().map(Node::json).collect(),
            Data::Map(entries) => Value::Object(
                entries
                    .iter()
                    .map(|(k, v)| (k.text.clone(), v.json()))
                    .collect(),
            ),
        }
    }

    /// A JSON value as a node whose every part is said to come from `place`.
    pub(super) fn of_json(value: &Value, place: &Place) -> Self {
        let name = |name: &String| Name {
            place: place.clone(),
            text: name.clone(),
        };
        let data = match value {
            Value::Null => Data::Null,
            Value::Bool(flag) => Data::Flag(*flag),
            Value::Number(n) => number(&n.to_string()).unwrap_or(Data::Null),
            Value::String(text) => Data::Text(text.clone()),
            Value::Array(items) => {
                Data::List(items.iter().map(|it| Self::of_json(it, place)).collect())
            }
            Value::Object(entries) => Data::Map(
                entries
                    .iter()
                    .map(|(key, value)| (name(key), Self::of_json(value, place)))
                    .collect(),
            ),
        };
        Self {
            place: place.clone(),
            data,
        }
    }

    /// A copy whose every part is said to come from `place`.
    pub fn moved_to(&self, place: &Place) -> Self {
        let data = match &self.data {
            Data::List(items) => {
                Data::List(items.iter().map(|item| item.moved_to(place)).collect())
            }
            Data::Map(entries) => {
                let moved = |(name, node): &(Name, Node)| {
                    (
                        Name {
                            place: place.clone(),
                            text: name.text.clone(),
                        },
                        node.moved_to(place),
                    )
                };
                Data::Map(entries.iter().map(moved).collect())
            }
            other => other.clone(),
        };
        Self {
            place: place.clone(),
            data,
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
                let index = first
                    .parse()
                    .ok()
                    .filter(|n: &usize| n.to_string() == *first);
                let item = index.and_then(|index| items.get_mut(index));
                item.ok_or_else(|| {
                    format!(
                        "there is no entry `{first}` in this list of {count} (they count from 0)"
                    )
                })?
                .set(rest, name_place, value)
            }
            Data::Map(entries) => {
                let index = entries
                    .iter()
                    .position(|(name, _)| name.text == *first)
                    .unwrap_or_else(|| {
                        let name = Name {
                            place: name_place.clone(),
                            text: (*first).to_owned(),
                        };
                        entries.push((name, Node::empty_map(value.place.clone())));
                        entries.len() - 1
                    });
                entries[index].1.set(rest, name_place, value)
            }
            Data::Null => {
                self.data = Data::Map(Vec::new());
                self.set(path, name_place, value)
            }
            _ => Err(format!(
                "`{first}` would be inside {}, which has no keys",
                self.kind()
            )),
        }
    }
}

/// A number as people write it in decimals; whole ones beyond 64 bits are kept as any other number.
pub(super) fn number(text: &str) -> Option<Data> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let whole = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    if let Some(n) = text.parse().ok().filter(|_| whole) {
        return Some(Data::Whole(n, text.to_owned()));
    }
    let numeric = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.chars().any(|c| c.is_ascii_digit());
    let plain = digits
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    let value = text.parse().ok().filter(|x: &f64| x.is_finite());
    value
        .filter(|_| numeric && plain)
        .map(|x| Data::Number(x, text.to_owned()))
}
