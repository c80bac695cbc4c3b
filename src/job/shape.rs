//! What a key may hold: for errors, for defaults and for the schema.

use std::ops::RangeInclusive;

use serde_json::Value;

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

impl Shape {
    /// The keys of a mapping, whether it may be left out or stands in a list; none of anything else.
    pub(super) fn keys(&self) -> &[Key] {
        match self {
            Shape::Section(keys) => keys,
            Shape::List(item, _) => item.keys(),
            Shape::Nullable(inner) => inner.keys(),
            _ => &[],
        }
    }
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
