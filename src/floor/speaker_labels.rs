//! Lines that speak in someone's name: `**Ann:** …`, `[Ann] …`.

/// Markdown marks and brackets around a label.
pub(super) const DECORATION: &[char] = &[
    '*', '_', '#', '[', ']', '"', '“', '”', '>', ' ', '\t', '\u{fffd}',
];

/// The first character of the scripts that have no blanks between words, or put particles after a name.
const WITHOUT_BLANKS: char = '\u{2e80}';

/// The others in whose name a statement has lines, each listed once.
pub(super) fn voices<'n>(text: &str, others: &[&'n str]) -> Vec<&'n str> {
    let speaks = |name: &&&str| text.lines().any(|line| speaks_as(line, name));
    others.iter().filter(speaks).copied().collect()
}

/// Whether a line begins with a name as a label: `**Ann:** …`, `[Ann] …`.
pub(super) fn speaks_as(line: &str, name: &str) -> bool {
    let bare = line.trim_start_matches(DECORATION);
    let Some(rest) = after_name(bare, name) else {
        return false;
    };
    let is_label = rest.starts_with(']') || rest.starts_with(", ") && rest.contains(']');
    let bracketed = line.trim_start_matches(['*', '_', ' ']).starts_with('[') && is_label;
    bracketed || rest.trim_start_matches(['*', '_', ']']).starts_with(':')
}

/// Whether a name occurs in a text, in any case and as a word of its own.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    let mut places = text.char_indices().map(|(at, _)| text.split_at(at));
    places.any(|(before, rest)| !before.ends_with(is_of_a_word) && after_name(rest, name).is_some())
}

/// Whether a character continues an adjacent word. Chinese, Japanese and Korean text continues after a name without a blank.
fn is_of_a_word(c: char) -> bool {
    c.is_alphanumeric() && c < WITHOUT_BLANKS
}

/// What follows a name at the beginning of a text, in any case.
pub(super) fn after_name<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = text.chars();
    for wanted in name.chars() {
        let same = rest.next()?.to_lowercase().eq(wanted.to_lowercase());
        same.then_some(())?;
    }
    let rest = rest.as_str();
    let ends = !name.is_empty() && !rest.starts_with(is_of_a_word);
    ends.then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m2_lines_for_somebody_else_are_found() {
        let others = ["Philosopher", "Judge-1"];
        for (text, expected) in [
            (
                "I say so.\n**Philosopher:** You are right.",
                vec!["Philosopher"],
            ),
            ("[Philosopher]\nYou are right.", vec!["Philosopher"]),
            (
                "[Philosopher, rebuttal]\nYou are right.",
                vec!["Philosopher"],
            ),
            ("I say so.\nJudge-1: Well done.", vec!["Judge-1"]),
            ("I say so.\n\u{fffd}Judge-1: Well done.", vec!["Judge-1"]),
            ("Philosophers say: no.", vec![]),
            ("As Philosopher said: no.", vec![]),
            ("Philosopher says so.", vec![]),
        ] {
            assert_eq!(voices(text, &others), expected, "{text}");
        }
    }

    #[test]
    fn m7_a_name_is_mentioned_as_a_word_of_its_own() {
        for (text, name, expected) in [
            ("Anna, who pays?", "Ann", false),
            ("Joann, who pays?", "Ann", false),
            ("Who pays, ann?", "Ann", true),
            ("And Ann's fine?", "Ann", true),
            ("Y-10, who pays?", "Y-1", false),
            ("Y-1, who pays?", "Y-1", true),
            ("那么安娜认为呢？", "安娜", true),
            ("안나는 누가 내나요?", "안나", true),
            ("Who pays?", "", false),
        ] {
            assert_eq!(mentions(text, name), expected, "{text}");
        }
    }
}
