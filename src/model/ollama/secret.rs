//! The key, removed from every text from a server: servers and proxies echo requests.

use std::sync::Arc;

use serde_json::Value;

/// What is in the key's place.
const HIDDEN: &str = "***";
/// A shorter key is a word for a server that wants any (`ollama`, `none`): to hide it would garble what models say.
const SHORTEST: usize = 8;

/// What must not be shown.
#[derive(Clone, Default)]
pub(super) struct Secret(Option<Arc<str>>);

impl Secret {
    pub(super) fn new(key: Option<&str>) -> Self {
        let key = key.map(str::trim).filter(|key| key.len() >= SHORTEST);
        Self(key.map(Arc::from))
    }

    /// The text without the key.
    pub(super) fn hide(&self, text: &str) -> String {
        match &self.0 {
            Some(key) => text.replace(&**key, HIDDEN),
            None => text.to_owned(),
        }
    }

    /// Takes the key out of every text in a value.
    pub(super) fn hide_in(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.hide(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide_in(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.hide_in(field)),
            _ => {}
        }
    }

    /// How many bytes at the end of a text may be the beginning of the key.
    fn begun(&self, text: &str) -> usize {
        let Some(key) = &self.0 else { return 0 };
        let parts = key.char_indices().skip(1).map(|(at, _)| at);
        let begun = |at: &usize| text.ends_with(&key[..*at]);
        parts.filter(begun).last().unwrap_or(0)
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// Hides the key in a text that comes in parts, across which it may lie.
#[derive(Debug, Default)]
pub(super) struct Veil {
    secret: Secret,
    /// The end of what has come, which may be the beginning of the key.
    held: String,
}

impl Veil {
    pub(super) fn new(secret: &Secret) -> Self {
        Self { secret: secret.clone(), held: String::new() }
    }

    /// What may be shown once this part has come.
    pub(super) fn pass(&mut self, part: &str) -> String {
        if self.secret.0.is_none() {
            return part.to_owned();
        }
        self.held.push_str(part);
        let mut shown = self.secret.hide(&self.held);
        self.held = shown.split_off(shown.len() - self.secret.begun(&shown));
        shown
    }

    /// What was held back to the end.
    pub(super) fn rest(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m1_a_key_is_hidden_wherever_a_text_is_split() {
        let secret = Secret::new(Some("sk-ssk-12345"));
        let text = "it is sk-ssk-12345, or sk-sk-ssk-12345sk-ssk-1234";
        let hidden = "it is ***, or sk-***sk-ssk-1234";
        assert_eq!(secret.hide(text), hidden);
        for size in 1..text.len() {
            let mut veil = Veil::new(&secret);
            let parts = text.as_bytes().chunks(size);
            let shown: String =
                parts.map(|part| veil.pass(std::str::from_utf8(part).unwrap())).collect();
            assert_eq!(shown + &veil.rest(), hidden, "{size}");
        }
    }

    #[test]
    fn m1_what_cannot_be_the_key_is_passed_on_at_once() {
        let mut veil = Veil::new(&Secret::new(Some("sk-very-secret")));
        assert_eq!(veil.pass("Größe and a s"), "Größe and a ");
        assert_eq!(veil.pass("entence"), "sentence");
        let mut open = Veil::new(&Secret::new(None));
        assert_eq!(open.pass("sk-very-secret"), "sk-very-secret");
    }

    #[test]
    fn m1_a_word_for_a_key_garbles_nothing() {
        assert_eq!(Secret::new(Some("ollama")).hide("run `ollama pull`"), "run `ollama pull`");
    }
}
