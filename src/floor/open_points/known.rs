//! What a task shows of the debate besides the flow.

use std::collections::{BTreeSet, HashMap};

use crate::event::{Event, EventKind, Phase, Stance, Statement, rebutted};
use crate::flow::{Flow, FlowPoint};
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
            cases: Cases::of(plan, events),
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

/// A case that is not, or no longer, its speaker's own.
enum Case {
    /// The speaker's task, as prompts call it.
    Task(&'static str),
    /// A stance that the speaker has left since.
    Left(String),
}

/// Those of statements, by their numbers.
pub(in crate::floor) struct Cases(HashMap<u32, Case>);

impl Cases {
    pub(in crate::floor) fn of(plan: &Plan, events: &[Event]) -> Self {
        let case = |said: &Statement| match plan.format.profile.advocacy_in(said.phase.name()) {
            Some(words) => Some(Case::Task(words)),
            None => Stance::left_since(stances(events), &said.by, said.round)
                .map(|(left, _)| Case::Left(left.to_owned())),
        };
        Self(Event::statements(events).filter_map(|said| Some((said.n, case(said)?))).collect())
    }

    /// Whether a point is its maker's to defend: made for its own case, or kept when it left the stance for which it was made.
    pub(super) fn is_own(&self, flow: &Flow, point: &FlowPoint) -> bool {
        match self.0.get(&point.statement) {
            Some(Case::Left(_)) => flow.was_kept(point, |n| self.0.contains_key(&n)),
            case => case.is_none(),
        }
    }

    /// Whether a point was made for a stance that its maker has left since, even if it was kept.
    pub(super) fn is_marked(&self, point: &FlowPoint) -> bool {
        matches!(self.0.get(&point.statement), Some(Case::Left(_)))
    }

    /// Who made a point: `Ann, as devil's advocate`, `Ann, when for pause`.
    pub(super) fn made_by(&self, plan: &Plan, point: &FlowPoint) -> String {
        made_for(plan.name_of(&point.by), self.0.get(&point.statement))
    }

    /// The same for the clerk, to whom a stance is nothing.
    pub(in crate::floor) fn made_by_task(&self, plan: &Plan, point: &FlowPoint) -> String {
        let case = self.0.get(&point.statement);
        made_for(plan.name_of(&point.by), case.filter(|case| matches!(case, Case::Task(_))))
    }
}

/// A name with the case for which it is given, if that is not, or no longer, its own.
fn made_for(name: &str, case: Option<&Case>) -> String {
    match case {
        Some(Case::Task(words)) => format!("{name}, {words}"),
        Some(Case::Left(stance)) => format!("{name}, when for {stance}"),
        None => name.to_owned(),
    }
}
