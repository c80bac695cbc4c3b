//! Problems of a debate in plain words, as `summary.md` ends. Incidents, call by call, stand in `metadata.md`, and so does what
//! went wrong without being one.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{overruns, rejected_replies};
use crate::artifacts::line::Line;
use crate::artifacts::models_replied::{self, replies};
use crate::artifacts::statement_place::number;
use crate::artifacts::{banner, index};
use crate::call_id::{Aside, CallId};
use crate::event::{
    Incident, IncidentKind, Notes, SHORTENED, Statement, StatementNotes, UnusableEntry, how_read,
    is_fault_of_form,
};
use crate::text;
use crate::trace::Trace;

/// Kinds of incidents that are only counted, with the words for one and for several.
static COUNTED: [(IncidentKind, &str, &str); 4] = [
    (IncidentKind::Retry, "1 call failed and was made again", "N calls failed and were made again"),
    (
        IncidentKind::Compaction,
        "1 prompt had earlier rounds as summaries, for lack of space",
        "N prompts had earlier rounds as summaries, for lack of space",
    ),
    (
        IncidentKind::Clerk,
        "the clerk gave no usable notes on 1 exchange; first sentences stand in",
        "the clerk gave no usable notes on N exchanges; first sentences stand in",
    ),
    (
        IncidentKind::LeftOut,
        "1 text that the debate can do without was not obtained",
        "N texts that the debate can do without were not obtained",
    ),
];

/// Kinds of incidents that are told elsewhere: by statement, as a reply that was not taken, with the judges, or by whose
/// replies they are. A name or word count taken off a statement is no problem; `metadata.md` has it.
static TOLD: [IncidentKind; 13] = [
    IncidentKind::Repair,
    IncidentKind::Citation,
    IncidentKind::Cleaned,
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
    let told = COUNTED.iter().filter_map(|(kind, one, several)| by_call(trace, kind, one, several));
    let is_counted = |kind: &IncidentKind| COUNTED.iter().any(|(counted, ..)| counted == kind);
    let others = trace.incidents.iter();
    // Why a debate is degraded stands above all else.
    let cause = trace.cause.as_deref().unwrap_or_default();
    let is_cause = |i: &Incident| i.is_shortfall() && cause.contains(&*i.message);
    let others =
        others.filter(|i| !is_counted(&i.kind) && !TOLD.contains(&i.kind)).filter(|i| !is_cause(i));
    let mut words: Vec<String> =
        others.map(|i| banner::sentence(trace, &text::one_line(&i.message))).collect();
    words.dedup();
    let more = words.len().saturating_sub(IN_WORDS);
    words.truncate(IN_WORDS);
    let more = (more > 0).then(|| format!("{} more of other kinds.", text::grouped(more)));
    told.chain(repairs(trace))
        .chain(shortened(trace))
        .chain(unusable_notes(trace))
        .chain(unusable_checks(trace))
        .chain(citations(trace))
        .chain(models_replied::by_fallbacks(trace))
        .chain(retrievals(trace))
        .chain(overruns::line(trace))
        .chain(words)
        .chain(more)
        .collect()
}

/// A sentence on the calls with incidents of a kind, with the number of these where some call had several.
fn by_call(trace: &Trace, kind: &IncidentKind, one: &str, several: &str) -> Option<String> {
    let own: Vec<Option<&String>> =
        trace.incidents.iter().filter(|i| i.kind == *kind).map(|i| i.call.as_ref()).collect();
    let without = own.iter().filter(|call| call.is_none()).count();
    let calls = without + text::distinct(own.iter().flatten()).len();
    let told = counted(calls, one, several)?;
    let times = own.len();
    Some(if *kind == IncidentKind::Retry && times > calls {
        format!("{} ({times} times in all).", told.trim_end_matches('.'))
    } else {
        told
    })
}

/// How many replies were asked for again, apart those that took none of the choices offered.
fn repairs(trace: &Trace) -> impl Iterator<Item = String> {
    let told = [("named none of the choices", true), ("could not be read", false)];
    told.into_iter().filter_map(|(what, is_choice)| {
        let repairs = trace.incidents.iter().filter(|i| i.kind == IncidentKind::Repair);
        let own = repairs.filter(|i| i.message.contains("` must be one of ") == is_choice);
        let one = format!("1 reply {what} and was asked for again");
        counted(own.count(), &one, &format!("N replies {what} and were asked for again"))
    })
}

/// How many of the clerk's notes were left out, and which, with the causes: unreadable ones, and moves that cannot be. `1 of the
/// clerk's notes could not be used. On 003 (round-1/clerk): “A9 full” (there is no such point or question).`
fn unusable_notes(trace: &Trace) -> Option<String> {
    let one = "one of the clerk's notes could not be used";
    let several = "N of the clerk's notes could not be used";
    let told = counted(trace.flow.impossible as usize, one, several)?;
    let mut each: Vec<String> = trace.notes.iter().flat_map(|n| on(trace, n)).collect();
    let more = each.len().saturating_sub(IN_WORDS);
    each.truncate(IN_WORDS);
    let further = text::count(more as u64, "more statement");
    let more = (more > 0).then(|| format!("trace.json has those on {further}."));
    Some(text::separated([told].into_iter().chain(each).chain(more), " "))
}

/// The notes on each statement of an exchange that were left out: `B2 “Fares fell”: noted as defended in 005, but nobody had answered
/// it.`; of what names no point, the entry with the call of the clerk's: `On 003 (opening/clerk): “A9 full” (there is no such
/// point or question).`
fn on(trace: &Trace, notes: &Notes) -> Vec<String> {
    let call = clerks_call(trace, notes).map_or_else(String::new, |call| format!(" ({call})"));
    let one = |s: &StatementNotes| {
        let (mut told, mut raw) = (Vec::new(), Vec::new());
        for entry in &s.unusable {
            match in_words(trace, entry) {
                Some(words) => told.push(format!("{words} in {:03}, but {}.", s.n, entry.cause)),
                None => raw.push((entry.cause.as_str(), entry.text.as_str())),
            }
        }
        let raw = text::gathered(raw).into_iter().map(|(cause, entries)| match entries[..] {
            [entry] => format!("“{entry}” ({cause})"),
            _ => format!("{} entries ({cause})", entries.len()),
        });
        let raw = text::if_any(text::joined(raw, "and"));
        let raw = raw.map(|raw| format!("On {:03}{call}: {raw}.", s.n));
        text::if_any(text::separated(told.into_iter().chain(raw), " "))
    };
    notes.statements.iter().filter_map(one).collect()
}

/// Words for what the clerk may note of a point.
const NOTED: [(&str, &str); 6] = [
    ("full", "answered"),
    ("part", "answered in part"),
    ("grant", "granted"),
    ("defend", "defended"),
    ("again", "said again"),
    ("drop", "withdrawn"),
];

/// `B2 “Fares fell”: noted as defended`, if an entry names a point by its id.
fn in_words(trace: &Trace, entry: &UnusableEntry) -> Option<String> {
    let (id, did) = entry.text.split_once(' ')?;
    let point = trace.flow.point(id)?;
    let (_, words) = NOTED.iter().find(|(word, _)| did.split(' ').next() == Some(*word))?;
    Some(format!("{id} “{}”: noted as {words}", point.text))
}

/// The clerk's call on an exchange. One of several rounds is noted at its last, and answers to interruptions, which have stages of
/// their own, belong to what was interrupted.
fn clerks_call(trace: &Trace, notes: &Notes) -> Option<CallId> {
    let noted = notes.statements.iter().rev();
    let said = noted.filter_map(|s| CallId::parse(trace.statement(s.n)?.call.as_deref()?));
    let mut calls = said.map(|call| CallId::clerk(call.stage));
    calls.find(|own| {
        let own = own.to_string();
        trace.calls.iter().any(|made| made.call == own)
    })
}

/// Whose replies the clerk was to check before they were taken, and did not: what it finds nothing in passes.
fn unusable_checks(trace: &Trace) -> impl Iterator<Item = String> {
    let all = [(Aside::Refusal, "a refusal"), (Aside::Doubt, "a repetition or another topic")];
    all.into_iter().filter_map(|(aside, what)| {
        let failed = [IncidentKind::Invalid, IncidentKind::Abstained];
        let checks = calls_with(trace, &failed).filter(|call| call.aside() == Some(aside));
        let replies = replies(trace, checks.filter_map(|call| call.by))?;
        Some(format!(
            "The clerk's check for {what} could not be used for {replies}, and counts as passed."
        ))
    })
}

/// Which judges' citations were left out.
fn citations(trace: &Trace) -> Option<String> {
    let kinds = [IncidentKind::Citation];
    let judges = calls_with(trace, &kinds).filter_map(|call| call.by);
    let replies = replies(trace, judges)?;
    Some(format!(
        "Citations were left out of {replies}: what a reason on a speaker cites must be that speaker's."
    ))
}

/// The calls with incidents of one of these kinds, each once.
fn calls_with(trace: &Trace, kinds: &[IncidentKind]) -> impl Iterator<Item = CallId> {
    let own = trace.incidents.iter().filter(|i| kinds.contains(&i.kind));
    let calls = text::distinct(own.filter_map(|i| i.call.as_deref()));
    calls.into_iter().filter_map(CallId::parse)
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
    let lines = shortened(trace)
        .into_iter()
        .chain(no_faults(trace))
        .chain(not_as_asked(trace))
        .chain(unusable_notes(trace));
    let all = lines.chain(searches).chain(noted);
    all.map(|line| text::one_line(&line)).collect()
}

/// Replies that did not have the form that was asked for and could be read all the same, with what that took.
fn not_as_asked(trace: &Trace) -> Option<String> {
    let mut replies = 0;
    let mut steps: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, taken) in read_as(trace) {
        let own = text::distinct(taken.iter().filter(|step| is_fault_of_form(step)));
        replies += usize::from(!own.is_empty());
        own.iter().for_each(|step| *steps.entry(how_read(step)).or_default() += 1);
    }
    let steps = steps.iter().map(|(how, n)| format!("{how} ({n})"));
    let one = "1 reply did not have the form that was asked for and was read all the same";
    let several = "N replies did not have the form that was asked for and were read all the same";
    let told = counted(replies, one, several)?;
    Some(format!("{}: {}.", told.trim_end_matches('.'), text::separated(steps, ", ")))
}

/// Whose replies said more than they may and were shortened, and which arguments seem to be.
fn shortened(trace: &Trace) -> Option<String> {
    let replies = read_with(trace, SHORTENED)?;
    let points: Vec<&str> = trace
        .flow
        .points
        .iter()
        .filter(|point| point.text.ends_with('…'))
        .map(|point| &*point.id)
        .collect();
    let points = match text::joined(&points, "and") {
        none if none.is_empty() => none,
        points => format!(", as in {points}"),
    };
    Some(format!("In {replies}, what was too long was shortened; “…” marks where{points}."))
}

/// What is no fault of form: whose replies had a list that came to its limit, or called people by ids.
fn no_faults(trace: &Trace) -> impl Iterator<Item = String> {
    let too_many = read_with(trace, "too_many").map(|replies| {
        format!("A list in {replies} reached its limit; the entries beyond it were left out.")
    });
    let renamed = read_with(trace, "renamed")
        .map(|replies| format!("In {replies}, names stand for participants' ids."));
    too_many.into_iter().chain(renamed)
}

/// Whose replies it took this to read: `2 replies of Clerk`.
fn read_with(trace: &Trace, step: &str) -> Option<String> {
    let own = read_as(trace).filter(|(_, steps)| steps.iter().any(|own| own == step));
    replies(trace, own.map(|(by, _)| by))
}

/// What was done to read each reply that was asked for in a form, with the id of who gave it.
fn read_as(trace: &Trace) -> impl Iterator<Item = (&str, &Vec<String>)> {
    let ballots = trace.ballots.iter();
    let readings = ballots.map(|ballot| (&ballot.by, &ballot.reading));
    let stances = trace.stances.iter();
    let readings = readings.chain(stances.map(|stance| (&stance.by, &stance.reading)));
    let checks = trace.fact_checks.iter();
    let readings = readings.chain(checks.map(|check| (&check.by, &check.reading)));
    let judges = trace.own_verdicts().flat_map(|verdict| &verdict.judges);
    let verdicts = judges.flat_map(|it| it.valid().map(|reading| (&it.judge, reading)));
    let read_as = readings
        .chain(verdicts)
        .map(|(by, reading)| (&*by.id, &reading.read_as))
        .chain(trace.statements.iter().map(|s| (&*s.by, &s.read_as)));
    read_as.chain(trace.notes.iter().map(|notes| ("clerk", &notes.read_as)))
}

/// What was looked for by meaning and not found, with the reason; a job that looks for nothing misses nothing.
fn retrievals(trace: &Trace) -> impl Iterator<Item = String> {
    let wanted = trace.retrievals.iter().filter(|r| r.model.is_some());
    let none = wanted.filter(|r| r.used.is_empty());
    let causes = none.filter_map(|r| r.cause.as_deref());
    causes.map(|cause| sentence(&format!("no reasoning templates were offered ({cause})")))
}

/// A sentence on so many of something, which has N for several; nothing where there are none.
fn counted(n: usize, one: &str, several: &str) -> Option<String> {
    match n {
        0 => None,
        1 => Some(sentence(one)),
        n => Some(sentence(&several.replace('N', &n.to_string()))),
    }
}

fn sentence(words: &str) -> String {
    text::sentence(&text::capitalised(&banner::plain(words)))
}
