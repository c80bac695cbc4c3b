//! The shape of a key's value: for errors, for defaults and for the schema.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::Arc;

use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::{Serialize, forward_to_deserialize_any};
use serde_json::{Value, json};

use super::reader::{KeyContext, Reader};
use super::tree::Node;

/// The shape of a key's value.
#[derive(Clone)]
pub enum Shape {
    /// Text of limited length, on one line or several.
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
    /// A list with a limited number of entries.
    List(Box<Shape>, RangeInclusive<usize>),
    /// A mapping with these keys.
    Section(Vec<Key>),
    /// A mapping from any name to this shape.
    ByName(Box<Shape>),
    /// One of several shapes.
    Either(Vec<Shape>),
    /// `null` or this shape.
    Nullable(Box<Shape>),
    /// This shape; omitted or `null`, the value follows from others.
    Derived(Box<Shape>),
    /// Any single value.
    Any,
    /// Nothing: a key that people may expect here but that stands elsewhere or nowhere.
    Refused {
        /// What follows the key in the message.
        why: String,
        /// What to do instead.
        remedy: String,
    },
    /// A shape that has its own reader.
    ReadBy(Box<Shape>, Read),
}

/// Reads a value, with messages of its own.
pub(crate) type Read =
    Arc<dyn Fn(&Reader<'_>, &KeyContext<'_>, &Node) -> Option<Value> + Send + Sync>;

/// Text on one line.
pub(crate) fn text(length: RangeInclusive<usize>) -> Shape {
    Shape::Text { length, lines: false }
}

/// Text on one line or several.
pub(crate) fn lines(length: RangeInclusive<usize>) -> Shape {
    Shape::Text { length, lines: true }
}

/// Whole numbers in this range.
pub fn whole(range: RangeInclusive<i64>) -> Shape {
    Shape::Whole(range)
}

pub(crate) fn number(range: RangeInclusive<f64>) -> Shape {
    Shape::Number(range)
}

pub(crate) fn flag() -> Shape {
    Shape::Flag
}

/// One of the words of an enum, as serde reads it.
pub(crate) fn choice<T: DeserializeOwned>() -> Shape {
    let mut words: &[&str] = &[];
    // It fails once it has learnt the words.
    let _ = T::deserialize(EnumWords(&mut words));
    Shape::Choice(words.iter().map(|word| (*word).to_owned()).collect())
}

pub(crate) fn list(item: Shape, count: RangeInclusive<usize>) -> Shape {
    Shape::List(Box::new(item), count)
}

/// A mapping from names that the user chooses.
pub(crate) fn by_name(value: Shape) -> Shape {
    Shape::ByName(Box::new(value))
}

pub(crate) fn nullable(inner: Shape) -> Shape {
    Shape::Nullable(Box::new(inner))
}

/// A value that follows from others where it is omitted or `null`.
pub(crate) fn derived(inner: Shape) -> Shape {
    Shape::Derived(Box::new(inner))
}

impl Shape {
    /// This shape, with its own check: it is given the value as written and as read, and may replace it.
    pub(crate) fn checked(
        self,
        check: impl Fn(&Reader<'_>, &KeyContext<'_>, &Node, Value) -> Option<Value>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let plain = self.clone();
        self.read_by(move |reader, at, node| {
            check(reader, at, node, reader.value(at, &plain, node)?)
        })
    }

    /// This shape, read by a function.
    pub(crate) fn read_by(
        self,
        read: impl Fn(&Reader<'_>, &KeyContext<'_>, &Node) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        Shape::ReadBy(Box::new(self), Arc::new(read))
    }

    /// The shape of what is not `null`, without its check.
    pub(super) fn plain(&self) -> &Self {
        match self {
            Shape::Nullable(inner) | Shape::Derived(inner) | Shape::ReadBy(inner, _) => {
                inner.plain()
            }
            other => other,
        }
    }

    /// The keys of a mapping, whether it may be omitted or is in a list; none of anything else.
    pub(super) fn keys(&self) -> &[Key] {
        match self.plain() {
            Shape::Section(keys) => keys,
            Shape::List(item, _) => item.keys(),
            _ => &[],
        }
    }
}

/// A key that a mapping may have.
#[derive(Clone)]
pub struct Key {
    /// The key.
    pub name: Cow<'static, str>,
    /// What it means.
    pub doc: Cow<'static, str>,
    /// What it may hold.
    pub shape: Shape,
    /// What it is when omitted; `None` where it must be given.
    pub default: Option<Value>,
}

impl Key {
    /// A key that may be omitted. The defaults inside a mapping are those of its own keys.
    pub fn new(
        name: &'static str,
        doc: impl Into<Cow<'static, str>>,
        shape: Shape,
        default: impl Serialize,
    ) -> Self {
        let default = match (shape.plain(), json!(default)) {
            (Shape::Section(_), Value::Object(_)) => json!({}),
            _ if matches!(shape, Shape::Derived(_)) => Value::Null,
            (_, default) => default,
        };
        Self { name: name.into(), doc: doc.into(), shape, default: Some(default) }
    }

    /// This key, which must be given.
    pub(super) fn required(self) -> Self {
        Self { default: None, ..self }
    }

    /// A key that people may expect here: `why` it is refused, and what to do instead.
    pub(super) fn refused(
        name: impl Into<Cow<'static, str>>,
        why: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let (why, remedy) = (why.into(), remedy.into());
        Self {
            name: name.into(),
            doc: "".into(),
            shape: Shape::Refused { why, remedy },
            default: None,
        }
    }

    /// Whether a job may have it.
    pub(super) fn is_allowed(&self) -> bool {
        !matches!(self.shape, Shape::Refused { .. })
    }
}

/// Learns the words of an enum from what serde expects.
struct EnumWords<'w>(&'w mut &'static [&'static str]);

impl<'de> Deserializer<'de> for EnumWords<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("no enum"))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        *self.0 = words;
        Err(Error::custom("no value"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
