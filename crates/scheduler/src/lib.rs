//! Which call starts next, and on which server. A pure state machine: calls, replies and the time go in, starts come out.
//!
//! What costs a run its time, most expensive first: loading a model, reading a prompt that no slot holds, and idle slots.
//! So a loaded model serves the calls of all debates before another one takes its place, unless both fit; a call goes to
//! the slot that served its debate last and still holds the start of its prompt; and the calls of one debate run one after
//! another as long as other debates can fill the other slots. None of this shapes a request.

mod costs;
mod debates;
mod names;
mod next_call;
mod order;
mod parallel;
mod server_memory;
mod slot_waiting;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use self::costs::Costs;
pub use self::costs::Timing;
use self::debates::Debates;
pub use self::names::{DebateNumber, ModelName, Moment, Ticket};
use self::parallel::{BURST, InFlight};
use self::server_memory::Host;

/// A call that waited for its model at least for this long waited for a load: even a loaded model is not available at once.
const LEAST_LOAD: Duration = Duration::from_millis(500);

/// The calls of a pool's debates, and the state of the servers that determines their order.
#[derive(Default)]
pub struct Scheduler {
    hosts: Vec<Host>,
    /// The open debates.
    pub debates: Debates,
    /// Calls without a server, those of the oldest debate first.
    waiting: BTreeMap<(DebateNumber, Ticket), Waiting>,
    running: BTreeMap<Ticket, Running>,
    costs: Costs,
    loads: BTreeMap<(usize, ModelName), Loads>,
    called: BTreeSet<ModelName>,
    /// Whether the batch would open more debates if they were wanted.
    has_more: bool,
    next_ticket: Ticket,
}

/// The loads of a model on a server.
#[derive(Default)]
struct Loads {
    count: u64,
    ended: Moment,
}

impl Loads {
    /// A call has its reply that waited for a load, as may others that began before it ended.
    fn end(&mut self, began: Moment, now: Moment) {
        if began >= self.ended {
            (self.count, self.ended) = (self.count + 1, now);
        }
    }
}

/// A call that waits for its turn.
struct Waiting {
    model: ModelName,
    /// The servers that may take the call.
    hosts: Vec<usize>,
    since: Moment,
}

/// A call on a server.
struct Running {
    debate: DebateNumber,
    model: ModelName,
    host: usize,
    slot: usize,
    in_flight: InFlight,
    /// Calls of all models on the server when this one started, itself included.
    busy: usize,
    /// Whether the server had to load the model for this call.
    loads: bool,
    since: Moment,
}

/// The turn of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// The call.
    pub ticket: Ticket,
    /// Its debate.
    pub debate: DebateNumber,
    /// The server that takes it.
    pub host: usize,
    /// Whether the server must load the model for this call.
    pub loads: bool,
}

impl Scheduler {
    /// Each server gets `first` calls at a time, and up to `most` while they find slots.
    pub fn new(servers: usize, (first, most): (usize, usize)) -> Self {
        let host = |_| Host::new(first.max(1), most.max(first).max(1));
        Self { hosts: (0..servers).map(host).collect(), ..Self::default() }
    }

    /// A debate wants to make a call, whether or not a server can take it now.
    pub fn called(&mut self, debate: DebateNumber, now: Moment) {
        if let Some(thought) = self.debates.called(debate, now) {
            self.costs.thought(thought);
        }
    }

    /// Queues a call that any of these servers may take.
    pub fn ask(
        &mut self,
        debate: DebateNumber,
        model: &str,
        hosts: Vec<usize>,
        now: Moment,
    ) -> Ticket {
        self.next_ticket += 1;
        let model: ModelName = Arc::from(model);
        self.called.insert(model.clone());
        self.debates.queued(debate, &model);
        let waiting = Waiting { model, hosts, since: now };
        self.waiting.insert((debate, self.next_ticket), waiting);
        self.next_ticket
    }

    /// A call no longer waits, or has ended without a reply.
    pub fn withdraw(&mut self, debate: DebateNumber, ticket: Ticket, now: Moment) {
        self.unqueue(debate, ticket);
        if let Some(call) = self.free(ticket, now).filter(|call| call.loads) {
            self.hosts[call.host].load_failed(&call.model);
        }
    }

    /// A call has its reply.
    pub fn ended(&mut self, ticket: Ticket, timing: Timing, now: Moment) {
        if let Some(call) = self.free(ticket, now) {
            self.hosts[call.host].replied(&call.model);
            let took = now.saturating_sub(call.since).saturating_sub(timing.load);
            if let Some(waited) = timing.waited(took) {
                self.hosts[call.host].saw(&call.model, (call.in_flight, call.busy), waited);
            }
            self.costs.called(call.host, &call.model, took, timing);
            if timing.load >= LEAST_LOAD {
                self.loads.entry((call.host, call.model)).or_default().end(call.since, now);
            }
        }
    }

    fn unqueue(&mut self, debate: DebateNumber, ticket: Ticket) -> Option<Waiting> {
        let call = self.waiting.remove(&(debate, ticket))?;
        self.debates.unqueued(debate);
        Some(call)
    }

    fn free(&mut self, ticket: Ticket, now: Moment) -> Option<Running> {
        let call = self.running.remove(&ticket)?;
        self.hosts[call.host].free(&call.model, call.slot, now);
        self.debates.stopped(call.debate);
        Some(call)
    }

    /// A server has exactly these models in memory. Models that no debate calls are ignored.
    pub fn holds(&mut self, host: usize, models: &[ModelName]) {
        let called: Vec<ModelName> =
            models.iter().filter(|model| self.called.contains(*model)).cloned().collect();
        self.hosts[host].holds(&called);
    }

    /// Makes the servers load a model again before its next call.
    pub fn reload(&mut self, model: &str) {
        for host in &mut self.hosts {
            host.reload(model);
        }
    }

    /// Whether other debates have calls to a model on a server or waiting for it.
    pub fn others_ask(&self, debate: DebateNumber, model: &str, host: usize) -> bool {
        let waits = |((other, _), call): (&(DebateNumber, Ticket), &Waiting)| {
            *other != debate && *call.model == *model && call.hosts.contains(&host)
        };
        let runs =
            |call: &Running| call.debate != debate && *call.model == *model && call.host == host;
        self.running.values().any(runs) || self.waiting.iter().any(waits)
    }

    /// Whether a call to a model is on a server.
    pub fn is_running(&self, model: &str, host: usize) -> bool {
        let runs = |call: &Running| *call.model == *model && call.host == host;
        self.running.values().any(runs)
    }

    /// How often each model was loaded.
    pub fn loads(&self) -> BTreeMap<String, u64> {
        let mut sums = BTreeMap::new();
        for ((_, model), loads) in &self.loads {
            *sums.entry(model.to_string()).or_default() += loads.count;
        }
        sums
    }

    /// Calls in flight on a server.
    pub fn running_on(&self, host: usize) -> usize {
        self.hosts[host].busy()
    }

    /// Whether a server has a slot that neither a waiting call nor a debate to come will use.
    pub fn is_idle(&self, host: usize) -> bool {
        let mut waiting = self.waiting.values();
        let is_wanted = self.has_more || waiting.any(|call| call.hosts.contains(&host));
        !is_wanted && self.hosts[host].idle() > 0
    }

    /// A server's calls in flight, the maximum it is sent, and the models it is believed to have in memory.
    pub fn host(&self, host: usize) -> (usize, usize, Vec<String>) {
        let host = &self.hosts[host];
        let models = host.models().map(|model| model.to_string());
        (host.busy(), host.width(), models.collect())
    }

    /// Sets how many debates the batch has open, and whether it would open more.
    pub fn set_batch(&mut self, open: usize, has_more: bool) {
        self.debates.open = open;
        self.has_more = has_more;
    }

    /// Starts the calls whose turn it is now.
    pub fn decide(&mut self, now: Moment) -> Vec<Start> {
        self.count_losses(now);
        let mut starts = Vec::new();
        while let Some(start) = self.next_start(now) {
            self.begin(start, now);
            starts.push(start);
        }
        self.note_blocked(now);
        starts
    }

    fn begin(&mut self, start: Start, now: Moment) {
        let Some(call) = self.unqueue(start.debate, start.ticket) else { return };
        let slot = self.hosts[start.host].begin(start.debate, &call.model);
        self.debates.started(start.debate, start.host);
        let host = &self.hosts[start.host];
        let (most, busy) = (host.running(&call.model), host.busy());
        let just_sent = self.just_sent(start.host, &call.model, now);
        let running = Running {
            debate: start.debate,
            in_flight: InFlight { least: most - just_sent, most },
            busy,
            loads: start.loads,
            model: call.model,
            host: start.host,
            slot,
            since: now,
        };
        self.running.insert(start.ticket, running);
    }

    /// Adds one to the calls in flight of those just sent to a server for the same model, and counts them.
    fn just_sent(&mut self, host: usize, model: &ModelName, now: Moment) -> usize {
        let calls = self.running.values_mut();
        let its = calls.filter(|call| call.host == host && call.model == *model);
        let mut number = 0;
        for call in its.filter(|call| now < call.since + BURST) {
            call.in_flight.most += 1;
            number += 1;
        }
        number
    }
}
