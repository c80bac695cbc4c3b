//! Problems of a debate in plain words, as `summary.md` ends. Incidents, call by call, stand in `metadata.md`, and so do
//! replies that were read although they had another form.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::artifacts::arguments::dialectic_ledger;
use crate::artifacts::statement_place::number;
use crate::artifacts::{banner, index};
use crate::call_id::CallId;
use crate::event::{Incident, IncidentKind, Notes, Statement, THOUGHT, how_read, how_said};
use crate::text;
use crate::trace::Trace;

/// Whether a statement's note tells such incidents, or they are no problem.
fn is_untold(kind: &IncidentKind) -> bool {
    use IncidentKind::{BreaksOff, Cleaned, Count, Cut, Emergency, Refusal, Rejection};
    matches!(kind, BreaksOff | Cleaned | Count | Cut | Emergency | Refusal | Rejection)
}

/// Whether a later incident of the same call makes one of this kind superfluous.
fn is_step(kind: &IncidentKind) -> bool {
    use IncidentKind::{Abstained, GaveUp, Invalid, Repair, Retry};
    matches!(kind, Retry | Repair | GaveUp | Invalid | Abstained)
}

/// Whether one of this kind tells what became of a call.
fn is_end(kind: &IncidentKind) -> bool {
    use IncidentKind::{Abstained, Clerk, Comment, GaveUp, Invalid, LeftOut};
    matches!(kind, GaveUp | Invalid | Abstained | LeftOut | Comment | Clerk)
}

/// Characters of what happened once.
const ONCE: usize = 200;

/// What went wrong; nothing where nothing did.
pub(in crate::artifacts) fn shown(trace: &Trace) -> Option<Value> {
    let (statements, lines) = (noted(trace), others(trace));
    let is_cut = trace.statements.iter().any(|s| s.cut);
    let notes = unusable_notes(trace);
    let any = !(statements.is_empty() && lines.is_empty() && notes.is_none());
    any.then(|| json!({"statements": statements, "lines": lines, "notes": notes, "is_cut": is_cut, "incidents": !trace.incidents.is_empty()}))
}

/// What a reader must know of a statement: `003, Ann: cut at the limit.`
fn on_statement(trace: &Trace, s: &Statement) -> Option<String> {
    let (number, name) = (number(s.n), trace.name_of(&s.by));
    Some(format!("{number}, {name}: {}.", index::note(trace, s)?))
}

/// Statements with a note, those with the same one together.
fn noted(trace: &Trace) -> Vec<Value> {
    let notes = trace.statements.iter().filter_map(|s| {
        let note = index::note(trace, s)?;
        Some((note, json!({"n": number(s.n), "name": trace.name_of(&s.by)})))
    });
    let alike = text::gathered(notes).into_iter();
    alike.map(|(note, all)| json!({"note": note, "all": all})).collect()
}

/// Sentences on all that no statement's note tells.
fn others(trace: &Trace) -> Vec<String> {
    // Why a debate is degraded stands above all else.
    let cause = trace.cause.as_deref().unwrap_or_default();
    let is_cause = |i: &Incident| i.is_shortfall() && cause.contains(&*i.message);
    let is_told = |i: &&Incident| !is_untold(&i.kind) && !is_cause(i);
    let told = unfollowed(&trace.incidents).into_iter().filter(is_told);
    let by_kind = text::gathered(told.map(|i| (i.kind.clone(), i)));
    let of_kind = |(kind, all): &(IncidentKind, Vec<&Incident>)| match all[..] {
        [only] => format!("1 {}: {}", kind.words(1), text::shorten(&only.message, ONCE)),
        _ => format!("{} {}", all.len(), kind.words(all.len())),
    };
    by_kind.iter().map(|kind| sentence(&of_kind(kind))).collect()
}

/// The incidents but those of which a later one tells what came: how their call ended, or that all judges were asked again.
fn unfollowed(all: &[Incident]) -> Vec<&Incident> {
    let (mut ended, mut again) = (BTreeSet::new(), BTreeSet::new());
    let mut told = Vec::new();
    for one in all.iter().rev() {
        let (call, matter) = (one.call.as_deref(), matter(one));
        let is_followed = ended.contains(&call) || again.contains(&matter);
        if !(is_followed && call.is_some() && is_step(&one.kind)) {
            told.push(one);
        }
        if is_end(&one.kind) {
            ended.insert(call);
        }
        if one.kind == IncidentKind::Panel {
            again.insert(matter);
        }
    }
    told.reverse();
    told
}

/// What a call asks of several, in either order: `round-2/ballot`.
fn matter(incident: &Incident) -> Option<String> {
    Some(CallId::parse(incident.call.as_deref()?)?.matter())
}

/// Notes of the clerk that were left out, as far as they are told one by one.
const NOTES: usize = 3;

/// The notes of the clerk that were left out, unreadable ones and moves that cannot be: how many, and the first with their causes.
fn unusable_notes(trace: &Trace) -> Option<Value> {
    let notes = trace.notes.iter().flat_map(|notes| &notes.statements);
    let all = notes.flat_map(|notes| notes.unusable.iter().map(|it| (notes.n, it)));
    let all: Vec<Value> = all
        .take(NOTES)
        .map(|(n, it)| json!({"n": number(n), "about": about(trace, &it.text), "cause": it.cause}))
        .collect();
    let count = trace.flow.impossible;
    // Traces of earlier versions have only the number.
    let told = if all.is_empty() { count as usize } else { all.len() };
    let more = (count as usize).saturating_sub(told);
    (count > 0).then(|| json!({"count": text::count(count, "note"), "all": all, "more": more}))
}

/// What a note was about: of a move only the point or question, if there is such, since readers know no notation; of another text, all.
fn about(trace: &Trace, text: &str) -> Option<String> {
    let (points, questions) = (&trace.flow.points, &trace.flow.questions);
    let mut ids = points.iter().map(|it| &it.id).chain(questions.iter().map(|it| &it.id));
    match text.split_whitespace().collect::<Vec<_>>()[..] {
        [at, _] | [at, _, _] => ids.find(|id| *id == at).map(|id| format!("about {id}")),
        _ => Some(format!("“{text}”")),
    }
}

/// How many of them there are, as their line begins.
pub(in crate::artifacts) fn of_clerk(trace: &Trace) -> Option<String> {
    let notes = text::count(trace.flow.impossible, "note");
    (trace.flow.impossible > 0).then(|| format!("{notes} of the clerk left out"))
}

/// What went wrong without being an incident, for the list of these.
pub(in crate::artifacts) fn beside_incidents(trace: &Trace) -> Vec<String> {
    // What is noted of a statement was an incident, but for objections to a reply that was asked for only once.
    let had_one =
        |s: &&Statement| trace.incidents.iter().any(|i| i.call.is_some() && i.call == s.call);
    let noted =
        trace.statements.iter().filter(|s| !had_one(s)).filter_map(|s| on_statement(trace, s));
    let notes = of_clerk(trace).map(|line| sentence(&format!("{line} as unusable"))).into_iter();
    let passed = dialectic_ledger::passed_over(trace);
    let all = read_as(trace).into_iter().chain(notes).chain(noted).chain(passed);
    all.map(|line| text::one_line(&line)).collect()
}

/// The replies that were read although they had another form: `Read with tolerance (JSON repaired): round-3/ballot/position_y_1.`
fn read_as(trace: &Trace) -> Vec<String> {
    let judges = trace.own_verdicts().flat_map(|verdict| &verdict.judges);
    let readings = trace.ballots.iter().map(|ballot| &ballot.reading);
    let readings = readings
        .chain(trace.stances.iter().map(|stance| &stance.reading))
        .chain(trace.fact_checks.iter().map(|check| &check.reading))
        .chain(judges.flat_map(|judge| &judge.readings))
        .map(|reading| (reading.call.clone(), reading.read_as.clone()));
    let compared = dialectic_ledger::judges(trace).flat_map(|it| it.readings);
    let compared = compared.map(|it| (it.call, it.read_as));
    let notes = trace.notes.iter().map(|notes| (notes_of(notes), notes.read_as.clone()));
    let statements = trace.statements.iter().filter_map(|s| Some((s.call.clone()?, &s.read_as)));
    let words = |steps: &[String], told: fn(&str) -> &str| {
        text::separated(steps.iter().filter(|step| *step != THOUGHT).map(|step| told(step)), "; ")
    };
    let read = readings.chain(compared).chain(notes);
    let read = read.map(|(call, steps)| (words(&steps, how_read), call));
    let statements = statements.map(|(call, steps)| (words(steps, how_said), call));
    let how = read.chain(statements).filter(|(how, _)| !how.is_empty());
    let line = |(how, calls): (String, Vec<String>)| {
        format!("Read with tolerance ({how}): {}.", text::separated(text::distinct(calls), ", "))
    };
    text::gathered(how).into_iter().map(line).collect()
}

/// What the clerk's notes are called, whose call has no name in them.
fn notes_of(notes: &Notes) -> String {
    let round = text::told_if(notes.round > 0, || format!(" on round {}", notes.round));
    format!("notes by the clerk{round}")
}

fn sentence(words: &str) -> String {
    text::sentence(&text::capitalised(&banner::plain(&text::one_line(words))))
}
