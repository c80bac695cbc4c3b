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
use super::{lists, replacing, retry};
use crate::event::Status;
use crate::files::Held;
use crate::id::DebateId;
use crate::model::contexts::Contexts;
use crate::plan::Plan;
use crate::text;

/// How often the lists above the debates are rewritten during a batch.
const LISTS_EVERY: Duration = Duration::from_secs(600);
/// How many directories that cannot be read are named.
const UNREADABLE: usize = 10;
/// How often a batch looks for jobs that were added, and at debates that other processes run.
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
    /// Debates that another process finished in the meantime.
    pub shared: usize,
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
            Fate::Ran(End::Finished(status)) => {
                self.shared += 1;
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
    /// Where the output directory cannot be read or written, or is gone. What is wrong with one debate is that debate's fate.
    pub async fn run(
        &self,
        plans: impl Iterator<Item = Plan> + Send,
        mut added: impl FnMut() -> Added + Send,
        on_fate: OnFate<'_>,
    ) -> Result<Totals, StoreError> {
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
            looked: Instant::now(),
            on_fate,
            state: self.stage.output.hold()?,
            taken_up: false,
        };
        course.run(&mut added).await?;
        let unreadable = self.list();
        if !unreadable.is_empty() {
            let shown = text::some_of(&unreadable, UNREADABLE);
            (self.tell)(&format!(
                "not listed, since neither index.md nor trace.json can be read: {shown}"
            ));
        }
        Ok(course.totals)
    }

    /// Rewrites the lists; the directories that do not say what they are. What is wrong with the lists ends no debate;
    /// `rebut index` makes them anew at any time.
    fn list(&self) -> Vec<String> {
        match lists::rebuild(&self.stage.output, &self.stage.templates) {
            Ok(listed) => {
                let unreadable = listed.unreadable.iter();
                unreadable.map(|path| path.display().to_string()).collect()
            }
            Err(error) => {
                (self.tell)(&format!("the lists could not be written: {error}"));
                Vec::new()
            }
        }
    }

    /// Puts back what a replacement that was cut off left; to be called before anything else.
    pub fn put_back(&self) -> Result<(), StoreError> {
        for path in replacing::put_back(&self.stage.output, &self.stage.clock)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            (self.tell)(&format!("put back {name}: its replacement was cut off"));
        }
        Ok(())
    }

    /// Goes back in finished debates of these states (row J10b), in all before the first goes on, so that a run that is
    /// stopped in between goes on with the same command without `--retry`.
    pub fn reopen(
        &self,
        plans: impl Iterator<Item = Plan>,
        states: &[Status],
    ) -> Result<(), StoreError> {
        let output = &self.stage.output;
        let finished = Finished::of(output)?;
        let mut count = 0;
        for plan in plans {
            let Some(found) = finished
                .get(&plan.id)
                .filter(|f| states.contains(&f.status))
            else {
                continue;
            };
            // Who holds the claim is at work on it.
            let Ok(_claim) = output.claim(&plan.id, &self.stage.holder)? else {
                continue;
            };
            match retry::reopen(output, &plan.id, &found) {
                Ok(()) => count += 1,
                Err(error) => (self.tell)(&format!("{} is not retried: {error}", plan.short_id())),
            }
        }
        (self.tell)(&match count {
            0 => "there is nothing to retry".to_owned(),
            n => format!("going back in {}", text::count(n, "finished debate")),
        });
        Ok(())
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
    seen: HashSet<DebateId>,
    totals: Totals,
    listed: Instant,
    looked: Instant,
    on_fate: OnFate<'c>,
    /// Where all is written; without it nothing goes on.
    state: Held,
    /// Whether it was told that directories are made again from journals.
    taken_up: bool,
}

impl Course<'_> {
    async fn run(&mut self, added: &mut (dyn FnMut() -> Added + Send)) -> Result<(), StoreError> {
        loop {
            self.fill();
            let stopping = self.batch.stop.is_requested();
            let more = !stopping && self.look(added);
            if !self.later.is_empty() && self.has_room() {
                continue;
            }
            if self.open.is_empty() && (stopping || !more && self.elsewhere.is_empty()) {
                break;
            }
            self.wait().await;
            if !self.state.is_there() {
                let root = self.batch.stage.output.root();
                return Err(StoreError::Gone(root.to_path_buf()));
            }
        }
        for plan in std::mem::take(&mut self.elsewhere) {
            self.tell(&plan, &Fate::Ran(End::Stopped));
        }
        Ok(())
    }

    fn has_room(&self) -> bool {
        self.open.len() < self.batch.max_open && self.held.is_none()
    }

    /// Looks for jobs that were added, every so often and before the end; whether it is worth looking again.
    fn look(&mut self, added: &mut (dyn FnMut() -> Added + Send)) -> bool {
        if self.looked.elapsed() < LOOK_EVERY && !self.open.is_empty() {
            return true;
        }
        self.looked = Instant::now();
        let added = added();
        for plan in added.plans {
            if self.seen.insert(plan.id.clone()) {
                self.later.push_back(plan);
            } else {
                self.totals.repeated += 1;
            }
        }
        added.more
    }

    /// Waits until a debate ends or it is time to look around.
    async fn wait(&mut self) {
        let stop = self.batch.stop.clone();
        let idle = self.open.is_empty();
        tokio::select! {
            Some(joined) = self.open.join_next() => {
                // Where all is gone, that is told once and not debate by debate.
                if self.state.is_there() {
                    self.ended(joined);
                }
            }
            () = sleep(LOOK_EVERY) => self.later.extend(self.elsewhere.drain(..)),
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
            && !stage.output.running_journal(&plan.id).exists()
        {
            if !found.path.join("trace.json").is_file() {
                (self.batch.tell)(&format!(
                    "{} has no trace.json, so statistics leave it out; move the directory away and run the same command again: it is made anew from its journal",
                    found.path.display()
                ));
            }
            return Some(Fate::Skipped(found.status));
        }
        if self.batch.stop.is_requested() {
            return Some(Fate::Ran(End::Stopped));
        }
        (self.batch.given_up)().map(|cause| Fate::Ran(End::Parked(cause)))
    }

    fn begin(&mut self, plan: Plan, found: Option<Found>) {
        let kept = || self.batch.stage.output.finished_journal(&plan.id).exists();
        if found.is_none() && !self.taken_up && kept() {
            self.taken_up = true;
            (self.batch.tell)(&format!(
                "finished debates have lost their directories, such as {}; they are made anew from their journals, and nothing is asked (--restart asks anew)",
                plan.short_id()
            ));
        }
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
