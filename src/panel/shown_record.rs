//! Judges' and people's view of a record: both sides' statements, with neutral labels and masked names.

use serde::Serialize;

use super::candidates::side_of;
use super::mask::{self, Mask};
use super::reading_order::draw;
use crate::event::{Candidate, Side, Sight, Statement};
use crate::job::panel::ViewKind;
use crate::text::answer_parts;
use crate::trace::Trace;

/// The record as it is shown in any order.
#[derive(Debug)]
pub struct ShownRecord<'t> {
    trace: &'t Trace,
    candidates: &'t [Candidate; 2],
    kind: ViewKind,
    /// What the sides are called, in the order of a reading.
    pub labels: [String; 2],
    omitted: Vec<u32>,
    masked: u32,
}

/// A side as a reading's task shows it.
#[derive(Debug, Serialize)]
pub struct ShownSide {
    /// What it is called.
    pub label: String,
    /// What it stands for, names masked.
    pub position: String,
}

/// A statement as a reading's task shows it.
#[derive(Debug, Serialize)]
pub struct ShownStatement {
    /// What whoever said it is called.
    pub label: String,
    /// Where it stands: `round 2, rebuttal`; empty for an answer, which it would tell from the other.
    pub place: String,
    /// What was said, names masked.
    pub text: String,
}

impl<'t> ShownRecord<'t> {
    /// A record with its two sides, laid out like this.
    pub fn new(trace: &'t Trace, candidates: &'t [Candidate; 2], kind: ViewKind) -> Self {
        let texts = trace.statements.iter().map(|s| s.text.as_str()).chain([trace.question()]);
        let labels = mask::labels(draw(&trace.id, "labels"), texts);
        let mut record = Self { trace, candidates, kind, labels, omitted: Vec::new(), masked: 0 };
        let (shown, omitted): (Vec<&Statement>, Vec<&Statement>) =
            trace.statements.iter().partition(|s| record.is_shown(s));
        let mask = record.mask(Side::BOTH);
        record.masked = shown.iter().map(|s| mask.apply(&record.text(s)).1).sum();
        record.omitted = omitted.iter().map(|s| s.n).collect();
        record
    }

    /// Whether two answers are shown instead of two sides of a debate.
    pub fn shows_answers(&self) -> bool {
        Candidate::are_answers(self.candidates)
    }

    /// What is told of it in the verdict.
    pub fn sight(&self) -> Sight {
        Sight {
            kind: if self.is_chronological() { ViewKind::Chronological } else { ViewKind::Dossier },
            masked: self.masked,
            omitted: self.omitted.clone(),
        }
    }

    /// The participant behind a key.
    fn participant(&self, side: Side) -> &'t str {
        &self.candidates[side as usize].participant
    }

    fn mask(&self, order: [Side; 2]) -> Mask {
        let whose = order.map(|side| self.participant(side));
        let labels: Vec<_> = whose.into_iter().zip(&self.labels).collect();
        Mask::of(self.trace, &labels)
    }

    /// The sides in the order of a reading.
    pub fn sides(&self, order: [Side; 2]) -> [ShownSide; 2] {
        let mask = self.mask(order);
        let shown = |at: usize| {
            let id = self.participant(order[at]);
            let person = self.trace.participants.iter().find(|p| side_of(self.trace, &p.id) == id);
            let argued = person.filter(|_| !self.shows_answers());
            let position = argued.map_or("", |person| person.position.as_str());
            ShownSide { label: self.labels[at].clone(), position: mask.apply(position).0 }
        };
        [shown(0), shown(1)]
    }

    /// What was said, as a reading shows it.
    pub fn record(&self, order: [Side; 2]) -> Vec<ShownStatement> {
        let mask = self.mask(order);
        let place_of = |s: &Statement| {
            let side = side_of(self.trace, &s.by);
            order.iter().position(|it| self.participant(*it) == side).unwrap_or(0)
        };
        let has_place = !self.shows_answers();
        let mut shown: Vec<(usize, &Statement)> = self
            .trace
            .statements
            .iter()
            .filter(|s| self.is_shown(s))
            .map(|s| (place_of(s), s))
            .collect();
        if !self.is_chronological() {
            shown.sort_by_key(|(at, _)| *at);
        }
        let statement = |(at, s): (usize, &Statement)| ShownStatement {
            label: self.labels[at].clone(),
            place: if has_place { s.place() } else { String::new() },
            text: mask.apply(&self.text(s)).0,
        };
        shown.into_iter().map(statement).collect()
    }

    /// Whether it was shown as it was said. Of two answers, the order would tell which is which.
    pub fn is_chronological(&self) -> bool {
        self.kind == ViewKind::Chronological && !self.shows_answers()
    }

    /// What was said; an answer without what would give it away.
    fn text(&self, statement: &Statement) -> String {
        if self.shows_answers() {
            answer_parts::plain(&statement.text)
        } else {
            statement.text.clone()
        }
    }

    /// Whether a statement is shown: what a side's model said. What others said of it may hold judgments, and an emergency reply is
    /// no argument.
    fn is_shown(&self, statement: &Statement) -> bool {
        if self.shows_answers() {
            return self.candidates.iter().any(|it| it.statement == Some(statement.n));
        }
        let side = side_of(self.trace, &statement.by);
        let mut all = self.candidates.iter();
        statement.is_by_a_model() && all.any(|it| it.participant == side)
    }
}
