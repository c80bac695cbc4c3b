//! What `summary.md` says of judges on the model of some of those who debated, or on that of the answer they scored: their
//! scores may favour it.

use std::collections::BTreeMap;

use crate::event::{Judge, Reading, ReadingStatus};
use crate::job::model_name::same_model;
use crate::model::sharing::Sharing;
use crate::text;
use crate::trace::{Trace, TraceParticipant};

/// A sentence for each model on which somebody judged others on it beside others on other models.
pub(super) fn notes(trace: &Trace) -> Vec<String> {
    let judged: Vec<(&Judge, &Reading)> = judgments(trace).collect();
    let heard: Vec<&TraceParticipant> = trace
        .participants
        .iter()
        .filter(|p| p.statements > 0 && (p.contestant || is_scored(p, &judged)))
        .collect();
    let mut by_model: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (judge, reading) in &judged {
        let Some(model) = reading.model(judge) else {
            continue;
        };
        let others = heard.iter().filter(|p| p.id != judge.id);
        let partial = Sharing::among(others.map(|p| is_on(trace, p, model))) == Sharing::Some;
        let judges = by_model.entry(model).or_default();
        let name = trace.name_of(&judge.id);
        if partial && !judges.contains(&name) {
            judges.push(name);
        }
    }
    let partial = by_model.iter().filter(|(_, judges)| !judges.is_empty());
    partial
        .map(|(model, judges)| note(trace, model, judges, &heard))
        .chain(own_answers(trace))
        .collect()
}

/// A sentence for each model that scored an answer of its own, where everybody is on it: among several, what it favours in
/// one it favours in all, but a score of one answer is higher for it.
fn own_answers(trace: &Trace) -> Vec<String> {
    let mut by_model: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (judge, reading) in judgments(trace).filter(|_| trace.ballots.is_empty()) {
        let scored = trace
            .participants
            .iter()
            .filter(|p| reading.totals.contains_key(&p.id));
        let scored: Vec<&TraceParticipant> = scored.collect();
        let others = trace
            .participants
            .iter()
            .filter(|p| p.contestant && p.statements > 0);
        let (Some(model), [answer]) = (reading.model(judge), &scored[..]) else {
            continue;
        };
        let judges = by_model.entry(model).or_default();
        let name = trace.name_of(&judge.id);
        let all = is_on(trace, answer, model) && others.clone().all(|p| is_on(trace, p, model));
        if all && !judges.contains(&name) {
            judges.push(name);
        }
    }
    let own = by_model.iter().filter(|(_, judges)| !judges.is_empty());
    own.map(|(model, judges)| {
        format!(
            "{} judged on {model}, which wrote the answer too. Models tend to favour their own texts.",
            text::joined(judges, "and")
        )
    })
    .collect()
}

/// The judgments that count, with who gave them.
fn judgments(trace: &Trace) -> impl Iterator<Item = (&Judge, &Reading)> {
    let ballots = trace.ballots.iter().map(|b| (&b.by, &b.reading));
    let own = trace.verdicts.iter().filter(|v| v.is_own());
    let judges = own.flat_map(|verdict| &verdict.judges);
    let verdicts = judges.flat_map(|j| j.readings.iter().map(move |r| (&j.judge, r)));
    let all = ballots.chain(verdicts);
    all.filter(|(_, reading)| reading.status == ReadingStatus::Valid)
}

fn is_scored(p: &TraceParticipant, judged: &[(&Judge, &Reading)]) -> bool {
    let mut readings = judged.iter().map(|(_, reading)| reading);
    readings.any(|reading| reading.totals.contains_key(&p.id))
}

/// Whether a participant spoke through a model, under whichever name.
fn is_on(trace: &Trace, p: &TraceParticipant, model: &str) -> bool {
    let card = trace.models.iter().find(|card| card.name == model);
    let digest = card.and_then(|card| card.card.digest.as_ref());
    let mut spoke = p.models.iter().filter(|used| used.statements > 0);
    spoke.any(|used| {
        let same_weights = digest.is_some() && used.digest.as_ref() == digest;
        same_weights || same_model(&used.name, model)
    })
}

fn note(trace: &Trace, model: &str, judges: &[&str], heard: &[&TraceParticipant]) -> String {
    let (same, others): (Vec<&TraceParticipant>, Vec<_>) =
        heard.iter().partition(|p| is_on(trace, p, model));
    let names = |people: &[&TraceParticipant]| -> String {
        let names: Vec<&str> = people.iter().map(|p| p.name.as_str()).collect();
        text::joined(&names, "and")
    };
    format!(
        "{} judged on {model}, the model of {} but not of {}. Models tend to favour their own texts.",
        text::joined(judges, "and"),
        names(&same),
        names(&others)
    )
}
