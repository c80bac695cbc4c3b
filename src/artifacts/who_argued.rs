//! Who argued and who judged, with their models: what every list and every heading says of a debate.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, json};

use super::arguments::endings;
use super::positions::{self, Became};
use super::{known_answer, models_replied, stances};
use crate::event::{Ballot, Verdict, VerdictJudge};
use crate::panel::candidates::side_of;
use crate::text;
use crate::trace::{Trace, TraceParticipant};

/// The id of who leads a debate.
const MODERATOR: &str = "moderator";

/// The sides as the front matter holds them; `side` is what `winner` names: a team's members have the same.
pub(super) fn sides(trace: &Trace) -> Vec<Value> {
    let side = |p: &TraceParticipant| {
        let mut side = json!({"id": p.id, "side": side_of(trace, &p.id), "name": p.name, "position": p.position, "models": models(p)});
        if let Some(it) = positions::of(trace, &[&p.id]) {
            side["became"] = json!(it.did());
            side["narrowed_to"] = json!(it.left.map(|left| endings::words(&left.text)));
        }
        if let Some([start, end]) = stances::ends(trace, &p.id) {
            side["stance"] = json!({"start": start, "end": end});
        }
        side
    };
    trace.contestants().map(side).collect()
}

/// A position with those who argued for it.
#[derive(Debug, Serialize)]
pub(super) struct Argued {
    /// `Ann (llama3): Buses should be free`.
    pub(super) said: String,
    /// What they did to it, if they did not hold all of it.
    pub(super) became: Option<Became>,
}

/// A line for each position; one for all who have none.
pub(super) fn lines(trace: &Trace) -> Vec<Argued> {
    let all = text::gathered(trace.contestants().map(|p| (p.position.as_str(), p)));
    let one = |(position, all): (&str, Vec<&TraceParticipant>)| {
        let ids: Vec<&str> = all.iter().map(|p| p.id.as_str()).collect();
        Argued { said: line(position, &all), became: positions::became(trace, &ids) }
    };
    all.into_iter().map(one).collect()
}

fn line(position: &str, all: &[&TraceParticipant]) -> String {
    let who = text::joined(all.iter().map(|p| with_model(p)), "and");
    match position {
        "" => text::one_line(&who),
        position => text::one_line(&format!("{who}: {position}")),
    }
}

/// `Ann (llama3)`.
pub(super) fn with_model(p: &TraceParticipant) -> String {
    format!("{} ({})", p.name, models(p).join(", "))
}

/// A judge with the model of each of its readings.
fn readers(judge: &VerdictJudge) -> impl Iterator<Item = (&String, Option<&str>)> {
    judge.readings.iter().map(|reading| (&judge.judge.id, reading.model(&judge.judge)))
}

/// Who judged, and by whose votes: `Judged by Judge-1 (mistral) and Judge-2 (qwen3)`, `Votes by teammates: Ann and Ben`; nothing where nobody did.
pub(super) fn judged_by(trace: &Trace) -> Option<String> {
    let verdicts = trace.own_verdicts().flat_map(|verdict| &verdict.judges);
    let judges = named(trace, verdicts.flat_map(readers));
    let judges = (!judges.is_empty()).then(|| format!("Judged by {judges}"));
    let all = [judges, voters(trace)].into_iter().flatten();
    text::if_any(text::one_line(&text::separated(all, ". ")))
}

/// Judges of the whole debate.
fn judges(trace: &Trace) -> impl Iterator<Item = &str> {
    let judges = trace.own_verdicts().flat_map(|verdict| &verdict.judges);
    judges.map(|judge| judge.judge.id.as_str())
}

/// Who did nothing but judge the whole debate or answer its question, which other lines tell, and who was asked for nothing.
pub(super) fn told_apart(trace: &Trace) -> Vec<&str> {
    let told: Vec<&str> = judges(trace).chain(known_answer::by(trace)).collect();
    let idle = |p: &TraceParticipant| told.contains(&p.id.as_str()) || !was_asked(trace, p);
    let silent = trace.participants.iter().filter(|p| p.statements == 0);
    silent.filter(|p| idle(p)).map(|p| p.id.as_str()).collect()
}

/// Whether somebody was asked for anything.
pub(super) fn was_asked(trace: &Trace, p: &TraceParticipant) -> bool {
    trace.calls.iter().any(|call| call.by.as_ref() == Some(&p.id))
}

/// `Answered by Voter-1 (mistral) and Voter-2 (qwen3)`: those who did nothing else; nothing where nobody did.
pub(super) fn answered_by(trace: &Trace) -> Option<String> {
    let judges: Vec<&str> = judges(trace).collect();
    let answered = known_answer::by(trace).into_iter().filter(|id| !judges.contains(id));
    let people = answered.filter_map(|id| trace.participant(id)).filter(|p| !p.contestant);
    let people = text::if_any(text::joined(people.map(with_model), "and"))?;
    Some(text::one_line(&format!("Answered by {people}")))
}

/// Whose votes were counted, with the model where that is another than the one told of each. Teammates vote on their own debater; the
/// audience, where it counts, votes too.
fn voters(trace: &Trace) -> Option<String> {
    let ballots = trace.ballots.iter();
    let (audience, team): (Vec<&Ballot>, Vec<_>) = ballots.partition(|b| b.by.is_audience());
    let is_other =
        |id: &str, model: &&str| trace.participant(id).is_none_or(|p| !models(p).contains(model));
    let team = team.into_iter().map(|ballot| {
        let (id, model) = (&ballot.by.id, ballot.reading.model(&ballot.by));
        (id, model.filter(|model| is_other(id, model)))
    });
    let team = named(trace, team);
    let too = if audience.is_empty() { "" } else { "; the audience has a vote too" };
    (!team.is_empty()).then(|| format!("Votes by teammates: {team}{too}"))
}

/// Those who judged, each once by model: `Ann (qwen3) and Ben (mistral)`. Who led the debate is no neutral judge.
fn named<'t>(
    trace: &'t Trace,
    judges: impl Iterator<Item = (&'t String, Option<&'t str>)>,
) -> String {
    let mut seen = BTreeSet::new();
    let shown = |(id, model): (&String, Option<&str>)| {
        let name = trace.name_of(id);
        let led = if id == MODERATOR { ", who also led the debate" } else { "" };
        match model {
            Some(model) => format!("{name} ({model}){led}"),
            None => format!("{name}{led}"),
        }
    };
    text::joined(judges.filter(|judge| seen.insert(*judge)).map(shown), "and")
}

/// The models that noted the flow; the configured one where a trace does not tell.
pub(super) fn clerk(trace: &Trace) -> String {
    let noted = models_replied::noted(trace);
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
    if let Some(margin) = trace.deciding_verdict().and_then(Verdict::margin) {
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
    let spoke: Vec<&str> = p
        .models
        .iter()
        .filter(|model| model.statements > 0)
        .map(|model| model.name.as_str())
        .collect();
    let own = p.sampling.get("model").and_then(Value::as_str);
    if spoke.is_empty() { own.into_iter().collect() } else { spoke }
}
