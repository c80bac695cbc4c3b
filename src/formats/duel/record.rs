//! The record of a duel (row U4), with its source's key names.

use serde_json::{Value, json};

use super::checks::{Checks, said};
use super::running_summary::{newest, told};
use crate::event::{Event, EventKind, Rejection, RoundNotes, Statement, rounded};
use crate::formats::duel::settings::{A, B, Duel, speaker};
use crate::plan::Plan;

/// The record, from the debate's events; of a failed debate, as far as it came.
pub(super) fn source_record(plan: &Plan, settings: &Duel, events: &[Event]) -> Value {
    let by_kind = EventsByKind::of(events);
    let current_round = by_kind.begun;
    let rounds_completed = by_kind.notes.len() as u32;
    let next = rounds_completed + 1;
    let next_agent = (next <= settings.rounds).then(|| speaker(next));
    let summary: Vec<String> = by_kind
        .notes
        .iter()
        .filter_map(|notes| told(notes.round, &notes.summary))
        .collect();
    let end = Event::completion(events);
    let outcome = end.and_then(|end| end.outcome.as_ref());
    json!({
        "topic": plan.topic,
        "current_round": current_round,
        "next_agent": next_agent,
        "rounds_completed": rounds_completed,
        "status": end.map(|end| end.status),
        "winner": outcome.and_then(|outcome| outcome.winner.as_ref()),
        "memory": {
            "turns": by_kind.turns(plan, settings),
            "summary": newest(&summary).join(" "),
            "current_round": current_round,
            "next_agent": next_agent,
        },
    })
}

/// The events of a debate, by kind.
#[derive(Default)]
struct EventsByKind<'e> {
    /// The round that was begun last.
    begun: u32,
    turns: Vec<&'e Statement>,
    rejections: Vec<&'e Rejection>,
    notes: Vec<&'e RoundNotes>,
}

impl<'e> EventsByKind<'e> {
    fn of(events: &'e [Event]) -> Self {
        let mut by_kind = Self::default();
        for event in events {
            match &event.kind {
                EventKind::RoundStart { .. } => by_kind.begun = event.round.unwrap_or(0),
                EventKind::Statement(turn) if [A, B].contains(&turn.by.as_str()) => {
                    by_kind.turns.push(turn);
                }
                EventKind::Rejection(rejection) => by_kind.rejections.push(rejection),
                EventKind::Summary(notes) => by_kind.notes.push(notes),
                _ => {}
            }
        }
        by_kind
    }

    /// The turns, each measured against those before it, as it was when it was said.
    fn turns(&self, plan: &Plan, settings: &Duel) -> Vec<Value> {
        let mut checks = Checks::of(plan, settings);
        let mut turns = Vec::new();
        for turn in &self.turns {
            turns.push(self.turn(plan, &checks, turn));
            if turn.was_heard() {
                checks.note(turn);
            }
        }
        turns
    }

    fn turn(&self, plan: &Plan, checks: &Checks<'_>, turn: &Statement) -> Value {
        let text = Some(said(turn)).filter(|_| turn.was_heard());
        let closest = text.and_then(|text| checks.closest(text));
        let rejected = self.rejections.iter().filter(|r| r.round == turn.round);
        json!({
            "n": turn.n,
            "round": turn.round,
            "agent": turn.by,
            "name": plan.name_of(&turn.by),
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
}
