//! The texts of rows. Many rows have the same: each is kept once.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A text that other rows may have too.
#[derive(Debug, Clone)]
pub(super) struct Words(Arc<Text>);

#[derive(Debug)]
struct Text {
    shown: Box<str>,
    /// The same in lower case, where that is another.
    lower: Option<Box<str>>,
}

/// The texts so far.
#[derive(Debug, Default)]
pub(super) struct Vocabulary(HashSet<Words>);

impl Vocabulary {
    /// This text as it is kept.
    pub(super) fn keep(&mut self, text: &str) -> Words {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let lower = text.to_lowercase();
        let words = Words(Arc::new(Text {
            shown: text.into(),
            lower: (lower != text).then(|| lower.into()),
        }));
        self.0.insert(words.clone());
        words
    }
}

impl Words {
    /// Whether both are kept in the same place.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether it has this word, which is in lower case, in any case.
    pub(super) fn has(&self, word: &str) -> bool {
        self.0
            .lower
            .as_ref()
            .unwrap_or(&self.0.shown)
            .contains(word)
    }
}

impl Deref for Words {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.shown
    }
}

impl Borrow<str> for Words {
    fn borrow(&self) -> &str {
        self
    }
}

impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        self.is(other) || **self == **other
    }
}

impl Eq for Words {}

impl Hash for Words {
    fn hash<H: Hasher>(&self, state: &mut H) {
        str::hash(self, state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l3_a_text_is_kept_once_and_found_in_any_case() {
        let mut all = Vocabulary::default();
        let (one, same) = (all.keep("Wer trägt ÄRGER?"), all.keep("Wer trägt ÄRGER?"));
        assert!(one.is(&same));
        assert!(one.has("ärger") && !one.has("ÄRGER") && !one.has("zebra"));
        assert_eq!(&*all.keep(""), "");
    }
}
