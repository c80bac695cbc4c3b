//! Probing a server, apart from its replies: whether it is down or back, and which models it has in memory.

use std::convert::Infallible;
use std::future::pending;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::super::breaker::{Scope, SeenBy};
use super::super::pooled_server::{PROBE, PooledServer, SILENT_PROBE};
use super::super::routing::{self, Call};
use super::ServerPool;
use super::place::Place;
use crate::model::{Answering, NoReply};

/// Time a server takes to evict models in favour of the one that it loads.
const PEEK: Duration = Duration::from_secs(2);
/// A call on a failing server is taken away once another one has been idle for this long.
const IDLE: Duration = Duration::from_secs(30);
/// Pause between two looks at that.
const LOOK: Duration = Duration::from_secs(1);

impl ServerPool {
    /// Awaits an answer. If the call loads a model, checks early whether the models that were in memory still are, so that
    /// calls to them can start at once.
    pub(super) async fn peeking<T>(
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

    /// Awaits an answer; `None` if it is no longer worth waiting for: the server is failing, and another one has been idle for a
    /// while.
    pub(super) async fn unless_needless<T>(
        &self,
        call: Call<'_>,
        at: usize,
        answer: impl Future<Output = T>,
    ) -> Option<T> {
        tokio::select! {
            biased;
            answer = answer => Some(answer),
            () = self.needless(call, at), if self.servers.len() > 1 => None,
        }
    }

    async fn needless(&self, call: Call<'_>, at: usize) {
        let mut since = Instant::now();
        while since.elapsed() < IDLE {
            sleep(LOOK).await;
            if !routing::is_needless(&self.servers, call, at, |at| self.is_idle(at)) {
                since = Instant::now();
            }
        }
    }

    /// Whether a server has a slot for which there is no work.
    pub(super) fn is_idle(&self, at: usize) -> bool {
        self.turns.ask(|scheduler, _| scheduler.is_idle(at))
    }

    pub(super) async fn peek(&self, place: &Place<'_>) -> Infallible {
        sleep(PEEK).await;
        if let Some(models) = self.servers[place.at].memory().await {
            self.turns.tell(|scheduler, _| scheduler.holds(place.at, &models));
        }
        pending().await
    }

    /// Awaits an answer. After a silence, probes the server and reports if it is down; the answer is still awaited, within its
    /// own limits.
    pub(super) async fn watched<T>(
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

    pub(super) async fn watch(&self, server: &PooledServer, model: &str) -> Infallible {
        loop {
            server.liveness.silence().await;
            self.probe_silent(server, model).await;
        }
    }

    pub(super) async fn probe_silent(&self, server: &PooledServer, model: &str) {
        let asked = Instant::now();
        if server.is_up(SILENT_PROBE).await {
            server.liveness.mark_seen();
            self.closed(server, server.breaker.mark_alive());
        } else if !server.liveness.was_seen_since(asked) {
            self.trip(server, model, Scope::Absence, &server.absence(), SeenBy::ProbeBesideCalls);
        }
    }

    /// Whether a failing server is up again with the right weights; only the call shows whether the model works. Another call
    /// may have heard from the server while a probe sent too early was still waiting.
    pub(super) async fn is_back(&self, at: usize, server: &PooledServer, call: Call<'_>) -> bool {
        let asked = Instant::now();
        if server.is_up(PROBE).await || server.liveness.was_seen_since(asked) {
            self.closed(server, server.breaker.mark_alive());
            // Its weights may have changed while it was down.
            server.pulled.forget();
            server.learn_now(call.model).await;
            if let Some(models) = server.memory().await {
                self.turns.tell(|scheduler, _| scheduler.holds(at, &models));
            }
            return server.other_digest(call.model, call.digest).is_none();
        }
        let is_idle = self.turns.ask(|scheduler, _| scheduler.running_on(at)) == 0;
        let seen = if is_idle { SeenBy::Probe } else { SeenBy::ProbeBesideCalls };
        self.trip(server, call.model, Scope::Absence, &server.absence(), seen);
        false
    }
}
