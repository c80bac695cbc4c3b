//! A worker: takes one debate at a time for each that its servers want, and says that it is there.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::{Consumer, pull};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::error::Result;
use super::lease::{Ended, Held, Lease, Stage};
use super::models::Pulled;
use super::names::RunDebate;
use super::nats::{Nats, PRESENCE, fetch};
use super::pools::{self, Pool};
use super::presence::WorkerNote;
use super::runs;
use crate::id::{DebateId, RunName};
use crate::machine;
use crate::model::contexts::Contexts;
use crate::model::server::Server;
use crate::run::debate::RunContext;
use crate::servers::ServerPool;
use crate::shared::Shared;

/// How often a worker looks for debates, and for cancelled runs.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often it looks for pools, and for models that were pulled since.
const POOLS_EVERY: Duration = Duration::from_secs(10);
/// How often it says that it is there.
const SAY_EVERY: Duration = Duration::from_secs(15);
/// How long a debate is waited for that may be there.
const FETCH: Duration = Duration::from_secs(5);

/// A worker on one machine.
pub struct Worker {
    /// Where the debates are.
    pub nats: Nats,
    /// What they are run with; its stop is the worker's.
    pub context: RunContext,
    /// How much context models are loaded with.
    pub contexts: Contexts,
    /// The servers, asked for what they have pulled; none for rehearsals alone.
    pub servers: Vec<Arc<dyn Server>>,
    /// Debates in progress at a time, at most.
    pub most: usize,
    /// After how long without any debate it ends; `None` where it stays.
    pub leave_after: Option<Duration>,
}

/// Told of each debate as it leaves the worker's hands.
type OnEnd<'w> = &'w mut (dyn FnMut(&DebateId, &Ended) + Send);

/// A worker at work.
struct Shift<'w> {
    worker: &'w Worker,
    stage: Arc<Stage>,
    /// Where debates may come from that can run here, by the keys of their pools.
    pools: BTreeMap<String, Consumer<pull::Config>>,
    /// The pool that the last debate came from: its models are loaded.
    last_pool: Option<String>,
    open: JoinSet<(RunDebate, Ended)>,
    held: HashMap<RunDebate, Arc<Held>>,
    /// Whether nothing was there at the last look.
    is_dry: bool,
    busy_at: Instant,
    pools_at: Option<Instant>,
    said_at: Option<Instant>,
    on_end: OnEnd<'w>,
}

impl Worker {
    /// Works until it is to stop, or has had nothing to do for long enough.
    pub async fn run(&self, on_end: OnEnd<'_>) {
        let mut shift = Shift::new(self, on_end);
        while !shift.is_over() {
            // A server that is away is waited for; what is in our hands continues in the meantime.
            if let Err(error) = shift.look().await {
                self.nats.waits(&error);
            }
            if let Err(error) = shift.fill().await {
                self.nats.waits(&error);
            }
            shift.wait().await;
        }
        // A note that stays is forgotten by itself.
        let _ = timeout(FETCH, shift.note().leave(&self.nats)).await;
    }
}

impl<'w> Shift<'w> {
    fn new(worker: &'w Worker, on_end: OnEnd<'w>) -> Self {
        let stage = Stage {
            nats: worker.nats.clone(),
            context: worker.context.clone(),
            contexts: worker.contexts.clone(),
            pulled: Shared::default(),
            name: worker.nats.nonce(),
        };
        Self {
            worker,
            stage: Arc::new(stage),
            pools: BTreeMap::new(),
            last_pool: None,
            open: JoinSet::new(),
            held: HashMap::new(),
            is_dry: false,
            busy_at: Instant::now(),
            pools_at: None,
            said_at: None,
            on_end,
        }
    }

    fn is_stopping(&self) -> bool {
        self.worker.context.stop.is_requested()
    }

    fn is_over(&self) -> bool {
        let is_idle = |after: Duration| self.busy_at.elapsed() >= after;
        let leaves = self.worker.leave_after.is_some_and(is_idle);
        self.open.is_empty() && (self.is_stopping() || leaves)
    }

    /// Looks for what changes seldom.
    async fn look(&mut self) -> Result<()> {
        if self.is_stopping() {
            return Ok(());
        }
        if is_due(self.pools_at, POOLS_EVERY) {
            self.look_for_pools().await?;
            self.pools_at = Some(Instant::now());
        }
        if is_due(self.said_at, SAY_EVERY.min(PRESENCE / 4)) {
            self.note().announce(&self.worker.nats).await?;
            self.said_at = Some(Instant::now());
        }
        self.look_for_cancelled().await
    }

    async fn look_for_pools(&mut self) -> Result<()> {
        let pulled = Pulled::ask(&self.worker.servers).await;
        let mut fitting = pools::all(&self.worker.nats).await?;
        fitting.retain(|pool| pulled.serves(pool));
        let keys: Vec<String> = fitting.iter().map(Pool::key).collect();
        self.pools.retain(|key, _| keys.contains(key));
        *self.stage.pulled.lock() = pulled;
        for pool in fitting {
            let consumer = pool.consumer(&self.worker.nats).await?;
            self.pools.insert(pool.key(), consumer);
        }
        Ok(())
    }

    async fn look_for_cancelled(&self) -> Result<()> {
        let runs: BTreeSet<&RunName> = self.held.keys().map(|debate| &debate.run).collect();
        for run in runs {
            if runs::is_cancelled(&self.worker.nats, run).await? {
                let its = self.held.iter().filter(|(debate, _)| debate.run == *run);
                its.for_each(|(_, held)| held.cancel());
            }
        }
        Ok(())
    }

    fn note(&self) -> WorkerNote {
        WorkerNote {
            name: self.stage.name.clone(),
            host: machine::host_name(),
            process: std::process::id(),
            rebut: env!("CARGO_PKG_VERSION").to_owned(),
            models: self.stage.pulled.lock().names(),
            open: self.open.len(),
        }
    }

    /// Takes as many debates as there is room for.
    async fn fill(&mut self) -> Result<()> {
        while self.has_room() {
            let found = self.next().await?;
            self.is_dry = found.is_none();
            let Some((message, beat)) = found else { break };
            self.busy_at = Instant::now();
            self.take(message, beat);
        }
        Ok(())
    }

    fn servers(&self) -> Option<&Arc<ServerPool>> {
        self.worker.context.servers.as_ref()
    }

    fn has_room(&self) -> bool {
        let open = self.open.len();
        let may_begin = open < self.worker.most.max(1) && !self.is_stopping();
        let has_more = may_begin && !self.is_dry;
        // Asked even where there is no room otherwise: the scheduler learns by it whether more debates come.
        let wants =
            |servers: &Arc<ServerPool>| !servers.is_out() && servers.wanted(open, has_more) > 0;
        let is_wanted = self.servers().is_none_or(wants);
        is_wanted && may_begin
    }

    /// A debate, from the pool that the last one came from before any other.
    async fn next(&mut self) -> Result<Option<(Message, Duration)>> {
        let last = self.last_pool.clone();
        let mut keys: Vec<String> = self.pools.keys().cloned().collect();
        keys.sort_by_key(|key| Some(key) != last.as_ref());
        for key in keys {
            let Some(consumer) = self.pools.get(&key) else { continue };
            if let Some(message) = fetch(consumer, "give a debate", FETCH).await? {
                let beat = consumer.cached_info().config.ack_wait / 4;
                self.last_pool = Some(key);
                return Ok(Some((message, beat)));
            }
        }
        Ok(None)
    }

    fn take(&mut self, message: Message, beat: Duration) {
        // A subject that names no debate is not ours to answer.
        let Some(debate) = RunDebate::of_subject(&message.subject) else { return };
        if let Some(held) = self.held.get(&debate) {
            return held.again(message);
        }
        let held = Arc::new(Held::new(message, &self.worker.context.stop));
        self.held.insert(debate.clone(), Arc::clone(&held));
        let lease = Lease { stage: Arc::clone(&self.stage), debate: debate.clone(), held, beat };
        self.open.spawn(async move { (debate, lease.run().await) });
    }

    /// Waits until a debate leaves our hands, or it is time to look around.
    async fn wait(&mut self) {
        let stop = self.worker.context.stop.clone();
        let (is_stopping, servers) = (self.is_stopping(), self.servers().cloned());
        tokio::select! {
            Some(ended) = self.open.join_next() => {
                // A lease catches the panics of its debate, so it ends only with its result.
                if let Ok((debate, ended)) = ended {
                    self.held.remove(&debate);
                    self.busy_at = Instant::now();
                    (self.on_end)(&debate.id, &ended);
                }
            }
            () = ServerPool::wanting(servers.as_deref()), if !is_stopping && !self.is_dry => {}
            () = stop.requested(), if !is_stopping => {}
            () = sleep(LOOK_EVERY) => self.is_dry = false,
        }
    }
}

fn is_due(last: Option<Instant>, every: Duration) -> bool {
    last.is_none_or(|last| last.elapsed() >= every)
}
