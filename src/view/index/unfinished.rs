//! Debates that were begun and that no run has open, as rows of lists: from what their journals say first.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::Index;
use super::index_line::Line;
use super::interner::Interner;
use super::row::Row;
use crate::artifacts::listing::Side;
use crate::id::DebateId;
use crate::job::participant::Participant;
use crate::journal;
use crate::plan::Plan;
use crate::store::layout::OutputDir;
use crate::store::snapshot;
use crate::view::public;

impl Index {
    /// The rows of these unfinished debates, with why each is unfinished as far as that is known.
    pub(in crate::view) fn of_unfinished(
        output: &OutputDir,
        ids: &[DebateId],
        is_public: bool,
        cause: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let (mut all, mut words) = (Self::default(), Interner::default());
        for id in ids {
            let row = row(output, id, is_public, cause(id.short()), &mut words);
            row.into_iter().for_each(|row| all.add(row.into()));
        }
        all
    }
}

fn row(
    output: &OutputDir,
    id: &DebateId,
    is_public: bool,
    cause: Option<String>,
    words: &mut Interner,
) -> Option<Row> {
    let header = journal::header_of(&output.running_journal(id))?;
    output.home(&header)?;
    // One of another version has a row, too.
    let plan = snapshot::plan(output, &header).ok();
    let plan = plan.as_ref();
    let sides = plan.map(sides).unwrap_or_default();
    let line = Line {
        id: id.clone(),
        path: Cow::from(&header.directory),
        topic: plan.map_or(id.short(), |plan| &plan.topic).into(),
        outcome: None,
        cause,
        status: None,
        job: plan.map_or("", |plan| &plan.job).into(),
        rehearsal: plan.is_some_and(|plan| plan.rehearsal),
        format: plan.map_or("", |plan| plan.format.profile.name).into(),
        sides: Side::all(&sides),
        winner: None,
        margin: None,
        ended_at: Cow::default(),
        repetition: plan.map_or(0, |plan| plan.repetition),
        cell: plan.map(|plan| plan.cell.clone()),
    };
    Row::new(&public::listed(line, is_public), words)
}

/// The sides, as a finished debate tells of them.
fn sides(plan: &Plan) -> Value {
    let sides = plan.participants.iter().filter(|it| plan.side_of(&it.id).is_some());
    let side = |it: &Participant| json!({"id": it.id, "name": it.name, "models": [it.model]});
    sides.map(side).collect()
}
