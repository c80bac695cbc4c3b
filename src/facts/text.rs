//! Interned names: many debates share them.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A name that many debates share: one word wide, since names stand in many times more places than there are names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Text(Arc<Box<str>>);

thread_local! {
    /// The names that this thread has deserialized: a set for each thread, so that none waits for another.
    static NAMES: RefCell<HashSet<Text, foldhash::fast::RandomState>> = RefCell::default();
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_str(SharedName)
    }
}

/// Takes a name from where it stands, without a copy if it is known.
struct SharedName;

impl Visitor<'_> for SharedName {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Text, E> {
        Ok(NAMES.with_borrow_mut(|names| {
            names.get(name).cloned().unwrap_or_else(|| {
                let text = Text::from(name);
                names.insert(text.clone());
                text
            })
        }))
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
