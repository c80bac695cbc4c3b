//! Names that many debates share, each held once: those of one thread, so that none waits for another.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A name that many debates share: one word wide, since there are many times more places where names stand than names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Text(Arc<Box<str>>);

/// The names that were met, each held once.
#[derive(Debug, Default)]
pub struct Names(HashSet<Text, foldhash::fast::RandomState>);

thread_local! {
    /// The names among which this thread looks up those that it deserializes: a deserializer cannot be handed any.
    static LENT: RefCell<Names> = RefCell::default();
}

impl Names {
    /// This name, as it is held.
    pub(super) fn text(&mut self, name: &str) -> Text {
        if let Some(known) = self.0.get(name) {
            return known.clone();
        }
        let text = Text::from(name);
        self.0.insert(text.clone());
        text
    }

    pub(super) fn pairs<'a>(
        &mut self,
        all: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Box<[(Text, Text)]> {
        all.map(|(key, value)| (self.text(key), self.text(value)))
            .collect()
    }

    /// What `read` makes, with every [`Text`] that it deserializes among these names.
    pub(super) fn lent_while<T>(&mut self, read: impl FnOnce() -> T) -> T {
        LENT.with_borrow_mut(|lent| std::mem::swap(lent, self));
        let made = read();
        LENT.with_borrow_mut(|lent| std::mem::swap(lent, self));
        made
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_str(Name)
    }
}

/// Takes a name from where it stands, without a copy of its own.
struct Name;

impl Visitor<'_> for Name {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Text, E> {
        Ok(LENT.with_borrow_mut(|names| names.text(name)))
    }
}

impl From<&str> for Text {
    fn from(name: &str) -> Self {
        Self(Arc::new(name.into()))
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
