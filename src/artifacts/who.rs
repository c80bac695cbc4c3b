//! Who argued and who judged, with their models: what every list and every heading says of a debate.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::replied;
use crate::event::{AUDIENCE, Verdict, VerdictJudge};
use crate::text;
use crate::trace::{Trace, TraceParticipant};

/// The sides as the front matter holds them.
pub(super) fn sides(trace: &Trace) -> Vec<Value> {
    let side = |p: &TraceParticipant| json!({"id": p.id, "name": p.name, "position": p.position, "models": models(p)});
    trace.contestants().map(side).collect()
}

/// A line for each position: `Ann (llama3): Buses should be free`; one for all who have none.
pub(super) fn lines(trace: &Trace) -> Vec<String> {
    let contestants = trace.contestants();
    let sides = text::gathered(contestants.map(|p| (p.position.as_str(), with_model(p))));
    let line = |(position, names): &(&str, Vec<String>)| {
        let who = text::joined(names, "and");
        match *position {
            "" => text::one_line(&who),
            position => text::one_line(&format!("{who}: {position}")),
        }
    };
    sides.iter().map(line).collect()
}

/// `Ann (llama3)`.
pub(super) fn with_model(p: &TraceParticipant) -> String {
    format!("{} ({})", p.name, models(p).join(", "))
}

/// A judge with the model of each of its readings.
fn readers(judge: &VerdictJudge) -> impl Iterator<Item = (&String, Option<&str>)> {
    let readings = judge.readings.iter();
    readings.map(|reading| (&judge.judge.id, reading.model(&judge.judge)))
}

/// Who judged: `Judged by Judge-1 (mistral) and Judge-2 (qwen3)`; nothing where nobody did.
pub(super) fn judged_by(trace: &Trace) -> Option<String> {
    let verdicts = trace.own_verdicts().flat_map(|verdict| &verdict.judges);
    let ids = verdicts.flat_map(readers);
    let ballots = trace.ballots.iter();
    let ballots = ballots.map(|ballot| (&ballot.by.id, ballot.reading.model(&ballot.by)));
    let mut seen = BTreeSet::new();
    let shown = |(id, model): (&String, Option<&str>)| {
        let name = match id.as_str() {
            AUDIENCE => "the audience",
            id => trace.name_of(id),
        };
        match model {
            Some(model) => format!("{name} ({model})"),
            None => name.to_owned(),
        }
    };
    let judges = ids.chain(ballots).filter(|judge| seen.insert(*judge));
    let judges = text::joined(&judges.map(shown).collect::<Vec<_>>(), "and");
    (!judges.is_empty()).then(|| text::one_line(&format!("Judged by {judges}")))
}

/// The models that noted the flow; the configured one where a trace does not tell.
pub(super) fn clerk(trace: &Trace) -> String {
    let noted = replied::noted(trace);
    if !noted.is_empty() {
        return text::joined(&noted, "and");
    }
    let model = trace.participant("clerk").and_then(|p| p.models.first());
    model.map_or_else(|| "unknown".to_owned(), |model| model.name.clone())
}

/// How far the winner is ahead of the next, to two decimals; `null` where nobody wins.
pub(super) fn margin(trace: &Trace) -> Option<f64> {
    let outcome = trace.outcome.as_ref()?;
    outcome.winner.as_ref()?;
    let own = trace.own_verdicts().next();
    if let Some(margin) = own.and_then(Verdict::margin) {
        return Some(margin.abs());
    }
    let mut points: Vec<f64> = outcome.points.values().copied().collect();
    points.sort_by(|a, b| b.total_cmp(a));
    let [best, next, ..] = points[..] else {
        return None;
    };
    Some(((best - next) * 100.0).round() / 100.0)
}

/// The models that spoke for a participant; the configured one where none did.
pub(super) fn models(p: &TraceParticipant) -> Vec<&str> {
    let spoke = p.models.iter().filter(|model| model.statements > 0);
    let spoke: Vec<&str> = spoke.map(|model| model.name.as_str()).collect();
    let own = p.sampling.get("model").and_then(Value::as_str);
    match spoke.is_empty() {
        true => own.into_iter().collect(),
        false => spoke,
    }
}
