//! Lines that speak in someone's name: `**Ann:** …`, `[Ann] …`.

use crate::text::mentions::after_name;

/// Markdown marks and brackets around a label.
pub(super) const DECORATION: &[char] =
    &['*', '_', '#', '[', ']', '"', '“', '”', '>', ' ', '\t', '\u{fffd}'];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m2_lines_for_somebody_else_are_found() {
        let others = ["Philosopher", "Judge-1"];
        for (text, expected) in [
            ("I say so.\n**Philosopher:** You are right.", vec!["Philosopher"]),
            ("[Philosopher]\nYou are right.", vec!["Philosopher"]),
            ("[Philosopher, rebuttal]\nYou are right.", vec!["Philosopher"]),
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
