//! The source record of a duel (row U4), with its source's key names.

use serde_json::{Value, json};

use super::checks::{Checks, said};
use super::running_summary::{newest, told};
use crate::event::{Event, Statement, rounded};
use crate::formats::duel::settings::{A, B, Duel, speaker};
use crate::plan::Plan;
use crate::trace::Trace;

/// The record; for a failed debate, up to the point it reached.
pub(super) fn source_record(
    plan: &Plan,
    settings: &Duel,
    events: &[Event],
    trace: &Trace,
) -> Value {
    let current_round = Event::last_round(events);
    let rounds_completed = trace.rounds.len() as u32;
    let next = rounds_completed + 1;
    let next_agent = (next <= settings.rounds).then(|| speaker(next));
    let rounds = trace.rounds.iter();
    let summary = rounds.filter_map(|notes| told(notes.round, &notes.summary));
    let summary: Vec<String> = summary.collect();
    json!({
        "topic": plan.topic,
        "current_round": current_round,
        "next_agent": next_agent,
        "rounds_completed": rounds_completed,
        "status": trace.status,
        "winner": trace.outcome.as_ref().and_then(|outcome| outcome.winner.as_ref()),
        "memory": {
            "turns": turns(plan, settings, trace),
            "summary": newest(&summary).join(" "),
            "current_round": current_round,
            "next_agent": next_agent,
        },
    })
}

/// The turns, each measured against the earlier ones, as it was at the time.
fn turns(plan: &Plan, settings: &Duel, trace: &Trace) -> Vec<Value> {
    let mut checks = Checks::of(plan, settings);
    let mut turns = Vec::new();
    let said = trace.statements.iter();
    for said in said.filter(|s| [A, B].contains(&s.by.as_str())) {
        turns.push(turn(trace, &checks, said));
        if said.was_heard() {
            checks.note(said);
        }
    }
    turns
}

fn turn(trace: &Trace, checks: &Checks<'_>, turn: &Statement) -> Value {
    let text = Some(said(turn)).filter(|_| turn.was_heard());
    let closest = text.and_then(|text| checks.closest(text));
    let rejected = trace.rejections.iter().filter(|r| r.round == turn.round);
    json!({
        "n": turn.n,
        "round": turn.round,
        "agent": turn.by,
        "name": trace.name_of(&turn.by),
        "text": turn.text,
        "tokens": turn.tokens,
        "cut": turn.cut,
        "origin": turn.origin,
        "model": turn.model,
        "at": turn.at,
        "coherence": text.map(|text| rounded(checks.coherence(text))),
        "similarity": closest.as_ref().map(|closest| rounded(closest.similarity)),
        "closest_turn": closest.as_ref().map(|closest| closest.turn.n),
        "rejected_replies": rejected.count(),
        "objections": turn.objections,
    })
}
