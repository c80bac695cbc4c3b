//! The attack strategy that a point names.

use crate::formats::dialectic::lines::plain;
use crate::text::plain_words;

/// The attack strategies, each with the words that name it. A longer word may begin with one of these.
const STRATEGIES: [(&str, &[&str]); 8] = [
    ("hidden_assumption", &["hidden assumption"]),
    ("counter_example", &["counter example", "counterexample"]),
    ("logical_gap", &["logical gap"]),
    ("weak_evidence", &["weak evidence"]),
    ("alternative_explanation", &["alternative explanation"]),
    ("edge_case", &["edge case"]),
    (
        "overgeneralisation",
        &["overgeneralisation", "overgeneralization", "over generalisation", "over generalization"],
    ),
    ("practical_consequence", &["practical consequence"]),
];

/// The names of the strategies.
pub(super) fn names() -> [&'static str; 8] {
    STRATEGIES.map(|(name, _)| name)
}

/// A text's words in lower case, each after a blank.
fn folded(text: &str) -> String {
    plain_words(text).map(|word| format!(" {}", word.to_lowercase())).collect()
}

/// The text after a strategy and a colon or dash at its beginning; otherwise the whole text.
pub(super) fn without_strategy(text: &str) -> &str {
    let Some((head, tail)) = text.split_once([':', '–', '—']) else { return text };
    let head = folded(head);
    let mut names = STRATEGIES.iter().flat_map(|(_, names)| *names);
    if names.any(|name| head.trim_start() == *name) && !plain(tail).is_empty() {
        plain(tail)
    } else {
        text
    }
}

/// The strategy that a text names first.
pub(super) fn strategy(text: &str) -> Option<&'static str> {
    let folded = folded(text);
    let place =
        |names: &[&str]| names.iter().filter_map(|name| folded.find(&format!(" {name}"))).min();
    let named = STRATEGIES.iter().filter_map(|(strategy, names)| Some((place(names)?, *strategy)));
    named.min().map(|(_, strategy)| strategy)
}
