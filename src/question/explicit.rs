//! Where a reply says in so many words that something is its answer.

use std::sync::LazyLock;

use regex::Regex;

/// What stands before an answer: `"answer":`, `\\boxed{`, `####`, `the answer is`, `the correct choice is`.
static MARKS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r#"(?i)"(?:final_)?answer"\s*:\s*"?"#,
        r"\\boxed\{(?:\\text\{)?",
        r"(?m)^\s*####\s*",
        r"(?i)\b(?:answer|(?:correct|right|best)\s+(?:option|choice))(?:\s+is\b\s*:?|\s*:|\s*=)\s*\**\s*",
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});
/// What ends an answer behind such a mark, beside the end of the line.
const ENDS: [char; 3] = ['\n', '"', '}'];

/// What a reply calls its answer: all that it says in the first of these ways that it uses.
pub(super) fn marked(reply: &str) -> Vec<&str> {
    let mut ways = MARKS.iter().map(|mark| behind(mark, reply));
    ways.find(|found| !found.is_empty()).unwrap_or_default()
}

/// What stands behind each of a mark's places, up to the next.
fn behind<'r>(mark: &Regex, reply: &'r str) -> Vec<&'r str> {
    let places: Vec<(usize, usize)> = mark
        .find_iter(reply)
        .map(|it| (it.start(), it.end()))
        .collect();
    let ends = places
        .iter()
        .skip(1)
        .map(|(start, _)| *start)
        .chain([reply.len()]);
    let between = places
        .iter()
        .zip(ends)
        .map(|((_, start), end)| &reply[*start..end]);
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
        [before, behind]
            .iter()
            .filter_map(|pattern| Regex::new(pattern).ok())
            .collect()
    });
    let without = |text: String, denied: &Regex| denied.replace_all(&text, " ").into_owned();
    DENIED.iter().fold(reply.to_owned(), without)
}

/// A reply with fractions of TeX as people write them.
pub(super) fn without_tex(reply: &str) -> String {
    static FRACTION: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\\[dt]?frac\{([^{}]+)\}\{([^{}]+)\}").ok());
    let fraction = FRACTION.as_ref();
    fraction.map_or_else(
        || reply.to_owned(),
        |it| it.replace_all(reply, "$1/$2").into_owned(),
    )
}
