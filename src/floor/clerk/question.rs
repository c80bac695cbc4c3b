//! The question that a statement puts to somebody, as it was said: the clerk only says whether there is one.

use crate::text;

/// Characters of a question that are kept.
const MOST: usize = 200;

/// The last question of a text.
pub(super) fn last(statement: &str) -> Option<String> {
    let end = statement.rfind(['?', '？'])?;
    let before = &statement[..end];
    let begins = before.rfind(['.', '!', '?', '。', '！', '？', '\n']);
    let begins = begins.map_or(0, |at| {
        at + before[at..].chars().next().map_or(1, char::len_utf8)
    });
    let around = |c: char| c.is_whitespace() || "\"“”*_>-".contains(c);
    let asked = text::one_line(before[begins..].trim_matches(around));
    (!asked.is_empty()).then(|| text::shorten(&format!("{asked}?"), MOST))
}

#[cfg(test)]
mod tests {
    use super::last;

    #[test]
    fn m7_the_last_question_is_quoted() {
        for (text, expected) in [
            (
                "I say so. Who pays for it? Nobody.",
                Some("Who pays for it?"),
            ),
            ("Why? And who\npays for it?", Some("pays for it?")),
            ("He asked: \"who pays?\"", Some("He asked: \"who pays?")),
            ("Nobody pays.", None),
            ("?", None),
        ] {
            assert_eq!(last(text).as_deref(), expected, "{text}");
        }
    }
}
