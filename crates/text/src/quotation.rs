//! Quotation marks around a text.

use super::plain_words;

/// Marks that models put around a quotation, in pairs.
const MARKS: [(char, char); 5] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('`', '`')];

/// Whether a character opens or closes a quotation.
pub fn is_quotation_mark(c: char) -> bool {
    MARKS.iter().any(|&(open, close)| c == open || c == close)
}

/// A text without the quotation marks around it. Marks that belong to its words stay: `"A" is B`.
pub fn unquoted(text: &str) -> &str {
    let mut text = text;
    while let Some(inner) = inside(text) {
        text = inner.trim();
    }
    text
}

/// Whether a text has the words of a quotation, whatever its case, blanks and marks; an ellipsis stands for others.
pub fn has_words(text: &str, quotation: &str) -> bool {
    let (text, quotation) = (spaced(text), quotation.replace("...", "…"));
    quotation.split('…').all(|part| text.contains(&spaced(part)))
}

/// The words of a text in lower case, with a blank before and behind each, as words are looked for in it.
pub fn spaced(text: &str) -> String {
    let words = plain_words(text);
    words.flat_map(|word| [" ", word]).chain([" "]).collect::<String>().to_lowercase()
}

/// The text between two marks that belong together; `None` for `"A" and "B"`.
fn inside(text: &str) -> Option<&str> {
    MARKS.iter().find_map(|&(open, close)| {
        let inner = text.strip_prefix(open)?.strip_suffix(close)?;
        is_balanced(inner, open, close).then_some(inner)
    })
}

/// Whether no mark in a text closes a quotation that began before it. A mark that looks the same at both ends opens one after
/// a blank.
fn is_balanced(text: &str, open: char, close: char) -> bool {
    let (mut depth, mut before) = (0_u32, ' ');
    for c in text.chars() {
        if c == open && (open != close || depth == 0 && before.is_whitespace()) {
            depth += 1;
        } else if c == close {
            let Some(less) = depth.checked_sub(1) else { return false };
            depth = less;
        }
        before = c;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::has_words;

    #[test]
    fn a9_a_quotation_has_whole_words_of_its_text() {
        let text = "She freed them, and \"nothing\" went wrong.";
        for (quotation, expected) in [
            ("she freed them", true),
            ("he freed", false),
            ("She … nothing went…", true),
            ("She … noth…", false),
            ("…", true),
        ] {
            assert_eq!(has_words(text, quotation), expected, "{quotation}");
        }
    }
}
