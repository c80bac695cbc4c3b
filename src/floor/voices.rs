//! Lines that speak in a name: `**Ann:** …`, `[Ann] …`.

/// Marks of Markdown and brackets around a label.
pub(super) const DECORATION: &[char] = &[
    '*', '_', '#', '[', ']', '"', '“', '”', '>', ' ', '\t', '\u{fffd}',
];
/// The others in whose name a statement has lines, each once.
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
    let bracketed =
        line.trim_start_matches(['*', '_', ' ']).starts_with('[') && rest.starts_with(']');
    bracketed || rest.trim_start_matches(['*', '_', ']']).starts_with(':')
}

/// The text after a name that it begins with, in any case.
pub(super) fn after_name<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = text.chars();
    for wanted in name.chars() {
        let same = rest.next()?.to_lowercase().eq(wanted.to_lowercase());
        same.then_some(())?;
    }
    let rest = rest.as_str();
    let ends = !name.is_empty() && !rest.starts_with(char::is_alphanumeric);
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
            ("I say so.\nJudge-1: Well done.", vec!["Judge-1"]),
            ("I say so.\n\u{fffd}Judge-1: Well done.", vec!["Judge-1"]),
            ("Philosophers say: no.", vec![]),
            ("As Philosopher said: no.", vec![]),
            ("Philosopher says so.", vec![]),
        ] {
            assert_eq!(voices(text, &others), expected, "{text}");
        }
    }
}
