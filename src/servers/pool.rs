//! All servers of a run: calls in flight on each, none begun once the run is stopping, and the servers' own failures waited
//! out here, so that they are never an attempt of a debate (row J10c).

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::futures::Notified;
use tokio::sync::{Notify, SemaphorePermit};
use tokio::time::{Instant, sleep_until};

use super::assignments::{Assignment, Assignments, PendingCall};
use super::breaker::{Scope, SeenBy};
use super::notices::{self, Notices, OnNotice};
use super::resend_limit::ResendLimit;
use super::routing::{self, Need, Outlook, Route};
use super::server::{CallStart, FailureOwner, PROBE, PooledServer, SILENT_PROBE};
use crate::model::{Answering, CallError, Fault, Model, NoReply, Trouble};
use crate::shared::Shared;
use crate::stop::Stop;

/// How long to wait for files to be closed, or for memory.
const SHORTAGE_PAUSE: Duration = Duration::from_millis(500);

/// How a pool treats its servers.
pub struct PoolConfig {
    /// Calls in flight per server.
    pub concurrency: usize,
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
    concurrency: usize,
    stop: Stop,
    notices: Notices,
    pub(super) assignments: Shared<Assignments>,
    /// A circuit has opened or closed.
    changed: Notify,
    /// Nothing is left to do but what waits for servers that are down.
    is_idle: AtomicBool,
}

impl ServerPool {
    /// A pool of `servers`, each with the name that the user knows it by.
    pub fn new(servers: Vec<(String, Arc<dyn Model>)>, config: PoolConfig) -> Self {
        let concurrency = config.concurrency.max(1);
        let assignments = Assignments::new(servers.len());
        let is_alone = servers.len() == 1;
        let server = |(name, model)| PooledServer::new(name, model, concurrency, is_alone);
        Self {
            servers: servers.into_iter().map(server).collect(),
            concurrency,
            stop: config.stop,
            notices: Notices {
                on_notice: config.on_notice,
                model_timeout: config.model_timeout,
                outage_timeout: config.outage_timeout,
                shortage_reported: AtomicBool::new(false),
            },
            assignments: Shared::new(assignments),
            changed: Notify::new(),
            is_idle: AtomicBool::new(false),
        }
    }

    /// What a debate can expect whose participants run on these models.
    pub fn outlook<'m>(&self, models: impl Iterator<Item = &'m str>) -> Outlook {
        routing::outlook(&self.servers, models)
    }

    /// Whether every server is down or was given up.
    pub fn is_out(&self) -> bool {
        self.servers.iter().all(PooledServer::is_out)
    }

    /// How many debates can only wait for servers that are down.
    pub fn stuck(&self) -> usize {
        self.assignments.lock().stuck()
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

    /// Makes a call on the server that should take it, again wherever a failure is the server's.
    pub(super) async fn ask<'a, T>(
        &'a self,
        assignment: Assignment,
        model: &str,
        need: Need,
        call: impl Fn(&'a PooledServer) -> Answering<'a, T> + Send + 'a,
    ) -> Result<T, NoReply> {
        let mut resends = ResendLimit::default();
        let mut pending = PendingCall::new(assignment, &self.assignments);
        loop {
            let route = self.next(assignment.home, model, need, &mut pending);
            let Some((server, is_trial)) = route.await? else {
                continue;
            };
            // A trial's caller knows that the model is failing there.
            let model_in_question = (!is_trial).then_some(model);
            let Some(slot) = self.slot(server, model_in_question).await? else {
                continue;
            };
            let start = server.start();
            let outcome = self.watched(server, model, call(server)).await;
            drop(slot);
            let error = match outcome {
                Err(NoReply::Failed(error)) => error,
                Err(other) => return Err(other),
                Ok(answer) => {
                    server.answered.fetch_add(1, Ordering::Relaxed);
                    self.closed(server, server.breaker.close(model, start.at, true));
                    return Ok(answer);
                }
            };
            if error.fault.trouble() == Trouble::Local {
                self.notices.short_of_files(&error);
                let until = Instant::now() + SHORTAGE_PAUSE;
                self.pause(until, self.changed.notified()).await?;
            } else if need == Need::May && routing::is_models_own(error.fault) {
                return Err(notices::with_remedy(server, model, error).into());
            } else if self
                .counts(server, model, &start, &error, &mut resends)
                .await
            {
                return Err(error.into());
            }
        }
    }

    /// The server for a call, and whether it is a trial there; nothing after a wait, when the servers are to be looked at
    /// again.
    async fn next(
        &self,
        home: usize,
        model: &str,
        need: Need,
        pending: &mut PendingCall<'_>,
    ) -> Result<Option<(&PooledServer, bool)>, NoReply> {
        // Before the look at the servers: what changes after it ends the wait.
        let changed = self.changed.notified();
        let route = routing::route(&self.servers, home, model, self.others_work());
        match route.map_err(|cause| routing::no_route(&self.servers, need, cause))? {
            Route::To(server) => {
                pending.set_stuck(false);
                Ok(Some((server, false)))
            }
            Route::Trial(server) if self.is_back(server, model).await => {
                pending.set_stuck(false);
                Ok(Some((server, true)))
            }
            Route::Trial(_) => Ok(None),
            Route::Wait(until, only_down) => {
                pending.set_stuck(only_down);
                self.pause(until, changed).await?;
                Ok(None)
            }
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

    /// A slot on the server. Fails once the run is stopping; nothing if the server's circuit opens before the call's turn
    /// comes: calls in flight may wait for it long, and this one has other ways to go.
    async fn slot<'s>(
        &self,
        server: &'s PooledServer,
        model: Option<&str>,
    ) -> Result<Option<SemaphorePermit<'s>>, NoReply> {
        let mut permit = std::pin::pin!(server.slots.acquire());
        loop {
            let changed = self.changed.notified();
            if server.breaker.is_open(model) {
                return Ok(None);
            }
            tokio::select! {
                biased;
                () = self.stop.requested() => return Err(NoReply::Stopped),
                () = changed => {}
                // The semaphore is never closed.
                permit = &mut permit => return permit.map(Some).map_err(|_| NoReply::Stopped),
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
    async fn is_back(&self, server: &PooledServer, model: &str) -> bool {
        let asked = Instant::now();
        if server.is_up(PROBE).await || server.liveness.was_seen_since(asked) {
            self.closed(server, server.breaker.mark_alive());
            return true;
        }
        let is_idle = server.slots.available_permits() >= self.concurrency;
        let seen = match is_idle {
            true => SeenBy::Probe,
            false => SeenBy::ProbeBesideCalls,
        };
        self.trip(server, model, Scope::Absence, &server.absence(), seen);
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

    /// Makes a call that a debate can do without: on the other servers too, if one cannot serve it with this model.
    pub(super) async fn ask_each<'a, T>(
        &'a self,
        assignment: Assignment,
        model: &str,
        call: impl Fn(&'a PooledServer) -> Answering<'a, T> + Copy + Send + 'a,
    ) -> Result<T, NoReply> {
        let mut outcome = self.ask(assignment, model, Need::May, call).await;
        let count = self.servers.len();
        for home in (1..count).map(|i| (assignment.home + i) % count) {
            match &outcome {
                Err(NoReply::Failed(error)) if routing::is_servers_own(error.fault) => {
                    let assignment = Assignment { home, ..assignment };
                    outcome = self.ask(assignment, model, Need::May, call).await;
                }
                _ => break,
            }
        }
        outcome
    }
}
