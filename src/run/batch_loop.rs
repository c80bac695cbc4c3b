//! When each debate of a batch starts, and which debates have to wait.

mod next_step;

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep_until};

use super::admission::Admission;
use super::batch::{Added, Batch, OnEnd};
use super::batch_totals::Totals;
use super::controls::{self, Controls};
use super::debate::{self, End, RunContext};
use super::deferred::{Models, outlook};
use super::machine_shortage::Room;
use super::panel_judging::{self, Judged};
use super::passed_over::{MakePlans, Plans};
use super::queue::Queue;
use super::step::Step;
use super::stop_requests::StopRequests;
use crate::files::OpenPath;
use crate::plan::Plan;
use crate::servers::{Outlook, ServerPool};
use crate::stop::MAX_TOKENS;
use crate::store::error::{Result, StoreError};
use crate::store::finished::{FinishedDebate, FinishedDebates};
use crate::store::resume;
use crate::text;

/// Interval at which the lists of debates are rewritten during a batch.
const LISTS_EVERY: Duration = Duration::from_secs(600);
/// Interval at which a batch checks for added jobs, and on debates that other processes run.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Maximum unreadable directories named.
const MAX_NAMED: usize = 10;

/// A debate, how it ended, and how the judging by its panel ended, if it has one.
type Ended = (Plan, End, Option<Judged>);

struct BatchLoop<'c> {
    batch: &'c Batch,
    queue: Queue<'c>,
    room: Room<'c>,
    controls: Controls<'c>,
    reported_holders: BTreeSet<String>,
    open: JoinSet<Ended>,
    finished: FinishedDebates,
    admission: Admission<'c>,
    stop_requests: StopRequests<'c>,
    totals: Totals,
    listed: Instant,
    looked: Instant,
    looked_elsewhere: Instant,
    on_end: OnEnd<'c>,
    /// The working state. The batch ends if it is gone.
    state: OpenPath,
    reported_rebuild: bool,
}

impl Batch {
    /// Runs the debates of these plans in order, each at most once, then those that `added` brings in. The plans are made again if
    /// there are too many to keep those that wait for a server.
    ///
    /// # Errors
    /// If the output directory can't be read or written, or is gone. Errors of a single debate are that debate's end.
    pub(crate) async fn run<P: Iterator<Item = Plan> + Send>(
        &self,
        plans: impl Fn() -> P + Send,
        mut added: impl FnMut() -> Added + Send,
        on_end: OnEnd<'_>,
    ) -> Result<Totals> {
        let plans = Box::new(move || Box::new(plans()) as Plans<'_>);
        let mut batch_loop = BatchLoop::new(self, plans, on_end)?;
        batch_loop.run(&mut added).await?;
        let listed = self.list();
        batch_loop.totals.unwritten = listed.is_none();
        let listed = listed.unwrap_or_default();
        for (dirs, what) in [
            (&listed.unreadable, "not listed, because neither index.md nor trace.json is readable"),
            (&listed.copies, "listed twice, because these directories repeat debates from others"),
        ] {
            if !dirs.is_empty() {
                let dirs = dirs.iter().map(|dir| dir.display().to_string());
                (self.notify)(&format!("{what}: {}", text::some_of(dirs, MAX_NAMED)));
            }
        }
        batch_loop.controls.tell_rerun();
        batch_loop.totals.repeated = batch_loop.queue.repeated;
        Ok(batch_loop.totals)
    }
}

impl<'c> BatchLoop<'c> {
    fn new(batch: &'c Batch, plans: MakePlans<'c>, on_end: OnEnd<'c>) -> Result<Self> {
        Ok(Self {
            finished: FinishedDebates::list(&batch.context.output)?,
            state: batch.context.output.hold()?,
            admission: Admission::new(batch),
            stop_requests: StopRequests::new(batch),
            batch,
            queue: Queue::new(plans),
            room: Room::new(batch),
            controls: Controls::new(batch),
            reported_holders: BTreeSet::new(),
            open: JoinSet::new(),
            totals: Totals::default(),
            listed: Instant::now(),
            looked: Instant::now(),
            looked_elsewhere: Instant::now(),
            on_end,
            reported_rebuild: false,
        })
    }

    async fn run(&mut self, added: &mut (dyn FnMut() -> Added + Send)) -> Result<()> {
        loop {
            self.stop_requests.look(|target| self.queue.has(target));
            self.room.look().await;
            self.stop_early();
            self.fill();
            self.update_idle();
            let stopping = self.batch.stop.is_requested();
            let more = !stopping && self.look(added);
            if self.queue.has_later() && self.takes_more() {
                continue;
            }
            if self.open.is_empty() && (stopping || !more && self.queue.is_done()) {
                break;
            }
            self.wait().await;
            if !self.state.is_there() {
                let root = self.batch.context.output.root();
                return Err(StoreError::Gone(root.to_path_buf()));
            }
        }
        for (plan, end) in self.controls.end_unready(&self.finished) {
            self.end(&plan, &end);
        }
        for plan in self.queue.take_elsewhere() {
            self.end(&plan, &End::Stopped(self.batch.stop.by()));
        }
        Ok(())
    }

    /// Stops the open debates once the run has reached a limit.
    fn stop_early(&mut self) {
        let by = self.batch.stop.by();
        let is_due = !self.totals.early && by.is_none_or(|by| by == MAX_TOKENS);
        if is_due && let Some(limit) = self.admission.stops() {
            self.totals.early = true;
            self.totals.limit = Some(limit);
            self.batch.stop.request_once(limit);
        }
    }

    /// Whether an added debate could be begun or deferred.
    fn takes_more(&self) -> bool {
        self.has_room() && self.queue.takes_more()
    }

    /// Whether another debate may be begun: there is a place for it and, unless the user set the number, a slot that it would
    /// use.
    fn has_room(&self) -> bool {
        let is_wanted = self.is_wanted() || self.batch.max_debates.is_some();
        is_wanted && self.has_places()
    }

    /// Whether the servers want another debate. This also tells them whether more debates come.
    fn is_wanted(&self) -> bool {
        let is_chosen = self.batch.max_debates.is_some();
        let servers = self.servers();
        let is_served = |models: &Models| outlook(servers, models) == Outlook::Served;
        let has_more = self.has_places() && !is_chosen && self.queue.may_bring(is_served);
        let open = self.open.len();
        servers.is_none_or(|servers| servers.wanted(open, has_more) > 0)
    }

    /// Whether there are places and files for another debate. With every server out, only one may be open, to wait for them.
    fn has_places(&self) -> bool {
        let open = self.open.len();
        let busy = open.saturating_sub(self.stuck());
        let nobody = open > 0 && self.servers().is_some_and(ServerPool::is_out);
        busy < self.admission.places().max(1)
            && open < self.batch.max_open.max(1)
            && !nobody
            && self.room.is_there()
    }

    fn servers(&self) -> Option<&ServerPool> {
        self.batch.context.servers.as_deref()
    }

    /// Open debates that can do nothing but wait for servers that are down.
    fn stuck(&self) -> usize {
        self.servers().map_or(0, ServerPool::stuck)
    }

    /// Tells the server pool whether every open debate is waiting for servers that are down.
    fn update_idle(&self) {
        if let Some(servers) = self.servers() {
            servers.set_idle(self.open.len() <= self.stuck());
        }
    }

    /// Looks for added jobs, at intervals and before the end; returns whether another look is worthwhile.
    fn look(&mut self, added: &mut (dyn FnMut() -> Added + Send)) -> bool {
        if self.looked.elapsed() < LOOK_EVERY && !self.open.is_empty() {
            return true;
        }
        self.looked = Instant::now();
        let added = added();
        added.plans.into_iter().for_each(|plan| self.queue.add(plan));
        added.more
    }

    /// Waits until a debate ends or it is time to check again.
    async fn wait(&mut self) {
        let stop = self.batch.stop.clone();
        let idle = self.open.is_empty();
        tokio::select! {
            Some(joined) = self.open.join_next() => {
                // If everything is gone, that is reported once rather than per debate.
                if self.state.is_there() {
                    self.ended(joined);
                }
            }
            () = ServerPool::wanting(self.batch.context.servers.as_deref()) => {}
            // A time rather than a pause, which every other event would begin anew.
            () = sleep_until(self.looked_elsewhere + LOOK_EVERY) => {
                self.queue.look_elsewhere();
                self.looked_elsewhere = Instant::now();
            }
            () = stop.requested(), if idle => {}
        }
        if self.listed.elapsed() > LISTS_EVERY {
            self.batch.list();
            self.listed = Instant::now();
        }
    }

    /// Begins as many debates as there is room for.
    fn fill(&mut self) {
        if self.open.is_empty() || self.batch.stop.is_requested() {
            self.queue.look_at_passed();
        }
        while self.has_room() {
            let anyway = self.open.is_empty() || self.batch.stop.is_requested();
            let servers = self.batch.context.servers.as_deref();
            let is_served = |models: &Models| outlook(servers, models) == Outlook::Served;
            let Some((plan, reason)) = self.queue.next(is_served, anyway) else {
                self.is_wanted();
                return;
            };
            let step = self.step(&plan, reason);
            match step.unwrap_or_else(|error| self.unknown(&plan, error)) {
                Step::Judge(found) => self.judge(plan, found),
                Step::Recheck(found) => self.recheck(plan, found),
                Step::End(end) => self.take_back(plan, end),
                Step::Defer => self.queue.defer(plan),
                Step::Await(debate) => self.controls.wait(debate, plan),
                Step::Pass if self.queue.may_pass() => self.queue.pass(plan),
                Step::Hold | Step::Pass => {
                    self.queue.hold(plan);
                    self.is_wanted();
                    return;
                }
                Step::Start(found) => {
                    self.want_contexts(&plan);
                    self.start(plan, found);
                }
            }
        }
    }

    /// If a debate wants more context of a model than the debates before it, makes the servers load the model again.
    fn want_contexts(&self, plan: &Plan) {
        let grown = self.batch.contexts.want(plan.contexts());
        if let Some(servers) = self.servers() {
            grown.iter().for_each(|model| servers.reload(model));
        }
    }

    fn recheck(&mut self, plan: Plan, found: FinishedDebate) {
        let context = self.context(&plan);
        self.open.spawn(async move {
            let path = found.path.clone();
            let end = controls::recheck(context.clone(), plan.clone(), found).await;
            let judged = match &end {
                End::Skipped(_) => panel_judging::by_panel(&context, &plan, &path).await,
                _ => None,
            };
            (plan, end, judged)
        });
    }

    fn start(&mut self, plan: Plan, found: Option<FinishedDebate>) {
        if found.is_none() && !self.reported_rebuild && self.has_lost_its_directory(&plan) {
            self.reported_rebuild = true;
            (self.batch.notify)(&format!(
                "directories of finished debates are missing (such as {}); rebuilding them from their journals without asking any model (--restart asks again)",
                plan.short_id()
            ));
        }
        let context = self.context(&plan);
        self.open.spawn(async move {
            let end = debate::run(&context, &plan, found).await;
            let judged = match &end {
                End::Committed { path, .. } => panel_judging::by_panel(&context, &plan, path).await,
                _ => None,
            };
            (plan, end, judged)
        });
    }

    /// Has the panel read a debate that was finished before.
    fn judge(&mut self, plan: Plan, found: FinishedDebate) {
        let context = self.context(&plan);
        self.open.spawn(async move {
            let judged = panel_judging::by_panel(&context, &plan, &found.path).await;
            (plan, End::Skipped(found.status), judged)
        });
    }

    /// The context of a debate that is opened, with a stop request of its own.
    fn context(&mut self, plan: &Plan) -> RunContext {
        RunContext { stop: self.stop_requests.began(plan), ..self.batch.context.clone() }
    }

    /// Notes how the judging by a panel ended.
    fn judged(&mut self, plan: &Plan, judged: Option<&Judged>) {
        let cause = match judged {
            Some(Judged::Parked(cause)) => cause.clone(),
            Some(Judged::Elsewhere(holder)) => format!("another rebut ({holder}) is working on it"),
            Some(Judged::Stopped) => return self.totals.unjudged += 1,
            _ => return,
        };
        self.totals.unjudged += 1;
        (self.batch.on_not_judged)(plan, &cause);
    }

    /// Whether a debate is finished but its directory is gone. Another process may have finished it since this one looked.
    fn has_lost_its_directory(&self, plan: &Plan) -> bool {
        let output = &self.batch.context.output;
        let is_there =
            || resume::finished_since(output, &plan.id).is_ok_and(|found| found.is_some());
        output.finished_journal(&plan.id).exists() && !is_there()
    }

    fn ended(&mut self, joined: Result<Ended, JoinError>) {
        // `debate::run` catches panics, so a task ends only with its result.
        let Ok((plan, end, judged)) = joined else {
            self.totals.ends.parked += 1;
            return;
        };
        self.judged(&plan, judged.as_ref());
        self.admission.ended(&plan.id, &end);
        if let End::Committed { path, .. } = &end {
            self.finished.add(path.clone());
            self.room.is_well();
        }
        self.queue.look_at_passed();
        self.stop_requests.ended(&plan.id);
        self.take_back(plan, end);
    }

    /// Queues a debate again that can begin later in this run; otherwise ends it.
    fn take_back(&mut self, plan: Plan, end: End) {
        match end {
            End::Elsewhere(holder) => {
                if self.reported_holders.insert(holder.clone()) {
                    (self.batch.notify)(&format!(
                        "another rebut ({holder}) is running some of these debates (such as {}); waiting for it",
                        plan.short_id()
                    ));
                }
                self.queue.set_aside(plan);
            }
            End::Short(cause) => {
                self.room.is_short(&cause);
                self.put_back(plan);
            }
            End::Full(cause) => {
                if self.room.is_full(&cause) {
                    self.put_back(plan);
                } else {
                    self.end(&plan, &End::Parked(cause));
                }
            }
            End::Stale => {
                self.controls.rerun += 1;
                self.queue.again(plan);
            }
            end => self.end(&plan, &end),
        }
    }

    /// Queues an open debate that cannot be written now.
    fn put_back(&mut self, plan: Plan) {
        (self.batch.on_put_back)(&plan.id);
        self.queue.again(plan);
    }

    fn end(&mut self, plan: &Plan, end: &End) {
        let elsewhere = self.elsewhere(plan, end);
        let end = elsewhere.as_ref().unwrap_or(end);
        self.queue.released(self.controls.unready.remove(&plan.id).unwrap_or_default());
        self.totals.ends.count(end);
        if let End::Committed { .. } | End::Skipped(_) | End::Finished(_) = end {
            self.totals.last = Some(plan.id.clone());
        }
        // Another server may still have the old weights.
        let is_outdated = matches!(end, End::Outdated(_));
        self.totals.outdated.extend(is_outdated.then(|| plan.id.clone()));
        (self.on_end)(plan, end);
    }

    /// The end of a debate that stopped before this run opened it, while another process runs it: this one did not leave it.
    fn elsewhere(&self, plan: &Plan, end: &End) -> Option<End> {
        let context = &self.batch.context;
        if !matches!(end, End::Stopped(_)) || context.earlier.has(&plan.id) {
            return None;
        }
        context.output.holder_of(&plan.id).ok()?.map(End::Elsewhere)
    }
}
