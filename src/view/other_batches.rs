//! What other batches than the one that is told of left degraded, failed or unfinished, as far as it still is.

use serde_json::Value;

use super::app::App;
use super::idle::Idle;
use super::index::Index;
use super::needs::{LISTED, Needs, named_in, next_of, shown_for};
use crate::artifacts::batch::{BatchSummary, Cause};
use crate::event::Status;
use crate::store::batches;
use crate::store::live::{self, ShortId};
use crate::store::running_batches::RunningBatch;
use crate::store::state::RunState;
use crate::text::counts;

/// Commands that are told, with those of the last batch: older ones come up once these have been run.
const MOST_COMMANDS: usize = 4;

/// What a batch left unfinished.
struct Left<'b> {
    batch: &'b BatchSummary,
    debates: Vec<&'b str>,
}

impl Needs {
    /// The same with what other batches left than the runs in progress or, if there are none, what is told of the last one.
    pub(super) fn with_other_batches(
        mut self,
        app: &App,
        states: &[RunState],
        idle: &Idle,
    ) -> Self {
        let (batches, idle) = (&idle.batches, Some(idle).filter(|_| states.is_empty()));
        let last = idle.and_then(Idle::summary).map(|batch| batch.number);
        let is_told = |id: &str| {
            idle.is_some_and(|idle| idle.has_begun(id))
                || self.debates.iter().any(|told| told["id"] == id)
        };
        let mut left = unfinished(app, batches, states, is_told);
        left.retain(|it| Some(it.batch.number) != last);
        let unfinished: usize = left.iter().map(|it| it.debates.len()).sum();
        let told = idle.map_or_else(|| told_of_runs(states), Idle::told);
        self.earlier = counted(app, states, told, unfinished);
        if self.earlier.is_empty() {
            return self;
        }
        let room = LISTED.saturating_sub(self.debates.len());
        let listed: Vec<Value> = left.iter().flat_map(|it| it.shown(app)).take(room).collect();
        self.more += unfinished - listed.len();
        self.debates.extend(listed);
        for batch in batches {
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

impl Left<'_> {
    /// The debates whose causes it tells.
    fn shown(&self, app: &App) -> Vec<Value> {
        let causes = || self.batch.causes.iter().filter(|cause| cause.standing == "unfinished");
        let told = self.debates.iter().filter_map(|id| named_in(causes(), id));
        told.map(|it| shown_for(app, it)).collect()
    }
}

/// `From other batches: 2 degraded, 6 unfinished.`; empty if there is nothing.
fn counted(
    app: &App,
    states: &[RunState],
    [degraded, failed]: [usize; 2],
    unfinished: usize,
) -> String {
    // A run tells of a debate that has just ended a moment later.
    let open = states.iter().flat_map(|state| &state.open);
    let open: Vec<ShortId> = open.filter_map(|it| ShortId::parse(&it.id)).collect();
    let counted = app.index(|index| {
        let left = |status: Status, told: usize| {
            let ended = index.went_wrong().iter().filter(|row| !open.contains(&row.id));
            let word = status.word();
            let all = ended.filter(|row| row.status() == word).count();
            (all.saturating_sub(told), word)
        };
        let went_wrong = [left(Status::Degraded, degraded), left(Status::Failed, failed)];
        counts(&[went_wrong[0], went_wrong[1], (unfinished, "unfinished")])
    });
    if counted.is_empty() { counted } else { format!("From other batches: {counted}.") }
}

/// What batches left unfinished that is neither told, finished nor in progress.
fn unfinished<'b>(
    app: &App,
    batches: &'b [BatchSummary],
    states: &[RunState],
    is_told: impl Fn(&str) -> bool,
) -> Vec<Left<'b>> {
    let runs = RunningBatch::seen(&app.output).unwrap_or_default();
    let is_open = |id| ShortId::parse(id).is_some_and(|id| live::is_open(&app.output, &runs, &id));
    let all = batches::left(&app.output, batches, states, |id| app.row(id).is_some()).into_iter();
    let left = all.filter(|it| !it.batch.rehearsal).map(|it| {
        let left = it.begun.into_iter().chain(it.never_begun);
        let debates = left.filter(|id| !is_told(id) && !is_open(id)).collect();
        Left { batch: it.batch, debates }
    });
    left.filter(|it: &Left<'_>| !it.debates.is_empty()).collect()
}

/// How many degraded and failed debates the runs in progress tell of.
fn told_of_runs(states: &[RunState]) -> [usize; 2] {
    let counted = states.iter().filter(|state| !state.rehearsal).map(|it| it.debates);
    counted.fold([0, 0], |[degraded, failed], it| [degraded + it.degraded, failed + it.failed])
}

/// Whether a debate that a batch names is still as the batch left it.
fn is_left(index: &Index, summary: &BatchSummary) -> bool {
    let is_still = |cause: &Cause, id: &str| {
        let row = ShortId::parse(id).and_then(|id| index.get(&id));
        row.is_some_and(|row| row.status() == cause.standing)
    };
    let mut causes = summary.causes.iter();
    !summary.rehearsal && causes.any(|cause| cause.first.iter().any(|it| is_still(cause, &it.id)))
}
