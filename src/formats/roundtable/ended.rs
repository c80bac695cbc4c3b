//! The stance with which a statement ends.

use crate::text::{self, mentions};

/// Words before a stance that turn what is said of it round, or make it depend on something. Such a sentence is not interpreted.
const TURNS: [&str; 10] = [
    "not",
    "never",
    "no longer",
    "cannot",
    "against",
    "unlike",
    "if",
    "unless",
    "i would",
    "i might",
];
/// Words with which a sentence takes the stance right after them, whatever it goes on to say.
const HOLDS: [&str; 3] = ["i stay at", "i stand at", "i remain at"];

/// The only stance that the last sentence of a text names, if it ends with it or says `I stay at` it. To name one on the way need
/// not be to take it.
pub(crate) fn ended_with<'o>(
    said: &str,
    options: impl Iterator<Item = &'o str> + Clone,
) -> Option<&'o str> {
    let last = text::split_sentences(&text::unmarked(said)).pop()?;
    let others = options.clone();
    let mut named = options.filter(|option| mentions::names(&last, option, others.clone()));
    let only = named.next().filter(|_| named.next().is_none())?;
    let last = last.to_lowercase();
    let (before, after) = last.rsplit_once(&only.to_lowercase())?;
    let is_around = |c: char| !c.is_alphanumeric();
    let before = before.trim_end_matches(is_around);
    let is_turned = TURNS
        .iter()
        .any(|word| mentions::names(before, word, [].into_iter()));
    let is_turned = is_turned || ["n't", "n’t"].iter().any(|not| before.contains(not));
    let ends = after.chars().all(is_around) || HOLDS.iter().any(|held| before.ends_with(held));
    (ends && !is_turned).then_some(only)
}

#[cfg(test)]
mod tests {
    use super::ended_with;

    #[test]
    fn a4_only_a_sentence_that_ends_with_one_stance_says_where_somebody_stands() {
        let options = ["adopt", "trial", "reject"];
        for (said, expected) in [
            ("I move from adopt. I stay at trial.", Some("trial")),
            ("It costs much.\n\nI stand at **trial**.", Some("trial")),
            ("So: Reject!", Some("reject")),
            ("I move from adopt to trial.", None),
            (
                "I stay at “Reject” until somebody shows who pays.",
                Some("reject"),
            ),
            ("If many came, I would say trial.", None),
            ("If many came, I stay at trial for now.", None),
            ("I do not support a trial.", None),
            ("I don't want a trial.", None),
            ("My answer isn't trial.", None),
            ("It isn’t “reject”.", None),
            ("The school should adopt.", Some("adopt")),
            ("As far as I could see, reject.", Some("reject")),
            ("A trial has its price.", None),
            ("We learn by trials.", None),
        ] {
            assert_eq!(ended_with(said, options.into_iter()), expected, "{said}");
        }
    }
}
