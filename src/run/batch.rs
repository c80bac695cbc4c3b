//! A batch: all debates that a command names, so many begun at a time.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep};

use super::debate::{self, End, Stage};
use super::finished::{Finished, Found};
use super::gate::Tell;
use super::stop::Stop;
use super::store::{self, StoreError};
use super::{lists, replacing};
use crate::event::Status;
use crate::model::contexts::Contexts;
use crate::plan::Plan;

/// How often the lists above the debates are rewritten during a batch.
const LISTS_EVERY: Duration = Duration::from_secs(600);
/// How often a batch with room for more looks for jobs that were added, and at debates that other processes run.
const LOOK_EVERY: Duration = Duration::from_secs(1);

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

/// What was added to a batch since it was last asked for.
#[derive(Debug, Default)]
pub struct Added {
    /// The debates of jobs that were added.
    pub plans: Vec<Plan>,
    /// Whether there is a job file that may still be being written: it is worth looking again.
    pub more: bool,
}

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
            Fate::Ran(End::Published { status, .. } | End::Finished(status)) => {
                self.finished(*status);
            }
            Fate::Ran(End::Parked(_)) => self.parked += 1,
            Fate::Ran(End::Stopped | End::Elsewhere(_)) => self.stopped += 1,
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
    /// With how much context models are loaded.
    pub contexts: Contexts,
    /// Why no further debate is worth beginning, once that is so.
    pub given_up: Arc<dyn Fn() -> Option<String> + Send + Sync>,
    /// What the user is told.
    pub tell: Tell,
    /// Asks to stop.
    pub stop: Stop,
}

impl Batch {
    /// Runs the debates in order, each at most once, then those that `added` brings in.
    ///
    /// # Errors
    /// Where the output directory cannot be read or written. What is wrong with one debate is that debate's fate.
    pub async fn run(
        &self,
        plans: impl Iterator<Item = Plan> + Send,
        mut added: impl FnMut() -> Added + Send,
        on_fate: OnFate<'_>,
    ) -> Result<Totals, StoreError> {
        for path in replacing::put_back(&self.stage.output, &self.stage.clock)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            (self.tell)(&format!("put back {name}: its replacement was cut off"));
        }
        let mut course = Course {
            batch: self,
            plans: Box::new(plans),
            later: VecDeque::new(),
            held: None,
            elsewhere: Vec::new(),
            holders: BTreeSet::new(),
            open: JoinSet::new(),
            finished: Finished::of(&self.stage.output)?,
            seen: HashSet::new(),
            totals: Totals::default(),
            listed: Instant::now(),
            on_fate,
        };
        course.run(&mut added).await;
        self.list();
        Ok(course.totals)
    }

    /// Rewrites the lists. What is wrong with them ends no debate; `rebut index` makes them anew at any time.
    fn list(&self) {
        if let Err(error) = lists::rebuild(&self.stage.output, &self.stage.templates) {
            (self.tell)(&format!("the lists could not be written: {error}"));
        }
    }

    /// Sets finished and begun debates aside, all before the first begins, so that a run that is stopped in between goes
    /// on with the same command without `--restart`.
    pub fn set_aside(&self, plans: impl Iterator<Item = Plan>) -> Result<(), StoreError> {
        let (output, clock) = (&self.stage.output, &self.stage.clock);
        let finished = Finished::of(output)?;
        for plan in plans {
            let found = finished.get(&plan.id).map(|found| found.path);
            let _claim = output
                .claim(&plan.id, &self.stage.holder)?
                .map_err(|holder| {
                    let id = plan.short_id().to_owned();
                    StoreError::Claimed { id, holder }
                })?;
            store::set_aside(output, &plan.id, found.as_ref(), clock)?;
        }
        Ok(())
    }
}

/// A batch on its way.
struct Course<'c> {
    batch: &'c Batch,
    plans: Box<dyn Iterator<Item = Plan> + Send + 'c>,
    /// Debates of jobs that were added.
    later: VecDeque<Plan>,
    /// The next debate, which wants a model with more context than it is loaded with: first all others end.
    held: Option<Plan>,
    /// Debates that other processes run, and who was told of.
    elsewhere: Vec<Plan>,
    holders: BTreeSet<String>,
    open: JoinSet<(Plan, End)>,
    finished: Finished,
    seen: HashSet<String>,
    totals: Totals,
    listed: Instant,
    on_fate: OnFate<'c>,
}

impl Course<'_> {
    async fn run(&mut self, added: &mut (dyn FnMut() -> Added + Send)) {
        loop {
            self.fill();
            let has_room = self.open.len() < self.batch.max_open && self.held.is_none();
            let stopping = self.batch.stop.is_requested();
            let mut more = false;
            if has_room && !stopping {
                let added = added();
                more = added.more;
                if self.take_in(added.plans) {
                    continue;
                }
            }
            if self.open.is_empty() && (stopping || !more && self.elsewhere.is_empty()) {
                break;
            }
            self.wait(has_room).await;
        }
        for plan in std::mem::take(&mut self.elsewhere) {
            self.tell(&plan, &Fate::Ran(End::Stopped));
        }
    }

    /// Waits until a debate ends or, with room for more, until it is time to look for it.
    async fn wait(&mut self, has_room: bool) {
        let stop = self.batch.stop.clone();
        let idle = self.open.is_empty();
        tokio::select! {
            Some(joined) = self.open.join_next() => self.ended(joined),
            () = sleep(LOOK_EVERY), if has_room => self.later.extend(self.elsewhere.drain(..)),
            () = stop.requested(), if idle => {}
        }
        if self.listed.elapsed() > LISTS_EVERY {
            self.batch.list();
            self.listed = Instant::now();
        }
    }

    /// Begins as many debates as there is room for.
    fn fill(&mut self) {
        while self.open.len() < self.batch.max_open.max(1) {
            let Some(plan) = self.next() else {
                return;
            };
            let found = self.finished.get(&plan.id);
            if let Some(fate) = self.settled(&plan, found.as_ref()) {
                self.tell(&plan, &fate);
            } else if !self.batch.contexts.suffice(plan.contexts()) && !self.open.is_empty() {
                self.held = Some(plan);
                return;
            } else {
                self.batch.contexts.want(plan.contexts());
                self.begin(plan, found);
            }
        }
    }

    /// Puts debates that were added in line; whether any is new.
    fn take_in(&mut self, plans: Vec<Plan>) -> bool {
        let before = self.later.len();
        for plan in plans {
            if self.seen.insert(plan.id.clone()) {
                self.later.push_back(plan);
            } else {
                self.totals.repeated += 1;
            }
        }
        self.later.len() > before
    }

    fn next(&mut self) -> Option<Plan> {
        if let Some(held) = self.held.take() {
            return Some(held);
        }
        for plan in self.plans.by_ref() {
            if self.seen.insert(plan.id.clone()) {
                return Some(plan);
            }
            self.totals.repeated += 1;
        }
        self.later.pop_front()
    }

    /// What is known of a debate without running it: it is finished, the run is stopping, or there is no server any more.
    fn settled(&self, plan: &Plan, found: Option<&Found>) -> Option<Fate> {
        let stage = &self.batch.stage;
        if let Some(found) = found
            && !stage.retry.contains(&found.status)
            && !stage.output.running_journal(&plan.id).exists()
        {
            return Some(Fate::Skipped(found.status));
        }
        if self.batch.stop.is_requested() {
            return Some(Fate::Ran(End::Stopped));
        }
        (self.batch.given_up)().map(|cause| Fate::Ran(End::Parked(cause)))
    }

    fn begin(&mut self, plan: Plan, found: Option<Found>) {
        let stage = self.batch.stage.clone();
        self.open.spawn(async move {
            let end = debate::run(&stage, &plan, found).await;
            (plan, end)
        });
    }

    fn ended(&mut self, joined: Result<(Plan, End), JoinError>) {
        match joined {
            Ok((plan, End::Elsewhere(holder))) => {
                if self.holders.insert(holder.clone()) {
                    (self.batch.tell)(&format!(
                        "another rebut ({holder}) runs some of these debates, such as {}; they are waited for",
                        plan.short_id()
                    ));
                }
                self.elsewhere.push(plan);
            }
            Ok((plan, End::Finished(status))) => self.tell(&plan, &Fate::Skipped(status)),
            Ok((plan, end)) => self.tell(&plan, &Fate::Ran(end)),
            // `debate::run` catches panics, so a task ends only with its result.
            Err(_) => self.totals.parked += 1,
        }
    }

    fn tell(&mut self, plan: &Plan, fate: &Fate) {
        self.totals.count(fate);
        (self.on_fate)(plan, fate);
    }
}
