//! What other batches than the one that is told of left degraded, failed or unfinished, as far as it still is.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::app::App;
use super::idle::Idle;
use super::index::Index;
use super::needs::{LISTED, Needs, next_of, shown};
use crate::artifacts::batch::{BatchSummary, Cause, DebateLink};
use crate::event::Status;
use crate::store::batches;
use crate::store::live::{self, ShortId};
use crate::store::running_batches::RunningBatch;
use crate::store::state::RunState;
use crate::text::counts;

/// Commands that are told, with those of the last batch: older ones come up once these have been run.
const MOST_COMMANDS: usize = 4;

/// A debate that a batch left unfinished, with why, and which batch that was.
struct Left<'b> {
    link: &'b DebateLink,
    cause: &'b Cause,
    batch: &'b BatchSummary,
}

impl Needs {
    /// The same with what other batches left than the runs in progress or, if there are none, what is told of the last one.
    pub(super) fn with_other_batches(
        mut self,
        app: &App,
        states: &[RunState],
        idle: Option<&Idle>,
    ) -> Self {
        let read = || Cow::Owned(batches::all(&app.output));
        let batches = idle.map_or_else(read, |idle| Cow::Borrowed(idle.batches.as_slice()));
        let told = idle.map_or_else(|| told_of_runs(states), Idle::told);
        let last = idle.and_then(Idle::summary).map(|batch| batch.number);
        let mut left = unfinished(app, &batches, states);
        left.retain(|it| Some(it.batch.number) != last);
        left.retain(|it| self.debates.iter().all(|told| told["id"] != it.link.id));
        self.earlier = counted(app, told, left.len());
        if self.earlier.is_empty() {
            return self;
        }
        let room = LISTED.saturating_sub(self.debates.len());
        self.more += left.len().saturating_sub(room);
        self.debates.extend(left.iter().take(room).map(|Left { link, cause, .. }| {
            shown(app, &link.id, &link.topic, &cause.standing, &cause.cause)
        }));
        for batch in batches.iter() {
            let has_left = left.iter().any(|it| it.batch == batch);
            let [next, does] = next_of(batch, !states.is_empty());
            let is_known = self.commands.iter().any(|[known, _]| *known == next);
            let has_room = self.commands.len() < MOST_COMMANDS;
            if has_room && !is_known && (has_left || app.index(|index| is_left(index, batch))) {
                self.commands.push([next, does]);
            }
        }
        self
    }
}

/// `From other batches: 2 degraded, 1 unfinished.`; empty if there is nothing.
fn counted(app: &App, told: [usize; 2], unfinished: usize) -> String {
    let counted = app.index(|index| {
        let left = |status: Status, told: usize| {
            let word = status.word();
            let all = index.went_wrong().iter().filter(|row| row.status() == word).count();
            (all.saturating_sub(told), word)
        };
        let [degraded, failed] = told;
        counts(&[
            left(Status::Degraded, degraded),
            left(Status::Failed, failed),
            (unfinished, "unfinished"),
        ])
    });
    if counted.is_empty() { counted } else { format!("From other batches: {counted}.") }
}

/// The debates that batches left unfinished, each as the newest of them tells of it, that are neither finished nor in progress. A
/// command that was run again since tells itself of what it left.
fn unfinished<'b>(app: &App, batches: &'b [BatchSummary], states: &[RunState]) -> Vec<Left<'b>> {
    let runs = RunningBatch::seen(&app.output).unwrap_or_default();
    let is_left = |id: &str| {
        let id = ShortId::parse(id);
        id.is_some_and(|id| {
            let is_open = live::is_open(&app.output, &runs, &id);
            !is_open && app.index(|index| index.get(&id).is_none())
        })
    };
    let mut since: BTreeSet<&str> = states.iter().map(|state| &*state.command).collect();
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    for batch in batches.iter().filter(|batch| !batch.is_of_rehearsals()) {
        let is_anew = since.contains(&*batch.next) || since.contains(&*batch.command);
        since.insert(&batch.command);
        for cause in batch.causes.iter().filter(|cause| cause.standing == "unfinished") {
            let named = cause.first.iter().filter(|link| seen.insert(&*link.id));
            let left = named.filter(|link| !is_anew && is_left(&link.id));
            found.extend(left.map(|link| Left { link, cause, batch }));
        }
    }
    found
}

/// How many degraded and failed debates the runs in progress tell of.
fn told_of_runs(states: &[RunState]) -> [usize; 2] {
    let counted = states.iter().filter(|state| !state.is_of_rehearsals()).map(|it| it.debates);
    counted.fold([0, 0], |[degraded, failed], it| [degraded + it.degraded, failed + it.failed])
}

/// Whether a debate that a batch names is still as the batch left it.
fn is_left(index: &Index, summary: &BatchSummary) -> bool {
    let is_still = |cause: &Cause, id: &str| {
        let row = ShortId::parse(id).and_then(|id| index.get(&id));
        row.is_some_and(|row| row.status() == cause.standing)
    };
    let mut causes = summary.causes.iter();
    !summary.is_of_rehearsals()
        && causes.any(|cause| cause.first.iter().any(|it| is_still(cause, &it.id)))
}
