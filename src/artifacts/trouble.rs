//! What did not go as asked, in plain words, as `summary.md` ends. All of it, call by call, stands in `metadata.md`.

use serde_json::{Value, json};

use super::{course, index};
use crate::text;
use crate::trace::Trace;

/// Kinds of incidents that are only counted, with the words for one and for several.
const COUNTED: [(&str, &str, &str); 7] = [
    (
        "cleaned",
        "a label or a line that is no part of it was taken off 1 statement",
        "labels and lines that are no part of them were taken off N statements",
    ),
    (
        "repair",
        "1 reply could not be read and was asked for again",
        "N replies could not be read and were asked for again",
    ),
    (
        "retry",
        "1 call failed and was made again",
        "N calls failed and were made again",
    ),
    (
        "compaction",
        "1 prompt had earlier rounds as summaries, for want of room",
        "N prompts had earlier rounds as summaries, for want of room",
    ),
    (
        "clerk",
        "1 exchange was not noted as it should be",
        "N exchanges were not noted as they should be",
    ),
    (
        "citation",
        "1 reason cites a statement that is not there",
        "N reasons cite statements that are not there",
    ),
    (
        "left_out",
        "1 part of a reply was left out",
        "N parts of replies were left out",
    ),
];

/// Kinds of incidents that are told elsewhere: by statement, as a reply that was not taken, or with the judges.
const TOLD: [&str; 10] = [
    "retrieval",
    "refusal",
    "rejection",
    "cut",
    "emergency",
    "fallback",
    "invalid",
    "abstained",
    "comment",
    "count",
];

/// Incidents that are told in their own words.
const IN_WORDS: usize = 6;

/// What went wrong; nothing where nothing did.
pub(super) fn shown(trace: &Trace) -> Option<Value> {
    let statements: Vec<Value> = trace
        .statements
        .iter()
        .filter_map(|s| {
            let note = index::note(s)?;
            Some(json!({"n": format!("{:03}", s.n), "name": trace.name_of(&s.by), "note": note}))
        })
        .collect();
    let rejections: Vec<Value> = trace
        .rejections
        .iter()
        .map(|r| course::rejection(trace, r))
        .collect();
    let lines = lines(trace);
    let is_cut = trace.statements.iter().any(|s| s.cut);
    let any = !(statements.is_empty() && rejections.is_empty() && lines.is_empty());
    any.then(|| {
        json!({
            "statements": statements,
            "rejections": rejections,
            "lines": lines,
            "is_cut": is_cut,
        })
    })
}

/// Sentences on all that is told neither by statement nor with the judges.
fn lines(trace: &Trace) -> Vec<String> {
    let of = |kind: &str| trace.incidents.iter().filter(|i| i.kind == kind).count();
    let counted = COUNTED.iter().filter_map(|(kind, one, several)| {
        let words = match of(kind) {
            0 => return None,
            1 => (*one).to_owned(),
            n => several.replace('N', &n.to_string()),
        };
        Some(sentence(&words))
    });
    let is_counted = |kind: &str| COUNTED.iter().any(|(counted, ..)| *counted == kind);
    let others = trace.incidents.iter();
    let others = others.filter(|i| !is_counted(&i.kind) && !TOLD.contains(&i.kind.as_str()));
    let mut words: Vec<String> = others
        .map(|i| sentence(&text::one_line(&i.message)))
        .collect();
    words.dedup();
    let more = words.len().saturating_sub(IN_WORDS);
    words.truncate(IN_WORDS);
    let more = (more > 0).then(|| format!("{} more of other kinds.", text::grouped(more)));
    counted
        .chain(unusable_notes(trace))
        .chain(retrievals(trace))
        .chain(words)
        .chain(more)
        .collect()
}

/// How many of the clerk's notes were left out: unreadable ones, and moves that cannot be.
fn unusable_notes(trace: &Trace) -> Option<String> {
    match trace.flow.impossible {
        0 => None,
        1 => Some("1 note of the clerk could not be used.".to_owned()),
        n => Some(format!("{n} notes of the clerk could not be used.")),
    }
}

/// What was looked for by meaning and not found, with the reason.
fn retrievals(trace: &Trace) -> impl Iterator<Item = String> {
    let none = trace.retrievals.iter().filter(|r| r.used.is_empty());
    let causes = none.filter_map(|r| r.cause.as_deref());
    causes.map(|cause| sentence(&format!("no text was found by meaning to help ({cause})")))
}

/// Words as a sentence.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(char::to_uppercase);
    let whole: String = first.into_iter().flatten().chain(letters).collect();
    text::sentence(&whole)
}
