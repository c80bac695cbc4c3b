//! Problems of a debate in plain words, as `summary.md` ends. All of them, call by call, stand in `metadata.md`.

use serde_json::{Value, json};

use super::{index, rejected, replied};
use crate::event::{IncidentKind, Verdict};
use crate::text;
use crate::trace::Trace;

/// Kinds of incidents that are only counted, with the words for one and for several.
static COUNTED: [(IncidentKind, &str, &str); 7] = [
    (
        IncidentKind::Cleaned,
        "a name, heading, word count or other non-argument was removed from 1 statement",
        "names, headings, word counts and other non-arguments were removed from N statements",
    ),
    (
        IncidentKind::Repair,
        "1 reply could not be read and was asked for again",
        "N replies could not be read and were asked for again",
    ),
    (
        IncidentKind::Retry,
        "1 call failed and was made again",
        "N calls failed and were made again",
    ),
    (
        IncidentKind::Compaction,
        "1 prompt had earlier rounds as summaries, for want of room",
        "N prompts had earlier rounds as summaries, for want of room",
    ),
    (
        IncidentKind::Clerk,
        "1 exchange was not noted as it should be",
        "N exchanges were not noted as they should be",
    ),
    (
        IncidentKind::Citation,
        "1 reason cites a statement that is not there",
        "N reasons cite statements that are not there",
    ),
    (
        IncidentKind::LeftOut,
        "1 part of a reply was left out",
        "N parts of replies were left out",
    ),
];

/// Kinds of incidents that are told elsewhere: by statement, as a reply that was not taken, with the judges, or by who
/// replied.
static TOLD: [IncidentKind; 10] = [
    IncidentKind::Retrieval,
    IncidentKind::Refusal,
    IncidentKind::Rejection,
    IncidentKind::Cut,
    IncidentKind::Emergency,
    IncidentKind::Fallback,
    IncidentKind::Invalid,
    IncidentKind::Abstained,
    IncidentKind::Comment,
    IncidentKind::Count,
];

/// Incidents that are told in their own words.
const IN_WORDS: usize = 6;

/// What went wrong; nothing where nothing did.
pub(super) fn shown(trace: &Trace) -> Option<Value> {
    let statements = noted(trace);
    let mut lines = rejected::lines(trace);
    lines.extend(others(trace));
    let is_cut = trace.statements.iter().any(|s| s.cut);
    let any = !(statements.is_empty() && lines.is_empty());
    any.then(|| json!({"statements": statements, "lines": lines, "is_cut": is_cut}))
}

/// Statements with a note, those with the same one together.
fn noted(trace: &Trace) -> Vec<Value> {
    let notes = trace.statements.iter().filter_map(|s| {
        let note = index::note(s)?;
        Some((
            note,
            json!({"n": format!("{:03}", s.n), "name": trace.name_of(&s.by)}),
        ))
    });
    let alike = text::gathered(notes).into_iter();
    alike
        .map(|(note, all)| json!({"note": note, "all": all}))
        .collect()
}

/// Sentences on all that is told neither by statement nor with the judges.
fn others(trace: &Trace) -> Vec<String> {
    let of = |kind: &IncidentKind| trace.incidents.iter().filter(|i| i.kind == *kind).count();
    let told = COUNTED.iter();
    let told = told.filter_map(|(kind, one, several)| counted(of(kind), one, several));
    let is_counted = |kind: &IncidentKind| COUNTED.iter().any(|(counted, ..)| counted == kind);
    let others = trace.incidents.iter();
    let others = others.filter(|i| !is_counted(&i.kind) && !TOLD.contains(&i.kind));
    let words = others.map(|i| message(trace, &text::one_line(&i.message)));
    let mut words: Vec<String> = words.collect();
    words.dedup();
    let more = words.len().saturating_sub(IN_WORDS);
    words.truncate(IN_WORDS);
    let more = (more > 0).then(|| format!("{} more of other kinds.", text::grouped(more)));
    told.chain(shortened(trace))
        .chain(unusable_notes(trace))
        .chain(replied::by_fallbacks(trace))
        .chain(retrievals(trace))
        .chain(words)
        .chain(more)
        .collect()
}

/// How many of the clerk's notes were left out: unreadable ones, and moves that cannot be.
fn unusable_notes(trace: &Trace) -> Option<String> {
    let one = "one of the clerk's notes could not be used";
    let several = "N of the clerk's notes could not be used";
    counted(trace.flow.impossible as usize, one, several)
}

/// How many replies said more than they may and were shortened.
fn shortened(trace: &Trace) -> Option<String> {
    let readings = trace.ballots.iter().map(|ballot| &ballot.reading);
    let readings = readings.chain(trace.stances.iter().map(|stance| &stance.reading));
    let readings = readings.chain(trace.fact_checks.iter().map(|check| &check.reading));
    let readings = readings.chain(trace.own_verdicts().flat_map(Verdict::valid));
    let read_as = readings.map(|reading| &reading.read_as);
    let read_as = read_as.chain(trace.statements.iter().map(|s| &s.read_as));
    let read_as = read_as.chain(trace.notes.iter().map(|notes| &notes.read_as));
    let is_shortened = |steps: &&Vec<String>| steps.iter().any(|step| step == "shortened");
    let one = "1 reply was longer than it may be; a text that was shortened ends with “…”";
    let several = "N replies were longer than they may be; a text that was shortened ends with “…”";
    counted(read_as.filter(is_shortened).count(), one, several)
}

/// What was looked for by meaning and not found, with the reason; a job that looks for nothing misses nothing.
fn retrievals(trace: &Trace) -> impl Iterator<Item = String> {
    let wanted = trace.retrievals.iter().filter(|r| r.model.is_some());
    let none = wanted.filter(|r| r.used.is_empty());
    let causes = none.filter_map(|r| r.cause.as_deref());
    causes.map(|cause| {
        sentence(&format!(
            "the search for reasoning templates found none ({cause})"
        ))
    })
}

/// A sentence on so many of something, which has N for several; nothing where there are none.
fn counted(n: usize, one: &str, several: &str) -> Option<String> {
    match n {
        0 => None,
        1 => Some(sentence(one)),
        n => Some(sentence(&several.replace('N', &n.to_string()))),
    }
}

/// The message of an incident as a sentence, without a capital where it begins with a model's name.
fn message(trace: &Trace, words: &str) -> String {
    let begins = |name: &str| words.starts_with(name);
    match trace.models.iter().any(|model| begins(&model.name)) {
        true => text::sentence(words),
        false => sentence(words),
    }
}

/// Words as a sentence. Marks of code would be shown, not read.
fn sentence(words: &str) -> String {
    text::sentence(&text::capitalised(&words.replace('`', "'")))
}
