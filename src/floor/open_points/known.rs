//! What a task shows of the debate besides the flow.

use std::collections::{BTreeSet, HashMap};

use crate::event::{Event, EventKind, Phase, Stance, Statement, rebutted};
use crate::plan::Plan;

/// What a task shows of the debate besides the flow.
pub(super) struct Known {
    /// The latest stances, by participant.
    pub(super) stances: HashMap<String, String>,
    /// What prompts call the case that a statement argues if it is not its speaker's own, or no longer, by statement.
    pub(super) advocacy: HashMap<u32, String>,
    /// The answers to interruptions.
    pub(super) corrections: BTreeSet<u32>,
    /// The turns that the notes cover.
    pub(super) noted: Vec<Statement>,
    /// Whom a rebuttal is meant for, by its number.
    pub(super) rebutted: HashMap<u32, String>,
    /// The statements since.
    pub(super) since: Vec<Statement>,
    /// How far the notes go, in words, if they do not cover everything argued so far.
    pub(super) until: Option<String>,
}

impl Known {
    /// What there is besides notes that go as far as the statement `last`, at most.
    pub(super) fn of(plan: &Plan, events: &[Event], until: Option<String>, last: u32) -> Self {
        let taken = |held: &Stance| Some((held.by.id.clone(), held.stance.clone()?));
        let noted = noted(events, last);
        let corrections = Event::statements(events).filter(|said| said.phase == Phase::ANSWER);
        Self {
            stances: stances(events).filter_map(taken).collect(),
            advocacy: advocacy(plan, events),
            corrections: corrections.map(|said| said.n).collect(),
            since: since(events, &noted),
            noted,
            rebutted: rebuttals(events),
            until,
        }
    }

    /// Whether two participants take the same stance. If so, neither has reason to answer the other first.
    pub(super) fn agree(&self, one: &str, other: &str) -> bool {
        let (one, other) = (self.stances.get(one), self.stances.get(other));
        one.is_some() && one == other
    }
}

fn stances(events: &[Event]) -> impl DoubleEndedIterator<Item = &Stance> + Clone {
    events.iter().filter_map(|event| match &event.kind {
        EventKind::Stance(held) => Some(held),
        _ => None,
    })
}

/// The turns that the notes cover.
fn noted(events: &[Event], last: u32) -> Vec<Statement> {
    let notes = events.iter().filter_map(|event| match &event.kind {
        EventKind::Notes(notes) => Some(&notes.statements),
        _ => None,
    });
    let covered: BTreeSet<u32> =
        notes.flatten().map(|noted| noted.n).filter(|n| *n <= last).collect();
    Event::statements(events).filter(|said| covered.contains(&said.n)).cloned().collect()
}

/// Whom each rebuttal is meant for.
fn rebuttals(events: &[Event]) -> HashMap<u32, String> {
    let said: Vec<&Statement> = Event::statements(events).collect();
    let whom = |s: &&Statement| Some((s.n, rebutted(said.iter().copied(), s.n)?.to_owned()));
    said.iter().filter_map(whom).collect()
}

/// What was said since the last turn that the notes cover.
fn since(events: &[Event], noted: &[Statement]) -> Vec<Statement> {
    let last = noted.last().map_or(0, |last| last.n);
    let later = Event::statements(events).filter(|said| said.n > last && said.was_heard());
    later.cloned().collect()
}

/// Statements that argue a case which is not their speaker's own, or no longer, with what prompts call it.
pub(super) fn advocacy(plan: &Plan, events: &[Event]) -> HashMap<u32, String> {
    let profile = plan.format.profile;
    let words = |said: &Statement| match profile.advocacy_in(said.phase.name()) {
        Some(words) => Some(words.to_owned()),
        None => {
            let (left, now) = Stance::left_since(stances(events), &said.by, said.round)?;
            Some(format!("for {left}, before moving to {now}"))
        }
    };
    Event::statements(events).filter_map(|said| Some((said.n, words(said)?))).collect()
}
