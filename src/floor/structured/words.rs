//! Words and numbers as models write them.

use serde_json::Value;

/// A word as it is; if it ends in brackets, also the parts before and in them.
pub(super) fn readings(word: &str) -> impl Iterator<Item = &str> {
    let bracketed = word.trim().strip_suffix([')', ']']);
    let parts = bracketed
        .and_then(|word| word.split_once(['(', '[']))
        .map(|(before, inside)| [before, inside]);
    std::iter::once(word).chain(parts.into_iter().flatten())
}

/// Whether models give their reasons under this key.
pub(super) fn is_word_for_reason(key: &str) -> bool {
    let words = "because reason reasons reasoning rationale explanation justification why";
    words.split(' ').any(|word| word == plain(key))
}

/// A word without case, spaces and punctuation.
pub(super) fn plain(word: &str) -> String {
    let letters = word.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// A scale whose numbers are shares of a hundred.
const HUNDRED: f64 = 100.0;

/// Words of ours, each with others that mean the same wherever it is the only option that they fit.
const SAME: [(&str, &[&str]); 7] = [
    ("partial", PARTLY),
    ("partly", PARTLY),
    ("resolved", &["fully resolved"]),
    ("unresolved", &["not resolved"]),
    ("fully", &["full", "completely", "answered", "fully answered", "answered fully"]),
    ("no", &["not", "not at all", "not answered", "unanswered"]),
    // Judges were once asked for these.
    ("statements", &["turns"]),
];
const PARTLY: &[&str] = &[
    "partial",
    "partly",
    "partially",
    "in part",
    "partly resolved",
    "partially resolved",
    "resolved in part",
    "partly answered",
    "partially answered",
    "answered in part",
];

/// Whether a word is this one of ours, in whatever spelling, or another for it.
pub(super) fn is_meant(own: &str, word: &str) -> bool {
    let mut others = SAME.iter().filter(|(it, _)| *it == own).flat_map(|(_, others)| *others);
    plain(own) == plain(word) || others.any(|other| plain(other) == plain(word))
}

/// The number that a text consists of: `7`, `7.5`, `7/10`, `7 out of 10`, on a scale to 100 also `85%` and `85 percent`. A
/// fraction must be one of the scale's maximum.
pub(super) fn number_in(text: &str, most: f64) -> Option<f64> {
    let bare = text.trim_matches(|c: char| c.is_whitespace() || "*_\"".contains(c));
    let mut signs = ["%", "percent", "per cent"].into_iter().filter(|_| most == HUNDRED);
    let bare = signs.find_map(|sign| bare.strip_suffix(sign)).map_or(bare, str::trim_end);
    let split = bare.split_once('/').or_else(|| bare.split_once(" out of "));
    let Some((number, whole)) = split else {
        return bare.parse().ok().filter(|number: &f64| number.is_finite());
    };
    let whole: f64 = whole.trim().parse().ok()?;
    let number: f64 = number.trim().parse().ok()?;
    (whole == most && number.is_finite()).then_some(number)
}

/// The whole number that an id is, or the only one in its text: `5`, `S5`, `point 5`.
pub(super) fn id_in(id: &Value) -> Option<u64> {
    let Some(text) = id.as_str() else { return id.as_u64() };
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|it| !it.is_empty());
    let (Some(id), None) = (numbers.next(), numbers.next()) else { return None };
    id.parse().ok()
}

/// The whole number at the beginning of a text, after any signs: `3`, `#3`, `3 (round 1)`.
pub(super) fn number_before_words(text: &str) -> Option<u64> {
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let digits = bare.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}
