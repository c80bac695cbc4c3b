//! A batch on its way: which debate is begun when, and which has to wait.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::time::Duration;

use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep};

use super::batch::{Added, Batch, Fate, OnFate, Totals};
use super::debate::{self, End};
use crate::files::OpenPath;
use crate::id::DebateId;
use crate::plan::Plan;
use crate::servers::{Outlook, ServerPool};
use crate::store::error::StoreError;
use crate::store::finished::{Finished, Found};
use crate::store::load;

/// How often the lists above the debates are rewritten during a batch.
const LISTS_EVERY: Duration = Duration::from_secs(600);
/// How often a batch looks for jobs that were added, and at debates that other processes run.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Debates that may be set back at a time, until a server comes back that they need.
const MOST_SET_BACK: usize = 5_000;

/// Which of the debates one is that may be begun next.
#[derive(Clone, Copy)]
enum Turn {
    Usual,
    /// It was set back, and there is no other.
    Last,
}

/// What becomes of a debate whose turn it is.
enum Step {
    Settled(Fate),
    SetBack,
    Held,
    Begins,
}

/// A batch on its way.
pub(super) struct Course<'c> {
    batch: &'c Batch,
    plans: Box<dyn Iterator<Item = Plan> + Send + 'c>,
    /// Debates of jobs that were added.
    later: VecDeque<Plan>,
    /// The next debate, which wants a model with more context than it is loaded with: first all others end.
    held: Option<Plan>,
    /// Debates that only servers could serve which are not there.
    set_back: SetBack,
    /// Since when this machine is short of files, and no further debate is begun.
    short: Option<Instant>,
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
    state: OpenPath,
    /// Whether it was told that directories are made again from journals.
    taken_up: bool,
}

/// The models that the participants of a debate speak through.
type Models = BTreeSet<String>;

fn models_of(plan: &Plan) -> Models {
    plan.participants
        .iter()
        .map(|it| it.model.clone())
        .collect()
}

fn outlook(pool: Option<&ServerPool>, models: &Models) -> Outlook {
    let names = models.iter().map(String::as_str);
    pool.map_or(Outlook::Served, |pool| pool.outlook(names))
}

/// Debates that were set back, by their models: whether they can be served follows from these.
#[derive(Default)]
struct SetBack {
    by_models: BTreeMap<Models, VecDeque<Plan>>,
    count: usize,
}

impl SetBack {
    fn len(&self) -> usize {
        self.count
    }

    fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn add(&mut self, plan: Plan) {
        self.count += 1;
        let alike = self.by_models.entry(models_of(&plan)).or_default();
        alike.push_back(plan);
    }

    /// The longest waiting of those whose models are so.
    fn first_where(&mut self, are_so: impl Fn(&Models) -> bool) -> Option<Plan> {
        let models = self.by_models.keys().find(|models| are_so(models))?.clone();
        let alike = self.by_models.get_mut(&models)?;
        let plan = alike.pop_front();
        if alike.is_empty() {
            self.by_models.remove(&models);
        }
        self.count -= usize::from(plan.is_some());
        plan
    }
}

impl<'c> Course<'c> {
    pub(super) fn new(
        batch: &'c Batch,
        plans: Box<dyn Iterator<Item = Plan> + Send + 'c>,
        finished: Finished,
        state: OpenPath,
        on_fate: OnFate<'c>,
    ) -> Self {
        Self {
            batch,
            plans,
            later: VecDeque::new(),
            held: None,
            set_back: SetBack::default(),
            short: None,
            elsewhere: Vec::new(),
            holders: BTreeSet::new(),
            open: JoinSet::new(),
            finished,
            seen: HashSet::new(),
            totals: Totals::default(),
            listed: Instant::now(),
            looked: Instant::now(),
            on_fate,
            state,
            taken_up: false,
        }
    }

    pub(super) fn totals(&self) -> Totals {
        self.totals
    }

    pub(super) async fn run(
        &mut self,
        added: &mut (dyn FnMut() -> Added + Send),
    ) -> Result<(), StoreError> {
        loop {
            self.fill();
            self.update_pool();
            let stopping = self.batch.stop.is_requested();
            let more = !stopping && self.look(added);
            if !self.later.is_empty() && self.takes_more() {
                continue;
            }
            if self.open.is_empty() && (stopping || !more && self.is_done()) {
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

    /// Whether nothing is left to begin, here or elsewhere.
    fn is_done(&self) -> bool {
        self.later.is_empty() && self.set_back.is_empty() && self.elsewhere.is_empty()
    }

    /// Whether a debate that was added could be begun, or set back.
    fn takes_more(&self) -> bool {
        self.has_room() && self.held.is_none() && self.set_back.len() < MOST_SET_BACK
    }

    /// Whether another debate may be begun: there are places and files, and a server that is not waited for by those that
    /// are open.
    fn has_room(&self) -> bool {
        let open = self.open.len();
        let busy = open.saturating_sub(self.stuck());
        let nobody = open > 0 && self.pool().is_some_and(ServerPool::is_out);
        busy < self.batch.max_open.max(1)
            && open < self.batch.most_open.max(1)
            && !nobody
            && !self.is_short()
    }

    /// Whether files were too few a moment ago.
    fn is_short(&self) -> bool {
        let lately = self.short.is_some_and(|at| at.elapsed() < LOOK_EVERY);
        lately && !self.batch.stop.is_requested()
    }

    fn pool(&self) -> Option<&ServerPool> {
        self.batch.stage.servers.as_deref()
    }

    /// Debates that are open and can do nothing but wait for servers which are not there.
    fn stuck(&self) -> usize {
        self.pool().map_or(0, ServerPool::stuck)
    }

    /// Tells the pool whether anything else goes on.
    fn update_pool(&self) {
        if let Some(pool) = self.pool() {
            pool.set_idle(self.open.len() <= self.stuck());
        }
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
        while self.has_room() {
            let Some((plan, turn)) = self.next() else {
                return;
            };
            let found = self.finished.get(&plan.id);
            match self.step(&plan, found.as_ref(), turn) {
                Step::Settled(fate) => self.tell(&plan, &fate),
                Step::SetBack => self.set_back.add(plan),
                Step::Held => {
                    self.held = Some(plan);
                    return;
                }
                Step::Begins => {
                    self.batch.contexts.want(plan.contexts());
                    self.begin(plan, found);
                }
            }
        }
    }

    fn next(&mut self) -> Option<(Plan, Turn)> {
        if let Some(held) = self.held.take() {
            return Some((held, Turn::Usual));
        }
        let pool = self.batch.stage.servers.as_deref();
        let served = |models: &Models| outlook(pool, models) == Outlook::Served;
        if let Some(plan) = self.set_back.first_where(served) {
            return Some((plan, Turn::Usual));
        }
        if self.set_back.len() < MOST_SET_BACK
            && let Some(plan) = self.fresh()
        {
            return Some((plan, Turn::Usual));
        }
        let anyway = self.open.is_empty() || self.batch.stop.is_requested();
        let last = anyway
            .then(|| self.set_back.first_where(|_| true))
            .flatten();
        last.map(|plan| (plan, Turn::Last))
    }

    /// The next debate that was not looked at yet.
    fn fresh(&mut self) -> Option<Plan> {
        for plan in self.plans.by_ref() {
            if self.seen.insert(plan.id.clone()) {
                return Some(plan);
            }
            self.totals.repeated += 1;
        }
        self.later.pop_front()
    }

    /// What becomes of a debate now, by what is known without running it.
    fn step(&self, plan: &Plan, found: Option<&Found>, turn: Turn) -> Step {
        let begun = self.batch.stage.output.running_journal(&plan.id).exists();
        if let Some(found) = found.filter(|_| !begun) {
            self.tell_traceless(found);
            return Step::Settled(Fate::Skipped(found.status));
        }
        let left = match begun {
            true => Fate::Ran(End::Stopped),
            false => Fate::NotBegun,
        };
        if self.batch.stop.is_requested() {
            return Step::Settled(left);
        }
        match (outlook(self.pool(), &models_of(plan)), turn) {
            (Outlook::Served, _) => {}
            // Somebody has to ask whether its servers are back.
            (Outlook::Awaited, _) if self.open.is_empty() => {}
            (Outlook::GivenUp, Turn::Last) => return Step::Settled(left),
            _ => return Step::SetBack,
        }
        // Those that can only wait for a server have nothing loaded that could be loaded anew.
        let at_work = self.open.len() > self.stuck();
        if !self.batch.contexts.suffice(plan.contexts()) && at_work {
            return Step::Held;
        }
        Step::Begins
    }

    /// Tells of a finished debate that nothing can be counted of.
    fn tell_traceless(&self, found: &Found) {
        if !found.path.join("trace.json").is_file() {
            (self.batch.tell)(&format!(
                "{} has no trace.json, so statistics leave it out; move the directory away and run the same command again: it is made anew from its journal",
                found.path.display()
            ));
        }
    }

    fn begin(&mut self, plan: Plan, found: Option<Found>) {
        if found.is_none() && !self.taken_up && self.has_lost_its_directory(&plan) {
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

    /// Whether a debate was finished and its directory is gone. Another process may have finished it since this one looked.
    fn has_lost_its_directory(&self, plan: &Plan) -> bool {
        let output = &self.batch.stage.output;
        let is_there = || load::finished_since(output, &plan.id).is_ok_and(|found| found.is_some());
        output.finished_journal(&plan.id).exists() && !is_there()
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
            Ok((plan, End::Short(cause))) => {
                if self.short.is_none() {
                    (self.batch.tell)(&format!(
                        "{cause}; debates wait for that: raise the limit (`ulimit -n`), or lower --max-open"
                    ));
                }
                self.short = Some(Instant::now());
                self.later.push_front(plan);
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
