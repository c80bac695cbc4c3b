//! What judges see of a record: what both sides said, under neutral labels, with names masked.

use serde::Serialize;

use super::mask::{self, Mask};
use super::task::Task;
use crate::event::{Side, Sight, Statement};
use crate::job::panel::ViewKind;
use crate::verdict::record::side_of;
use crate::verdict::schedule::draw;

/// The record as it is shown in any order.
pub(super) struct Sighted {
    kind: ViewKind,
    /// What the sides are called, in the order of a reading.
    pub(super) labels: [String; 2],
    omitted: Vec<u32>,
    masked: u32,
}

/// A side as a reading's task shows it.
#[derive(Debug, Serialize)]
pub(super) struct ShownSide {
    pub(super) label: String,
    position: String,
}

/// A statement as a reading's task shows it.
#[derive(Debug, Serialize)]
pub(super) struct ShownStatement {
    label: String,
    place: String,
    pub(super) text: String,
}

impl Sighted {
    pub(super) fn new(task: &Task) -> Self {
        let trace = &task.trace;
        let texts = trace.statements.iter().map(|s| s.text.as_str());
        let texts = texts.chain([trace.question()]);
        let labels = mask::labels(draw(&trace.id, "labels"), texts);
        let omitted = trace.statements.iter().filter(|s| !is_shown(task, s));
        let mut sighted = Self {
            kind: task.panel.settings.view,
            omitted: omitted.map(|s| s.n).collect(),
            masked: 0,
            labels,
        };
        let mask = sighted.mask(task, Side::BOTH);
        let shown = trace.statements.iter().filter(|s| is_shown(task, s));
        sighted.masked = shown.map(|s| mask.apply(&s.text).1).sum();
        sighted
    }

    /// What is told of it in the verdict.
    pub(super) fn sight(&self) -> Sight {
        Sight {
            kind: self.kind,
            masked: self.masked,
            omitted: self.omitted.clone(),
        }
    }

    fn mask(&self, task: &Task, order: [Side; 2]) -> Mask {
        let whose = |side| task.participant(side).to_owned();
        Mask::of(&task.trace, &mask::given(order, &self.labels, whose))
    }

    /// The sides in the order of a reading.
    pub(super) fn sides(&self, task: &Task, order: [Side; 2]) -> [ShownSide; 2] {
        let mask = self.mask(task, order);
        let shown = |at: usize| {
            let id = task.participant(order[at]);
            let mut people = task.trace.participants.iter();
            let person = people.find(|p| side_of(&task.trace, &p.id) == id);
            let position = person.map_or("", |person| person.position.as_str());
            ShownSide {
                label: self.labels[at].clone(),
                position: mask.apply(position).0,
            }
        };
        [shown(0), shown(1)]
    }

    /// What was said, as a reading shows it.
    pub(super) fn record(&self, task: &Task, order: [Side; 2]) -> Vec<ShownStatement> {
        let mask = self.mask(task, order);
        let place_of = |s: &Statement| {
            let side = side_of(&task.trace, &s.by);
            order
                .iter()
                .position(|it| task.participant(*it) == side)
                .unwrap_or(0)
        };
        let shown = task.trace.statements.iter().filter(|s| is_shown(task, s));
        let mut shown: Vec<(usize, &Statement)> = shown.map(|s| (place_of(s), s)).collect();
        if self.kind == ViewKind::Dossier {
            shown.sort_by_key(|(at, _)| *at);
        }
        let statement = |(at, s): (usize, &Statement)| ShownStatement {
            label: self.labels[at].clone(),
            place: place(s),
            text: mask.apply(&s.text).0,
        };
        shown.into_iter().map(statement).collect()
    }

    /// Whether it was shown as it was said.
    pub(super) fn is_chronological(&self) -> bool {
        self.kind == ViewKind::Chronological
    }
}

/// Whether judges see a statement: what a side's model said. What others said of it may hold judgments, and an emergency reply is
/// no argument.
fn is_shown(task: &Task, statement: &Statement) -> bool {
    let side = side_of(&task.trace, &statement.by);
    statement.is_by_a_model() && task.side(side).is_some()
}

/// Where a statement stands: `round 2, rebuttal`, or without a round `opening`.
fn place(said: &Statement) -> String {
    let phase = said.phase.replace('_', " ");
    match said.round {
        0 => phase,
        round => format!("round {round}, {phase}"),
    }
}
