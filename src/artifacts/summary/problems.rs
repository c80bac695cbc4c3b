//! Problems of a debate in plain words, as `summary.md` ends. Incidents, call by call, stand in `metadata.md`, and so does what
//! went wrong without being one.

use serde_json::{Value, json};

use super::{overruns, rejected_replies};
use crate::artifacts::line::Line;
use crate::artifacts::statement_place::number;
use crate::artifacts::{banner, index};
use crate::call_id::CallId;
use crate::event::{Incident, IncidentKind, Notes, Statement, how_read};
use crate::text;
use crate::trace::Trace;

/// Kinds of incidents that are only counted.
static COUNTED: [IncidentKind; 7] = [
    IncidentKind::Retry,
    IncidentKind::Repair,
    IncidentKind::Fallback,
    IncidentKind::Citation,
    IncidentKind::Compaction,
    IncidentKind::Clerk,
    IncidentKind::LeftOut,
];

/// Kinds of incidents that are told elsewhere: by statement, as a reply that was not taken, or with the judges. A name or word count
/// taken off a statement is no problem; `metadata.md` has it.
static TOLD: [IncidentKind; 10] = [
    IncidentKind::Cleaned,
    IncidentKind::Retrieval,
    IncidentKind::Refusal,
    IncidentKind::Rejection,
    IncidentKind::Cut,
    IncidentKind::Emergency,
    IncidentKind::Invalid,
    IncidentKind::Abstained,
    IncidentKind::Comment,
    IncidentKind::Count,
];

/// Incidents, and notes of the clerk's, that are told in their own words.
const IN_WORDS: usize = 6;
/// Calls that are named for what it took to read their replies.
const CALLS: usize = 8;

/// What went wrong; nothing where nothing did.
pub(in crate::artifacts) fn shown(trace: &Trace) -> Option<Value> {
    let (statements, lines) = told(trace);
    let is_cut = trace.statements.iter().any(|s| s.cut);
    let any = !(statements.is_empty() && lines.is_empty());
    any.then(|| json!({"statements": statements, "lines": lines, "is_cut": is_cut, "incidents": !trace.incidents.is_empty()}))
}

/// How many notes on them there are.
pub(in crate::artifacts) fn notes(trace: &Trace) -> u64 {
    let (statements, lines) = told(trace);
    (statements.len() + lines.len()) as u64
}

/// All of them in a text with little room; where they are too long, only how many there are.
pub(in crate::artifacts) fn fitting(trace: &Trace, room: usize) -> Option<String> {
    let lines: Vec<String> = lines(trace).into_iter().map(|line| line.text).collect();
    let all = format!("Problems:\n{}", lines.join("\n"));
    match notes(trace) {
        0 => None,
        _ if all.chars().count() < room => Some(all),
        n => Some(format!("Problems: {} in summary.md.", text::count(n, "note"))),
    }
}

/// The same, a line each.
pub(in crate::artifacts) fn lines(trace: &Trace) -> Vec<Line> {
    let notes = trace.statements.iter().filter_map(|s| on_statement(trace, s));
    let all = notes.chain(told(trace).1);
    all.map(|line| Line::new(&line, Vec::new())).collect()
}

/// What a reader must know of a statement: `003, Ann: cut at the limit.`
fn on_statement(trace: &Trace, s: &Statement) -> Option<String> {
    let (number, name) = (number(s.n), trace.name_of(&s.by));
    Some(format!("{number}, {name}: {}.", index::note(s)?))
}

/// Statements with a note, and sentences on all else.
fn told(trace: &Trace) -> (Vec<Value>, Vec<String>) {
    let mut lines = rejected_replies::lines(trace);
    lines.extend(others(trace));
    (noted(trace), lines)
}

/// Statements with a note, those with the same one together.
fn noted(trace: &Trace) -> Vec<Value> {
    let notes = trace.statements.iter().filter_map(|s| {
        let note = index::note(s)?;
        Some((note, json!({"n": format!("{:03}", s.n), "name": trace.name_of(&s.by)})))
    });
    let alike = text::gathered(notes).into_iter();
    alike.map(|(note, all)| json!({"note": note, "all": all})).collect()
}

/// Sentences on all that is told neither by statement nor with the judges.
fn others(trace: &Trace) -> Vec<String> {
    let counted = COUNTED.iter().filter_map(|kind| {
        let n = trace.incidents.iter().filter(|i| i.kind == *kind).count();
        (n > 0).then(|| format!("{n} {}.", kind.words(n)))
    });
    // Why a debate is degraded stands above all else.
    let cause = trace.cause.as_deref().unwrap_or_default();
    let is_cause = |i: &Incident| i.is_shortfall() && cause.contains(&*i.message);
    let others = trace
        .incidents
        .iter()
        .filter(|i| !COUNTED.contains(&i.kind) && !is_told(i) && !is_cause(i));
    let mut words: Vec<String> = others.map(|i| in_words(trace, i)).collect();
    words.dedup();
    let more = words.len().saturating_sub(IN_WORDS);
    words.truncate(IN_WORDS);
    let more = (more > 0).then(|| format!("{} more of other kinds.", text::grouped(more)));
    counted
        .chain(unusable_notes(trace))
        .chain(retrievals(trace))
        .chain(overruns::line(trace))
        .chain(words)
        .chain(more)
        .collect()
}

fn in_words(trace: &Trace, i: &Incident) -> String {
    if TOLD.contains(&i.kind) {
        "A check by the clerk could not be used and counts as passed.".to_owned()
    } else {
        banner::sentence(trace, &text::one_line(&i.message))
    }
}

/// Whether an incident is told elsewhere. A check that the clerk was asked for beside the debate is no judgment in it.
fn is_told(i: &Incident) -> bool {
    let call = i.call.as_deref().and_then(CallId::parse);
    TOLD.contains(&i.kind) && call.is_none_or(|call| call.aside().is_none())
}

/// How many of the clerk's notes were left out, and which, with the causes: unreadable ones, and moves that cannot be. `1 of the
/// clerk's notes could not be used: “A9 full” on 003 (there is no such point or question).`
fn unusable_notes(trace: &Trace) -> Option<String> {
    let noted = trace.notes.iter().flat_map(|notes| &notes.statements);
    let all = noted.flat_map(|s| s.unusable.iter().map(move |entry| (s.n, entry)));
    let mut told: Vec<String> =
        all.map(|(n, entry)| format!("“{}” on {n:03} ({})", entry.text, entry.cause)).collect();
    let more = told.len().saturating_sub(IN_WORDS);
    told.truncate(IN_WORDS);
    told.extend((more > 0).then(|| format!("{more} more in trace.json")));
    let told = text::if_any(text::separated(told, "; ")).map(|told| format!(": {told}"));
    let (n, told) = (trace.flow.impossible, told.unwrap_or_default());
    (n > 0).then(|| format!("{n} of the clerk's notes could not be used{told}."))
}

/// What went wrong without being an incident, for the list of these.
pub(in crate::artifacts) fn beside_incidents(trace: &Trace) -> Vec<String> {
    let has_searched = |i: &Incident| i.kind == IncidentKind::Retrieval;
    let is_told = trace.incidents.iter().any(has_searched);
    let searches = retrievals(trace).filter(|_| !is_told);
    // What is noted of a statement was an incident, but for objections to a reply that was asked for only once.
    let had_one =
        |s: &&Statement| trace.incidents.iter().any(|i| i.call.is_some() && i.call == s.call);
    let noted =
        trace.statements.iter().filter(|s| !had_one(s)).filter_map(|s| on_statement(trace, s));
    let lines = not_as_asked(trace).into_iter().chain(unusable_notes(trace));
    let all = lines.chain(searches).chain(noted);
    all.map(|line| text::one_line(&line)).collect()
}

/// The calls whose replies could not be read just as they came, by what that took: `Read all the same (JSON repaired):
/// round-1/ballot/position_y_1 (Ann).`
fn not_as_asked(trace: &Trace) -> Vec<String> {
    let steps = read_as(trace).into_iter().flat_map(|(call, by, steps)| {
        let whose = format!("{call} ({})", trace.name_of(by));
        text::distinct(steps).into_iter().map(move |step| (how_read(step), whose.clone()))
    });
    let line = |(how, calls): (&str, Vec<String>)| {
        format!("Read all the same ({how}): {}.", text::some_of(calls, CALLS))
    };
    text::gathered(steps).into_iter().map(line).collect()
}

/// What was done to read each reply that was asked for in a form, with its call and the id of who gave it.
fn read_as(trace: &Trace) -> Vec<(String, &str, &Vec<String>)> {
    let ballots = trace.ballots.iter();
    let readings = ballots.map(|ballot| (&ballot.by, &ballot.reading));
    let stances = trace.stances.iter();
    let readings = readings.chain(stances.map(|stance| (&stance.by, &stance.reading)));
    let checks = trace.fact_checks.iter();
    let readings = readings.chain(checks.map(|check| (&check.by, &check.reading)));
    let judges = trace.own_verdicts().flat_map(|verdict| &verdict.judges);
    let verdicts = judges.flat_map(|it| it.valid().map(|reading| (&it.judge, reading)));
    let said = trace.statements.iter();
    let said = said.map(|s| (s.call.clone().unwrap_or_default(), &*s.by, &s.read_as));
    let noted = trace.notes.iter().map(|n| (clerks_call(trace, n), "clerk", &n.read_as));
    let judged = readings.chain(verdicts);
    judged
        .map(|(by, it)| (it.call.clone(), &*by.id, &it.read_as))
        .chain(said)
        .chain(noted)
        .collect()
}

/// The clerk's call on an exchange. One of several rounds is noted at its last, and answers to interruptions, which have stages of
/// their own, belong to what was interrupted.
fn clerks_call(trace: &Trace, notes: &Notes) -> String {
    let noted = notes.statements.iter().rev();
    let said = noted.filter_map(|s| CallId::parse(trace.statement(s.n)?.call.as_deref()?));
    let mut calls = said.map(|call| CallId::clerk(call.stage).to_string());
    calls.find(|own| trace.calls.iter().any(|made| made.call == *own)).unwrap_or_default()
}

/// What was looked for by meaning and not found, with the reason; a job that looks for nothing misses nothing.
fn retrievals(trace: &Trace) -> impl Iterator<Item = String> {
    let wanted = trace.retrievals.iter().filter(|r| r.model.is_some());
    let none = wanted.filter(|r| r.used.is_empty());
    let causes = none.filter_map(|r| r.cause.as_deref());
    causes.map(|cause| format!("No reasoning templates were offered ({}).", banner::plain(cause)))
}
