//! The interned texts of rows: many rows have the same, and each is kept once.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A text that other rows may have too.
#[derive(Debug, Clone)]
pub(in crate::view) struct Interned(Arc<Text>);

#[derive(Debug)]
struct Text {
    shown: Box<str>,
    /// The same in lower case, where that is another.
    lower: Option<Box<str>>,
}

/// The texts so far.
#[derive(Debug, Default)]
pub(in crate::view) struct Interner(HashSet<Interned>);

impl Interner {
    /// This text as it is kept.
    pub(in crate::view) fn keep(&mut self, text: &str) -> Interned {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let lower = text.to_lowercase();
        let words = Interned(Arc::new(Text {
            shown: text.into(),
            lower: (lower != text).then(|| lower.into()),
        }));
        self.0.insert(words.clone());
        words
    }
}

impl Interned {
    /// Whether both are kept in the same place.
    pub(in crate::view) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether it has this word, which is in lower case, in any case.
    pub(in crate::view) fn has(&self, word: &str) -> bool {
        self.0.lower.as_ref().unwrap_or(&self.0.shown).contains(word)
    }
}

impl Deref for Interned {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.shown
    }
}

impl Borrow<str> for Interned {
    fn borrow(&self) -> &str {
        self
    }
}

impl PartialEq for Interned {
    fn eq(&self, other: &Self) -> bool {
        self.is(other) || **self == **other
    }
}

impl Eq for Interned {}

impl Hash for Interned {
    fn hash<H: Hasher>(&self, state: &mut H) {
        str::hash(self, state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l3_a_text_is_kept_once_and_found_in_any_case() {
        let mut all = Interner::default();
        let (one, same) = (all.keep("Wer trägt ÄRGER?"), all.keep("Wer trägt ÄRGER?"));
        assert!(one.is(&same));
        assert!(one.has("ärger") && !one.has("ÄRGER") && !one.has("zebra"));
        assert_eq!(&*all.keep(""), "");
    }
}
