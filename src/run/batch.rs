//! A batch: all debates that a command names, so many begun at a time.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::debate::{self, End, Stage};
use super::finished::Finished;
use super::gate::Tell;
use super::lists;
use super::stop::Stop;
use super::store;
use crate::event::Status;
use crate::plan::Plan;

/// How often the lists above the debates are rewritten during a batch.
const LISTS_EVERY: Duration = Duration::from_secs(600);

/// What became of one debate of the batch.
#[derive(Debug)]
pub enum Fate {
    /// It was finished before.
    Skipped(Status),
    /// It ran, as far as it came.
    Ran(End),
}

/// Hears of each debate as its fate is known.
pub type OnFate<'a> = &'a mut (dyn FnMut(&Plan, &Fate) + Send);

/// A batch's totals.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Totals {
    /// Debates that were finished before.
    pub skipped: usize,
    /// Debates that are done, skipped ones included.
    pub done: usize,
    /// Degraded ones, skipped ones included.
    pub degraded: usize,
    /// Failed ones, skipped ones included.
    pub failed: usize,
    /// Unfinished for a cause.
    pub parked: usize,
    /// Debates that another job of the command names too.
    pub repeated: usize,
    /// Unfinished because the run was stopped.
    pub stopped: usize,
}

impl Totals {
    fn count(&mut self, fate: &Fate) {
        match fate {
            Fate::Skipped(status) => {
                self.skipped += 1;
                self.finished(*status);
            }
            Fate::Ran(End::Published { status, .. }) => self.finished(*status),
            Fate::Ran(End::Parked(_)) => self.parked += 1,
            Fate::Ran(End::Stopped) => self.stopped += 1,
        }
    }

    fn finished(&mut self, status: Status) {
        match status {
            Status::Done => self.done += 1,
            Status::Degraded => self.degraded += 1,
            Status::Failed => self.failed += 1,
        }
    }

    /// Debates that are not finished.
    pub fn left(&self) -> usize {
        self.parked + self.stopped
    }

    /// Whether every debate is done.
    pub fn all_done(&self) -> bool {
        self.degraded + self.failed + self.left() == 0
    }
}

/// How a batch runs.
pub struct Batch {
    /// What its debates stand on.
    pub stage: Stage,
    /// Debates begun at a time.
    pub max_open: usize,
    /// Why no further debate is worth beginning, once that is so.
    pub given_up: Arc<dyn Fn() -> Option<String> + Send + Sync>,
    /// What the user is told.
    pub tell: Tell,
    /// Asks to stop.
    pub stop: Stop,
}

impl Batch {
    /// Runs the debates in order, each at most once.
    ///
    /// # Errors
    /// Where the output directory cannot be read or written. What is wrong with one debate is that debate's fate.
    pub async fn run(
        &self,
        plans: impl Iterator<Item = Plan>,
        on_fate: OnFate<'_>,
    ) -> Result<Totals, store::StoreError> {
        let finished = Finished::of(&self.stage.output)?;
        let mut totals = Totals::default();
        let mut seen: HashSet<String> = HashSet::new();
        let mut open: JoinSet<(Plan, End)> = JoinSet::new();
        let mut listed = Instant::now();
        for plan in plans {
            if !seen.insert(plan.id.clone()) {
                totals.repeated += 1;
                continue;
            }
            if let Some(fate) = self.settled(&finished, &plan) {
                tell(&plan, &fate, &mut totals, on_fate);
                continue;
            }
            while open.len() >= self.max_open.max(1) {
                take_one(&mut open, &mut totals, on_fate).await;
            }
            if listed.elapsed() > LISTS_EVERY {
                self.list();
                listed = Instant::now();
            }
            self.begin(&mut open, plan);
        }
        while !open.is_empty() {
            take_one(&mut open, &mut totals, on_fate).await;
        }
        self.list();
        Ok(totals)
    }

    /// Rewrites the lists. What is wrong with them ends no debate; `rebut index` makes them anew at any time.
    fn list(&self) {
        if let Err(error) = lists::rebuild(&self.stage.output, &self.stage.templates) {
            (self.tell)(&format!("the lists could not be written: {error}"));
        }
    }

    /// Sets finished and begun debates aside, all before the first begins, so that a run that is stopped in between goes
    /// on with the same command without `--restart`.
    pub fn set_aside(&self, plans: impl Iterator<Item = Plan>) -> Result<(), store::StoreError> {
        let finished = Finished::of(&self.stage.output)?;
        for plan in plans {
            let found = finished.get(&plan.id).map(|found| found.path);
            store::set_aside(
                &self.stage.output,
                &plan.id,
                found.as_ref(),
                &self.stage.clock,
            )?;
        }
        Ok(())
    }

    /// What is known of a debate without running it: it is finished, the run is stopping, or there is no server any more.
    fn settled(&self, finished: &Finished, plan: &Plan) -> Option<Fate> {
        if let Some(found) = finished.get(&plan.id) {
            let moved = store::finish_commit(&self.stage.output, &plan.id);
            return Some(match moved {
                Ok(()) => Fate::Skipped(found.status),
                Err(error) => Fate::Ran(End::Parked(error.to_string())),
            });
        }
        if self.stop.is_requested() {
            return Some(Fate::Ran(End::Stopped));
        }
        (self.given_up)().map(|cause| Fate::Ran(End::Parked(cause)))
    }

    fn begin(&self, open: &mut JoinSet<(Plan, End)>, plan: Plan) {
        let stage = self.stage.clone();
        open.spawn(async move {
            let end = debate::run(&stage, &plan).await;
            (plan, end)
        });
    }
}

async fn take_one(open: &mut JoinSet<(Plan, End)>, totals: &mut Totals, on_fate: OnFate<'_>) {
    match open.join_next().await {
        Some(Ok((plan, end))) => tell(&plan, &Fate::Ran(end), totals, on_fate),
        // `debate::run` catches panics, so a task ends only with its result.
        Some(Err(_)) => totals.parked += 1,
        None => {}
    }
}

fn tell(plan: &Plan, fate: &Fate, totals: &mut Totals, on_fate: OnFate<'_>) {
    totals.count(fate);
    on_fate(plan, fate);
}
