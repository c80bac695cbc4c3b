//! The question that a statement asks, verbatim: the clerk only says whether there is one.

use crate::text;

/// Maximum characters of a question.
const MOST: usize = 300;

/// The last question of a text.
pub(super) fn last(statement: &str) -> Option<String> {
    let end = statement.rfind(['?', '？'])?;
    let before = &statement[..end];
    // A full stop within a number does not end a sentence, nor does a single line break.
    let ends = [
        ". ", ".\n", "! ", "!\n", "? ", "?\n", "\n\n", "。", "！", "？",
    ];
    let begins = ends
        .iter()
        .filter_map(|end| Some(before.rfind(end)? + end.len()));
    let begins = begins.max().unwrap_or(0);
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
            ("Why? And who\npays for it?", Some("And who pays for it?")),
            (
                "Fine. Would 3.5 percent be enough?",
                Some("Would 3.5 percent be enough?"),
            ),
            ("He asked: \"who pays?\"", Some("He asked: \"who pays?")),
            ("Nobody pays.", None),
            ("?", None),
        ] {
            assert_eq!(last(text).as_deref(), expected, "{text}");
        }
    }
}
