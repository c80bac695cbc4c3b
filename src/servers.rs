//! The gate before the servers: so many calls in flight on each, none begun once the run is stopping, and the servers' own
//! trouble waited out here, so that it is no attempt of any debate (row J10c).

mod breaker;
pub mod embeddings;
mod handles;
mod liveness;
mod messages;
mod notices;
mod resend_limit;
mod routing;
mod server;

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::futures::Notified;
use tokio::sync::{Notify, Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until};

pub use self::routing::Outlook;

use self::breaker::{About, Seen, Troubles};
use self::handles::{Asking, Lines, Seat};
use self::liveness::Sight;
use self::resend_limit::Rounds;
use self::routing::Way;
use self::server::{Before, Blame, Server};
use crate::model::{
    Answering, CallError, Card, Chunk, Embeddings, Fault, Model, NoReply, OnChunk, Reply, Request,
    Trouble,
};
use crate::stop::Stop;

/// How long a server in trouble may take to say that it is there.
const PROBE: Duration = Duration::from_secs(2);
/// How long one may take whose replies are silent: it runs and does nothing else for this answer.
const SILENT_PROBE: Duration = Duration::from_secs(1);

/// What the gate tells the user, one line each.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// How a gate deals with its servers.
pub struct Rules {
    /// Calls in flight on each server.
    pub at_once: usize,
    /// How long a model in trouble is waited for, or a server that is there but does not do its work.
    pub wait: Duration,
    /// How long a server is waited for that is not there; without a limit where there is none.
    pub outage: Option<Duration>,
    /// Asks to stop.
    pub stop: Stop,
    /// What the user is told.
    pub tell: Tell,
}

/// One or several servers behind a gate.
pub struct Gate {
    servers: Vec<Server>,
    rules: Rules,
    lines: Mutex<Lines>,
    /// A server was found in trouble, or there again.
    changed: Notify,
    /// Nothing is left to do but what waits for servers that are not there.
    is_idle: AtomicBool,
    /// The user knows that this machine is short of files.
    told_of_shortage: AtomicBool,
}

/// What a debate does without the answer to a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// It waits for it, or is parked.
    Must,
    /// It goes on: a model's own trouble is the call's failure and concerns no other call.
    May,
}

/// A debate's way to the servers: one of them first, so that it holds the beginning of the debate's prompts; the others, in
/// turn, where that one is in trouble.
pub struct Line {
    gate: Arc<Gate>,
    seat: Seat,
}

impl Gate {
    /// A gate before `servers`, each with the name that the user is told.
    pub fn new(servers: Vec<(String, Arc<dyn Model>)>, rules: Rules) -> Self {
        let server = |(name, model)| Server {
            name,
            model,
            slots: Semaphore::new(rules.at_once.max(1)),
            troubles: Troubles::default(),
            sight: Sight::new(),
            answered: AtomicU64::new(0),
            lacks: Mutex::default(),
        };
        let lines = Lines::to(servers.len());
        Self {
            servers: servers.into_iter().map(server).collect(),
            rules,
            lines: Mutex::new(lines),
            changed: Notify::new(),
            is_idle: AtomicBool::new(false),
            told_of_shortage: AtomicBool::new(false),
        }
    }

    /// A line for one debate, to the server with the fewest; servers with as many are taken in turn.
    pub fn line(self: &Arc<Self>) -> Line {
        let gate = Arc::clone(self);
        let seat = self.lines().add();
        Line { gate, seat }
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many debates can do nothing but wait for servers that are not there.
    pub fn stuck(&self) -> usize {
        self.lines().stuck()
    }

    /// Whether nothing is left to do but what waits for servers that are not there.
    pub fn set_idle(&self, is_idle: bool) {
        self.is_idle.store(is_idle, Ordering::Relaxed);
    }

    async fn ask<'a, T>(
        &'a self,
        seat: Seat,
        model: &str,
        need: Need,
        call: impl Fn(&'a Server) -> Answering<'a, T> + Send + 'a,
    ) -> Result<T, NoReply> {
        let mut rounds = Rounds::default();
        let mut asking = Asking::at(seat, &self.lines);
        loop {
            let changed = self.changed.notified();
            let way = self.way(seat.home, model);
            let (server, is_trial) = match way.map_err(|cause| self.no_way(need, cause))? {
                Way::Open(server) => (server, false),
                Way::Due(server) if self.is_back(server, model).await => (server, true),
                Way::Due(_) => continue,
                Way::Wait(until, by_outage) => {
                    asking.is_stuck(by_outage);
                    self.pause(until, changed).await?;
                    continue;
                }
            };
            asking.is_stuck(false);
            // Whoever tries a model again knows that it is in trouble.
            let model_in_question = (!is_trial).then_some(model);
            let Some(slot) = self.slot(server, model_in_question).await? else {
                continue;
            };
            let before = server.before();
            let outcome = self.watching(server, model, call(server)).await;
            drop(slot);
            let error = match outcome {
                Err(NoReply::Failed(error)) => error,
                Err(other) => return Err(other),
                Ok(answer) => {
                    server.answered.fetch_add(1, Ordering::Relaxed);
                    self.recovered(server, server.troubles.clear(model, before.at, true));
                    return Ok(answer);
                }
            };
            if error.fault.trouble() == Trouble::Local {
                self.short_of_files(&error).await?;
                continue;
            }
            if need == Need::May && is_models_own(error.fault) {
                return Err(self.refusal(server, model, error).into());
            }
            if self
                .counts(server, model, &before, &error, &mut rounds)
                .await
            {
                return Err(error.into());
            }
        }
    }

    /// Waits for that time or for a change; fails once the run is stopping.
    async fn pause(&self, until: Instant, changed: Notified<'_>) -> Result<(), NoReply> {
        tokio::select! {
            () = self.rules.stop.requested() => Err(NoReply::Stopped),
            () = sleep_until(until) => Ok(()),
            () = changed => Ok(()),
        }
    }

    /// Whether a failed call counts as an attempt of its debate; else it is sent again.
    async fn counts<'s>(
        &self,
        server: &'s Server,
        model: &str,
        before: &Before,
        error: &CallError,
        rounds: &mut Rounds<'s>,
    ) -> bool {
        let about = match server.blame(model, error, before.losses).await {
            Blame::Call => {
                let answered = !error.fault.is_transport();
                self.recovered(server, server.troubles.clear(model, before.at, answered));
                self.tell_what_lacks(server, error);
                return true;
            }
            Blame::Past => None,
            Blame::Server(about) => Some(about),
        };
        // A request that found no connection has brought nobody down, and one for a model in trouble has its own limit.
        let is_suspect =
            !matches!(about, Some(About::Model(_))) && !matches!(error.fault, Fault::NoConnection);
        let answered = server.answered.load(Ordering::Relaxed);
        let broke_off = error.fault.is_transport();
        if is_suspect && rounds.are_over(&server.name, answered, broke_off) {
            return true;
        }
        if let Some(about) = about {
            self.trouble(server, model, about, error, Seen::ByCall);
        }
        false
    }

    /// Awaits an answer; where nothing comes from the server for a while, asks whether it is there and tells if it is
    /// not. The answer is waited for all the same, within its own limits.
    async fn watching<T>(
        &self,
        server: &Server,
        model: &str,
        answer: Answering<'_, T>,
    ) -> Result<T, NoReply> {
        server.sight.seen();
        tokio::select! {
            biased;
            answer = answer => answer,
            never = self.watch(server, model) => match never {},
        }
    }

    async fn watch(&self, server: &Server, model: &str) -> Infallible {
        loop {
            server.sight.silence().await;
            self.look_for(server, model).await;
        }
    }

    async fn look_for(&self, server: &Server, model: &str) {
        let asked = Instant::now();
        if server.is_there(SILENT_PROBE).await {
            server.sight.seen();
            self.recovered(server, server.troubles.back());
        } else if !server.sight.was_seen_since(asked) {
            let absence = server.absence();
            self.trouble(server, model, About::Absence, &absence, Seen::BesideCalls);
        }
    }

    /// Asks for what a debate can go on without: the other servers too, where one cannot do it with this model.
    async fn ask_each<'a, T>(
        &'a self,
        seat: Seat,
        model: &str,
        call: impl Fn(&'a Server) -> Answering<'a, T> + Copy + Send + 'a,
    ) -> Result<T, NoReply> {
        let mut outcome = self.ask(seat, model, Need::May, call).await;
        let count = self.servers.len();
        for home in (1..count).map(|i| (seat.home + i) % count) {
            match &outcome {
                Err(NoReply::Failed(error)) if is_servers_own(error.fault) => {
                    let seat = Seat { home, ..seat };
                    outcome = self.ask(seat, model, Need::May, call).await;
                }
                _ => break,
            }
        }
        outcome
    }

    /// Whether a server that was in trouble is there again; what it does with the model, the call shows. It may have been
    /// seen by others while a probe that began too early was still waiting.
    async fn is_back(&self, server: &Server, model: &str) -> bool {
        let asked = Instant::now();
        if server.is_there(PROBE).await || server.sight.was_seen_since(asked) {
            self.recovered(server, server.troubles.back());
            return true;
        }
        let is_idle = server.slots.available_permits() >= self.rules.at_once.max(1);
        let seen = if is_idle {
            Seen::ByProbe
        } else {
            Seen::BesideCalls
        };
        self.trouble(server, model, About::Absence, &server.absence(), seen);
        false
    }

    /// A place among the calls in flight; none once the run is stopping, and nothing where the server comes into trouble
    /// before the call's turn comes: those in flight may wait for it long, and this call has other ways to go.
    async fn slot<'s>(
        &self,
        server: &'s Server,
        model: Option<&str>,
    ) -> Result<Option<SemaphorePermit<'s>>, NoReply> {
        let mut permit = std::pin::pin!(server.slots.acquire());
        loop {
            let changed = self.changed.notified();
            if server.troubles.keep_off(model) {
                return Ok(None);
            }
            tokio::select! {
                biased;
                () = self.rules.stop.requested() => return Err(NoReply::Stopped),
                () = changed => {}
                // The semaphore is never closed.
                permit = &mut permit => return permit.map(Some).map_err(|_| NoReply::Stopped),
            }
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.gate.lines().remove(self.seat);
    }
}

/// Whether trouble is one model's on one server; but one that is full is waited for, whatever it is full for.
fn is_models_own(fault: Fault) -> bool {
    matches!(
        fault,
        Fault::LoadFailed | Fault::ModelNotFound | Fault::AccessDenied | Fault::Forbidden
    )
}

/// Whether another server may do better.
fn is_servers_own(fault: Fault) -> bool {
    is_models_own(fault) || fault == Fault::Unsupported
}

impl Model for Line {
    fn chat<'a>(&'a self, request: &'a Request, on_chunk: OnChunk<'a>) -> Answering<'a, Reply> {
        Box::pin(async move {
            let asked: Mutex<Option<&Server>> = Mutex::new(None);
            let asked = || asked.lock().unwrap_or_else(PoisonError::into_inner);
            let seen = |chunk: Chunk<'_>| {
                if let Some(server) = *asked() {
                    server.sight.seen();
                }
                on_chunk(chunk);
            };
            let call = |server| {
                if asked().replace(server).is_some() {
                    on_chunk(Chunk::Again);
                }
                server.model.chat(request, &seen)
            };
            let model = &request.model;
            self.gate.ask(self.seat, model, Need::Must, call).await
        })
    }

    fn card<'a>(&'a self, model: &'a str) -> Answering<'a, Card> {
        let call = move |server: &'a Server| server.model.card(model);
        Box::pin(self.gate.ask(self.seat, model, Need::Must, call))
    }

    fn embed<'a>(&'a self, model: &'a str, texts: &'a [String]) -> Answering<'a, Embeddings> {
        let call = move |server: &'a Server| server.model.embed(model, texts);
        Box::pin(self.gate.ask_each(self.seat, model, call))
    }

    fn is_there(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(async {
            for server in &self.gate.servers {
                if server.model.is_there().await {
                    return true;
                }
            }
            false
        })
    }
}

#[cfg(test)]
mod tests;
