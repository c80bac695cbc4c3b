//! Explicit answers: where a reply says that something is its answer.

use std::sync::LazyLock;

use regex::{Match, Regex};

/// What is before an answer: `"answer":`, `\\boxed{`, `####`, `the answer is`, `the correct choice is`.
static MARKS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compiled(&[
        r#"(?i)"(?:final_)?answer"\s*:\s*"?"#,
        r"\\boxed\{(?:\\text\{)?",
        r"(?m)^\s*####\s*",
        r"(?i)\b(?:answer|(?:correct|right|best)\s+(?:option|choice))(?:\s+is\b\s*:?|\s*:|\s*=)\s*\**\s*",
    ])
});
/// What ends an answer behind such a mark, beside the end of the line.
const ENDS: [char; 3] = ['\n', '"', '}'];

fn compiled(patterns: &[&str]) -> Vec<Regex> {
    patterns.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
}

/// A text with other words for what these find.
fn replaced(text: &str, patterns: &[Regex], by: &str) -> String {
    let patterns = patterns.iter();
    patterns.fold(text.to_owned(), |text, pattern| pattern.replace_all(&text, by).into_owned())
}

/// What a reply calls its answer: all that it says in the first of these ways that it uses.
pub(super) fn marked(reply: &str) -> Vec<&str> {
    let mut ways = MARKS.iter().map(|mark| behind(mark, reply));
    ways.find(|found| !found.is_empty()).unwrap_or_default()
}

/// What stands behind each of a mark's places, up to the next.
fn behind<'r>(mark: &Regex, reply: &'r str) -> Vec<&'r str> {
    let places: Vec<Match<'r>> = mark.find_iter(reply).collect();
    let ends = places.iter().skip(1).map(Match::start).chain([reply.len()]);
    let between = places.iter().map(Match::end).zip(ends).map(|(start, end)| &reply[start..end]);
    let first = |text: &'r str| text.split(ENDS).next().unwrap_or_default().trim();
    between.map(first).filter(|text| !text.is_empty()).collect()
}

/// A reply without what it says an answer is not: `2, not 1` says 2, `A is wrong` says nothing.
pub(super) fn without_denials(reply: &str) -> String {
    static DENIED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        let option = r"\(?[−-]?(?:[0-9][0-9.,]*[0-9]|[0-9]|[A-Z]\b)\)?";
        let before = format!(
            r"(?i)\b(?:not|isn['’]t|rather than|instead of)\s+(?:option\s+|choice\s+)?{option}"
        );
        let behind = format!(
            r"(?:(?i:option|choice)\s+)?\b{option}\s+(?i:is|are|was|would be)\s+(?i:not|in\w+|wrong|false|too)\b|\b{option}\s+(?i:isn|wasn)['’]t\b"
        );
        compiled(&[&before, &behind])
    });
    replaced(reply, &DENIED, " ")
}

/// A reply with fractions of TeX as people write them.
pub(super) fn without_tex(reply: &str) -> String {
    static FRACTION: LazyLock<Vec<Regex>> =
        LazyLock::new(|| compiled(&[r"\\[dt]?frac\{([^{}]+)\}\{([^{}]+)\}"]));
    replaced(reply, &FRACTION, "$1/$2")
}
