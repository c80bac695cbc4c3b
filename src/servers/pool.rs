//! All servers of a run: calls in flight on each, none begun once the run is stopping, and the servers' own failures waited
//! out here, so that they are never an attempt of a debate (row J10c).

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::time::{Instant, sleep, sleep_until};

use super::breaker::{Scope, SeenBy};
use super::concurrency::Concurrency;
use super::notices::{self, Notices, OnNotice};
use super::resend_limit::ResendLimit;
use super::routing::{self, Call, Need, Outlook, Route};
use super::scheduler::Timing;
use super::server::{CallStart, FailureOwner, PROBE, PooledServer, SILENT_PROBE};
use super::timed::Timed;
use super::turns::{PendingCall, Turn, Turns};
use crate::model::{Answering, CallError, Fault, Model, NoReply, Trouble};
use crate::stop::Stop;

/// How long a server takes to put models out of memory for one that it loads.
const PEEK: Duration = Duration::from_secs(2);
/// A call to a model in memory takes less than this before it gets a slot.
const UNEXPECTED_LOAD: Duration = Duration::from_secs(1);
/// How long to wait for files to be closed, or for memory.
const SHORTAGE_PAUSE: Duration = Duration::from_millis(500);

/// How a pool treats its servers.
pub struct PoolConfig {
    /// Calls in flight per server.
    pub concurrency: Concurrency,
    /// How long a failing model is waited for, or a server that is up but does not work.
    pub model_timeout: Duration,
    /// How long a server that is down is waited for; `None` without limit.
    pub outage_timeout: Option<Duration>,
    /// Asks to stop.
    pub stop: Stop,
    /// Takes what the user should know.
    pub on_notice: OnNotice,
}

/// The servers of a run.
pub struct ServerPool {
    pub(super) servers: Vec<PooledServer>,
    stop: Stop,
    notices: Notices,
    pub(super) turns: Turns,
    /// A circuit has opened or closed.
    changed: Notify,
    /// Nothing is left to do but what waits for servers that are down.
    is_idle: AtomicBool,
}

/// What a server does, seen from outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerView {
    /// Its address.
    pub name: String,
    /// Whether it is down or was given up.
    pub is_out: bool,
    /// Calls on it.
    pub in_flight: usize,
    /// Calls that it is sent at a time.
    pub slots: usize,
    /// The models that it is believed to hold in memory.
    pub models: Vec<String>,
}

/// The server of a call, and its turn there if it takes a slot.
struct Place<'p> {
    at: usize,
    turn: Option<Turn<'p>>,
    /// Whether the server has to load the model for it.
    loads: bool,
}

/// The servers that cannot serve a call which a debate can do without, and the last one's failure.
#[derive(Default)]
struct Refusals {
    by: Vec<usize>,
    last: Option<NoReply>,
}

impl Place<'_> {
    fn without_turn(at: usize) -> Self {
        Self {
            at,
            turn: None,
            loads: false,
        }
    }
}

impl ServerPool {
    /// A pool of `servers`, each with the name that the user knows it by.
    pub fn new(servers: Vec<(String, Arc<dyn Model>)>, config: PoolConfig) -> Self {
        let turns = Turns::new(servers.len(), config.concurrency);
        let is_alone = servers.len() == 1;
        let server = |(name, model)| PooledServer::new(name, model, is_alone);
        Self {
            servers: servers.into_iter().map(server).collect(),
            stop: config.stop,
            notices: Notices {
                on_notice: config.on_notice,
                model_timeout: config.model_timeout,
                outage_timeout: config.outage_timeout,
                shortage_reported: AtomicBool::new(false),
            },
            turns,
            changed: Notify::new(),
            is_idle: AtomicBool::new(false),
        }
    }

    /// How many more debates than the `open` ones would find a slot idle. Others of a debate's calls wait for them if the
    /// batch `has_more`.
    pub(crate) fn wanted(&self, open: usize, has_more: bool) -> usize {
        self.turns.set_batch(open, has_more);
        let is_up = |at: usize| !self.servers[at].is_out();
        self.turns
            .ask(|scheduler, now| scheduler.wanted(is_up, now))
    }

    /// Done when more debates may be wanted.
    pub(crate) fn wanting(&self) -> Notified<'_> {
        self.turns.wanting()
    }

    /// What a debate can expect whose participants run on these models.
    pub fn outlook<'m>(&self, models: impl Iterator<Item = &'m str>) -> Outlook {
        routing::outlook(&self.servers, models)
    }

    /// From now on, calls to a model load it again: each server ends those that it is at work on first.
    pub(crate) fn reload(&self, model: &str) {
        self.turns.tell(|scheduler, _| scheduler.reload(model));
    }

    /// Whether every server is down or was given up.
    pub fn is_out(&self) -> bool {
        self.servers.iter().all(PooledServer::is_out)
    }

    /// What each server does now.
    pub fn view(&self) -> Vec<ServerView> {
        let servers = self.servers.iter().enumerate();
        let view = |(at, server): (usize, &PooledServer)| {
            let (in_flight, slots, models) = self.turns.ask(|scheduler, _| scheduler.host(at));
            ServerView {
                name: server.name.clone(),
                is_out: server.is_out(),
                in_flight,
                slots,
                models,
            }
        };
        servers.map(view).collect()
    }

    /// How many debates can only wait for servers that are down.
    pub fn stuck(&self) -> usize {
        self.turns.ask(|scheduler, _| scheduler.stuck())
    }

    /// Says whether nothing is left to do but what waits for servers that are down.
    pub fn set_idle(&self, is_idle: bool) {
        self.is_idle.store(is_idle, Ordering::Relaxed);
    }

    /// Whether a server is up and has something to do.
    fn others_work(&self) -> bool {
        let is_up = |it: &PooledServer| !it.breaker.is_down();
        !self.is_idle.load(Ordering::Relaxed) && self.servers.iter().any(is_up)
    }

    /// Makes a call on the server whose turn it is, again wherever a failure is the server's. One that a debate can do without
    /// goes to the other servers too, if one cannot serve it with this model.
    pub(super) async fn ask<'a, T: Timed>(
        &'a self,
        call: Call<'_>,
        make: impl Fn(&'a PooledServer) -> Answering<'a, T> + Send + 'a,
    ) -> Result<T, NoReply> {
        let mut resends = ResendLimit::default();
        let mut pending = PendingCall::new(&self.turns, call.debate);
        let mut refused = Refusals::default();
        loop {
            let Some(place) = self.place(call, &refused, &mut pending).await? else {
                continue;
            };
            let server = &self.servers[place.at];
            let start = server.start();
            let answering = self.watched(server, call.model, make(server));
            let error = match self.peeking(&place, answering).await {
                Ok(answer) => {
                    self.answered(&place, call, &start);
                    self.end_turn(place, &answer).await;
                    return Ok(answer);
                }
                Err(NoReply::Failed(error)) => error,
                Err(other) => return Err(other),
            };
            let at = place.at;
            drop(place);
            let Some(failed) = self
                .failed(call, server, &start, error, &mut resends)
                .await?
            else {
                continue;
            };
            if !self.may_go_on(call, at, &failed, &mut refused) {
                return Err(failed);
            }
            refused.last = Some(failed);
        }
    }

    fn answered(&self, place: &Place<'_>, call: Call<'_>, start: &CallStart) {
        let server = &self.servers[place.at];
        server.answered.fetch_add(1, Ordering::Relaxed);
        self.closed(server, server.breaker.close(call.model, start.at, true));
    }

    /// Gives a turn back. A load may have put other models out of memory.
    async fn end_turn(&self, place: Place<'_>, answer: &impl Timed) {
        let Some(turn) = place.turn else { return };
        // A load that was not expected: other programs, or the server itself, had put the model out of memory.
        let has_loaded = place.loads || answer.load() > UNEXPECTED_LOAD;
        let holds = match has_loaded {
            true => self.servers[place.at].memory().await,
            false => None,
        };
        let timing = Timing {
            load: answer.load(),
            queue: answer.queue(),
            is_first: place.loads,
        };
        turn.ended(timing, holds.map(|models| (place.at, models)));
    }

    /// Awaits an answer. If a model is being loaded for it, looks early whether those that were in memory still are: they
    /// can go on at once then.
    async fn peeking<T>(
        &self,
        place: &Place<'_>,
        answer: impl Future<Output = Result<T, NoReply>>,
    ) -> Result<T, NoReply> {
        tokio::select! {
            biased;
            answer = answer => answer,
            never = self.peek(place), if place.loads => match never {},
        }
    }

    async fn peek(&self, place: &Place<'_>) -> Infallible {
        sleep(PEEK).await;
        if let Some(models) = self.servers[place.at].memory().await {
            self.turns
                .tell(|scheduler, _| scheduler.holds(place.at, &models));
        }
        pending().await
    }

    /// The failure of a call, if it is the call's; otherwise it is resent.
    async fn failed<'s>(
        &'s self,
        call: Call<'_>,
        server: &'s PooledServer,
        start: &CallStart,
        error: CallError,
        resends: &mut ResendLimit<'s>,
    ) -> Result<Option<NoReply>, NoReply> {
        if error.fault.trouble() == Trouble::Local {
            self.notices.short_of_files(&error);
            let until = Instant::now() + SHORTAGE_PAUSE;
            self.pause(until, self.changed.notified()).await?;
            Ok(None)
        } else if call.need == Need::May && routing::is_models_own(error.fault) {
            Ok(Some(notices::with_remedy(server, call.model, error).into()))
        } else {
            let counts = self
                .counts(server, call.model, start, &error, resends)
                .await;
            Ok(counts.then(|| error.into()))
        }
    }

    /// Whether another server may do better with a call that a debate can do without.
    fn may_go_on(
        &self,
        call: Call<'_>,
        at: usize,
        failed: &NoReply,
        refused: &mut Refusals,
    ) -> bool {
        let NoReply::Failed(error) = failed else {
            return false;
        };
        refused.by.push(at);
        let others = routing::open_to(&self.servers, call);
        let others = others.iter().any(|at| !refused.by.contains(at));
        call.need == Need::May && routing::is_servers_own(error.fault) && others
    }

    /// Where a call is made; nothing after a wait, when the servers are to be looked at again.
    async fn place(
        &self,
        call: Call<'_>,
        refused: &Refusals,
        pending: &mut PendingCall<'_>,
    ) -> Result<Option<Place<'_>>, NoReply> {
        // Before the look at the servers: what changes after it ends the wait.
        let changed = self.changed.notified();
        self.learn(call).await;
        let home = (call.debate - 1) as usize % self.servers.len();
        let route = routing::route(&self.servers, home, call, self.others_work());
        match route.map_err(|cause| routing::no_route(&self.servers, call.need, cause))? {
            Route::To(mut hosts) => {
                pending.set_stuck(false);
                hosts.retain(|at| !refused.by.contains(at));
                if let (true, Some(last)) = (hosts.is_empty(), &refused.last) {
                    return Err(last.clone());
                }
                if call.takes_slot {
                    self.turn(call, &hosts, &refused.by, false).await
                } else {
                    Ok(self.least_busy(&hosts).map(Place::without_turn))
                }
            }
            Route::Trial(at, server) if self.is_back(at, server, call).await => {
                pending.set_stuck(false);
                self.turn(call, &[at], &[], true).await
            }
            Route::Trial(..) => Ok(None),
            Route::Wait(until, only_down) => {
                pending.set_stuck(only_down);
                self.pause(until, changed).await?;
                Ok(None)
            }
        }
    }

    /// Of these servers, the one with the fewest calls.
    fn least_busy(&self, hosts: &[usize]) -> Option<usize> {
        let calls = |at: &usize| self.turns.ask(|scheduler, _| scheduler.running_on(*at));
        hosts.iter().copied().min_by_key(calls)
    }

    /// Finds out what stands behind the model's name on each server, where that makes a difference.
    async fn learn(&self, call: Call<'_>) {
        if call.digest.is_some() || self.servers.len() > 1 {
            let asked = self.servers.iter().map(|it| it.learn(call.model));
            join_all(asked).await;
        }
    }

    /// Waits for that time or for a change; fails once the run is stopping.
    async fn pause(&self, until: Instant, changed: Notified<'_>) -> Result<(), NoReply> {
        tokio::select! {
            () = self.stop.requested() => Err(NoReply::Stopped),
            () = sleep_until(until) => Ok(()),
            () = changed => Ok(()),
        }
    }

    /// A call's turn on one of these servers. Fails once the run is stopping; nothing if other servers can take it since: calls
    /// in flight may wait long, and this one has other ways to go.
    async fn turn(
        &self,
        call: Call<'_>,
        hosts: &[usize],
        refused: &[usize],
        is_trial: bool,
    ) -> Result<Option<Place<'_>>, NoReply> {
        let place = |at, turn, loads| Place { at, turn, loads };
        if !call.takes_slot {
            return Ok(hosts.first().copied().map(Place::without_turn));
        }
        let mut turn = self.turns.queue(call.debate, call.model, hosts);
        loop {
            let changed = self.changed.notified();
            if !self.are_the_open(call, hosts, refused, is_trial) {
                return Ok(None);
            }
            tokio::select! {
                biased;
                () = self.stop.requested() => return Err(NoReply::Stopped),
                () = changed => {}
                start = turn.come() => match start {
                    Some(start) => return Ok(Some(place(start.host, Some(turn), start.loads))),
                    None => return Ok(None),
                }
            }
        }
    }

    /// Whether these are still the servers that a call may go to. A trial's caller knows that the model is failing there.
    fn are_the_open(
        &self,
        call: Call<'_>,
        hosts: &[usize],
        refused: &[usize],
        is_trial: bool,
    ) -> bool {
        match (is_trial, hosts) {
            (true, hosts) => hosts
                .iter()
                .all(|at| !self.servers[*at].breaker.is_open(None)),
            (false, hosts) => {
                let mut open = routing::open_to(&self.servers, call);
                open.retain(|at| !refused.contains(at));
                open == hosts
            }
        }
    }

    /// Whether a failed call counts as an attempt of its debate; otherwise it is resent.
    async fn counts<'s>(
        &self,
        server: &'s PooledServer,
        model: &str,
        start: &CallStart,
        error: &CallError,
        resends: &mut ResendLimit<'s>,
    ) -> bool {
        let scope = match server.owner_of(model, error, start.losses).await {
            FailureOwner::Call => {
                let answered = !error.fault.is_transport();
                self.closed(server, server.breaker.close(model, start.at, answered));
                self.notices.lacks(server, error);
                return true;
            }
            FailureOwner::PastOutage => None,
            FailureOwner::Server(scope) => Some(scope),
        };
        // A request that found no connection has brought nothing down, and one for a failing model has its own limit.
        let is_suspect =
            !matches!(scope, Some(Scope::Model(_))) && !matches!(error.fault, Fault::NoConnection);
        let answered = server.answered.load(Ordering::Relaxed);
        let broke_off = error.fault.is_transport();
        if is_suspect && resends.is_reached(&server.name, answered, broke_off) {
            return true;
        }
        if let Some(scope) = scope {
            self.trip(server, model, scope, error, SeenBy::Call);
        }
        false
    }

    /// Awaits an answer. If nothing comes from the server for a while, probes it and reports if it is down; the answer is
    /// awaited all the same, within its own limits.
    async fn watched<T>(
        &self,
        server: &PooledServer,
        model: &str,
        answer: Answering<'_, T>,
    ) -> Result<T, NoReply> {
        server.liveness.mark_seen();
        tokio::select! {
            biased;
            answer = answer => answer,
            never = self.watch(server, model) => match never {},
        }
    }

    async fn watch(&self, server: &PooledServer, model: &str) -> Infallible {
        loop {
            server.liveness.silence().await;
            self.probe_silent(server, model).await;
        }
    }

    async fn probe_silent(&self, server: &PooledServer, model: &str) {
        let asked = Instant::now();
        if server.is_up(SILENT_PROBE).await {
            server.liveness.mark_seen();
            self.closed(server, server.breaker.mark_alive());
        } else if !server.liveness.was_seen_since(asked) {
            let absence = server.absence();
            let seen = SeenBy::ProbeBesideCalls;
            self.trip(server, model, Scope::Absence, &absence, seen);
        }
    }

    /// Whether a failing server is up again; what it does with the model, the call shows. Others may have seen it while a
    /// probe that began too early was still waiting.
    async fn is_back(&self, at: usize, server: &PooledServer, call: Call<'_>) -> bool {
        let asked = Instant::now();
        if server.is_up(PROBE).await || server.liveness.was_seen_since(asked) {
            self.closed(server, server.breaker.mark_alive());
            // While it was away, other weights may have come there.
            server.pulled.forget();
            server.learn_now(call.model).await;
            if let Some(models) = server.memory().await {
                self.turns.tell(|scheduler, _| scheduler.holds(at, &models));
            }
            return server.other_digest(call.model, call.digest).is_none();
        }
        let is_idle = self.turns.ask(|scheduler, _| scheduler.running_on(at)) == 0;
        let seen = match is_idle {
            true => SeenBy::Probe,
            false => SeenBy::ProbeBesideCalls,
        };
        self.trip(server, call.model, Scope::Absence, &server.absence(), seen);
        false
    }

    fn trip(
        &self,
        server: &PooledServer,
        model: &str,
        scope: Scope,
        error: &CallError,
        seen: SeenBy,
    ) {
        let servers = &self.servers;
        self.notices
            .trip(servers, server, model, scope, error, seen);
        self.changed.notify_waiters();
    }

    /// Lets everybody know that a circuit may have closed, and the user if the failure had been reported so long ago.
    fn closed(&self, server: &PooledServer, after: Option<Duration>) {
        self.changed.notify_waiters();
        self.notices.recovered(server, after);
    }
}
