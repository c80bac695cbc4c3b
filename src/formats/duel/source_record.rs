//! The source record of a duel (row U4), with its source's key names.

use serde_json::{Value, json};

use super::checks::{Checks, said};
use crate::clock;
use crate::event::{Event, Statement, rounded};
use crate::formats::duel::settings::{A, B, Duel, speaker};
use crate::plan::Plan;
use crate::text;
use crate::trace::Trace;

/// Maximum exchanges in the running summary, the newest: as many as a duel of twice the usual length has.
const TOLD: usize = 8;
/// Maximum characters per exchange in the running summary.
const LINE: usize = 160;

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
    let summary: Vec<String> =
        rounds.filter_map(|notes| told(notes.round, &notes.summary)).collect();
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
        "at": clock::text(turn.at),
        "coherence": text.map(|text| rounded(checks.coherence(text))),
        "similarity": closest.as_ref().map(|closest| rounded(closest.similarity)),
        "closest_turn": closest.as_ref().map(|closest| closest.turn.n),
        "rejected_replies": rejected.count(),
        "objections": turn.objections,
    })
}

/// The running summary's line on the exchange that ended with a round; `None` for an exchange without a summary.
fn told(round: u32, summary: &str) -> Option<String> {
    let line = text::first_sentence(summary, LINE);
    let rounds = match round % 2 {
        0 => format!("Rounds {} and {round}", round - 1),
        _ => format!("Round {round}"),
    };
    (!line.is_empty()).then(|| format!("{rounds}: {line}"))
}

/// The newest lines of the running summary.
fn newest(told: &[String]) -> &[String] {
    &told[told.len().saturating_sub(TOLD)..]
}
