//! What lines begin with: list markers, emphasis, a word.

/// Whether a character belongs to a list marker, to emphasis or to the separator between a number and its text.
pub fn is_decoration(c: char) -> bool {
    c.is_whitespace() || is_variation(c) || "-*+•‣·–—>#_()[].:|~".contains(c)
}

/// Whether a character is a selector for the way the one before it is drawn.
pub fn is_variation(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}')
}

/// The text after a word at its beginning, in any case.
pub fn strip<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let head = text.get(..word.len())?;
    head.eq_ignore_ascii_case(word).then(|| &text[word.len()..])
}
