//! What a task shows of the debate besides the flow.

use std::collections::{BTreeSet, HashMap};

use crate::event::{Event, EventKind, Phase, Stance, Statement, rebutted};
use crate::flow::{Case, Cases, FlowPoint};
use crate::plan::Plan;

/// What a task shows of the debate besides the flow.
pub(super) struct Known {
    /// The latest stances, by participant.
    pub(super) stances: HashMap<String, String>,
    /// The cases that are not, or no longer, their speakers' own.
    pub(super) cases: Cases,
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
            cases: cases(plan, events),
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

/// For which cases points were made.
pub(in crate::floor) fn cases(plan: &Plan, events: &[Event]) -> Cases {
    let case = |said: &Statement| Case::of(plan.format.profile, said, stances(events));
    Cases(Event::statements(events).filter_map(|said| Some((said.n, case(said)?))).collect())
}

/// Who made a point, for this case: `Ann, as devil's advocate`, `Ann, when for pause`.
pub(in crate::floor) fn made_by(plan: &Plan, point: &FlowPoint, case: Option<&Case>) -> String {
    let case = case.map(|case| format!(", {}", case.words)).unwrap_or_default();
    format!("{}{case}", plan.name_of(&point.by))
}
