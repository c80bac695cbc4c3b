//! The gate before the servers: so many calls in flight on each, none begun once the run is stopping, and the servers' own
//! trouble waited out here, so that it is no attempt of any debate (row J10c).

mod rounds;
mod server;
mod sight;
mod trouble;
mod words;

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::futures::Notified;
use tokio::sync::{Notify, Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until};

use self::rounds::Rounds;
use self::server::{Before, Blame, Server};
use self::sight::Sight;
use self::trouble::{About, Seen, State, Troubles};
use super::stop::Stop;
use crate::model::{
    Answering, CallError, Card, Chunk, Embeddings, Fault, Model, NoReply, OnChunk, Reply, Request,
};

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
    /// How long a server in trouble is waited for.
    pub wait: Duration,
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
}

/// The debates' lines.
struct Lines {
    /// Those that are open, by the server that each has as its first.
    open: Vec<usize>,
    /// Whose turn it is among servers with as many.
    turn: usize,
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
    home: usize,
}

/// Where a call may go now.
enum Way<'g> {
    /// To this server.
    Open(&'g Server),
    /// To this server, if it is there again.
    Due(&'g Server),
    /// Nowhere before that time.
    Wait(Instant),
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
        };
        let lines = Lines {
            open: vec![0; servers.len()],
            turn: 0,
        };
        Self {
            servers: servers.into_iter().map(server).collect(),
            rules,
            lines: Mutex::new(lines),
            changed: Notify::new(),
        }
    }

    /// A line for one debate, to the server with the fewest; servers with as many are taken in turn.
    pub fn line(self: &Arc<Self>) -> Line {
        let gate = Arc::clone(self);
        let home = self.lines().add();
        Line { gate, home }
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why every server was given up, if that is so.
    pub fn given_up(&self) -> Option<String> {
        let causes: Option<Vec<String>> = self
            .servers
            .iter()
            .map(|server| server.troubles.given_up(&About::Server))
            .collect();
        causes
            .filter(|causes| !causes.is_empty())
            .map(|causes| causes.join("; "))
    }

    async fn ask<'a, T>(
        &'a self,
        home: usize,
        model: &str,
        need: Need,
        call: impl Fn(&'a Server) -> Answering<'a, T> + Send + 'a,
    ) -> Result<T, NoReply> {
        let mut rounds = Rounds::default();
        loop {
            let changed = self.changed.notified();
            let way = self.way(home, model);
            let (server, is_trial) = match way.map_err(|cause| self.no_way(need, cause))? {
                Way::Open(server) => (server, false),
                Way::Due(server) if self.is_back(server, model).await => (server, true),
                Way::Due(_) => continue,
                Way::Wait(until) => {
                    self.pause(until, changed).await?;
                    continue;
                }
            };
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
        let blame = server.blame(error, before.losses).await;
        if matches!(blame, Blame::Call) {
            let answered = !error.fault.is_transport();
            self.recovered(server, server.troubles.clear(model, before.at, answered));
            return true;
        }
        let is_past = matches!(blame, Blame::Past);
        let is_servers = About::of(model, error.fault) == About::Server;
        let answered = server.answered.load(Ordering::Relaxed);
        if is_servers && rounds.are_over(&server.name, answered, is_past) {
            return true;
        }
        if !is_past {
            self.trouble(server, model, error, Seen::ByCall);
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
            self.trouble(server, model, &server.absence(), Seen::BesideCalls);
        }
    }

    /// The first server from `home` on that is in no trouble with this model, or that is to be tried again; where every
    /// one was given up, the causes.
    fn way(&self, home: usize, model: &str) -> Result<Way<'_>, String> {
        let (mut waits, mut causes) = (Vec::new(), Vec::new());
        let count = self.servers.len();
        for server in (0..count).map(|i| &self.servers[(home + i) % count]) {
            match server.troubles.state(model) {
                State::Fine => return Ok(Way::Open(server)),
                State::Due => return Ok(Way::Due(server)),
                State::Until(at) => waits.push(at),
                State::GivenUp(cause) if !causes.contains(&cause) => causes.push(cause),
                State::GivenUp(_) => {}
            }
        }
        let soonest = waits.into_iter().min();
        soonest.map(Way::Wait).ok_or_else(|| causes.join("; "))
    }

    /// What it means that every server was given up with a model: where one of them is there, a call that need not be
    /// answered has failed.
    fn no_way(&self, need: Need, cause: String) -> NoReply {
        if need == Need::May && self.given_up().is_none() {
            CallError::new(Fault::Busy, cause).into()
        } else {
            NoReply::Parked(cause)
        }
    }

    /// A model's own trouble, with what the user can do about it.
    fn refusal(&self, server: &Server, model: &str, error: CallError) -> CallError {
        let hopeless = words::hopeless(self.called(server), model, &error);
        CallError::new(error.fault, hopeless.unwrap_or(error.message))
    }

    /// Asks for what a debate can go on without: the other servers too, where one cannot do it with this model.
    async fn ask_each<'a, T>(
        &'a self,
        home: usize,
        model: &str,
        call: impl Fn(&'a Server) -> Answering<'a, T> + Copy + Send + 'a,
    ) -> Result<T, NoReply> {
        let mut outcome = self.ask(home, model, Need::May, call).await;
        let count = self.servers.len();
        for other in (1..count).map(|i| (home + i) % count) {
            match &outcome {
                Err(NoReply::Failed(error)) if is_models_own(error.fault) => {
                    outcome = self.ask(other, model, Need::May, call).await;
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
        self.trouble(server, model, &server.absence(), seen);
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

    /// Notes a server's trouble, and tells of it once.
    fn trouble(&self, server: &Server, model: &str, error: &CallError, seen: Seen) {
        let who = self.called(server);
        let hopeless = words::hopeless(who, model, error);
        let wait = if hopeless.is_some() {
            Duration::ZERO
        } else {
            self.rules.wait
        };
        let about = About::of(model, error.fault);
        let cause =
            |message: &str| hopeless.unwrap_or_else(|| words::given_up(who, &about, wait, message));
        if about == About::Server {
            server.sight.lost();
        }
        let message = &error.message;
        let troubles = &server.troubles;
        let noted = troubles.note(about.clone(), message, seen, wait, cause);
        if let Some(cause) = noted.given_up {
            (self.rules.tell)(&cause);
        } else if noted.is_new {
            (self.rules.tell)(&self.announcement(server, model, &about, message));
        }
        self.changed.notify_waiters();
    }

    /// How the user is told of a server.
    fn called<'s>(&self, server: &'s Server) -> &'s str {
        if self.servers.len() == 1 {
            "the server"
        } else {
            &server.name
        }
    }

    fn announcement(&self, server: &Server, model: &str, about: &About, message: &str) -> String {
        let wait = self.rules.wait;
        if self.servers.len() == 1 {
            return words::waiting(about, wait, message);
        }
        let mut others = self.servers.iter().filter(|it| it.name != server.name);
        let moves = others.any(|other| !other.troubles.keep_off(Some(model)));
        words::one_of_several(&server.name, moves, wait, message)
    }

    /// Lets everybody know that a server is there, and tells the user if it was thought to be away for so long.
    fn recovered(&self, server: &Server, away: Option<Duration>) {
        self.changed.notify_waiters();
        if let Some(away) = away {
            (self.rules.tell)(&words::answers_again(self.called(server), away));
        }
    }
}

impl Lines {
    /// Opens one.
    fn add(&mut self) -> usize {
        let (turn, count) = (self.turn, self.open.len());
        let in_turn = (0..count).map(|i| (turn + i) % count);
        let Some(home) = in_turn.min_by_key(|&i| self.open[i]) else {
            return 0;
        };
        self.open[home] += 1;
        self.turn = home + 1;
        home
    }

    /// Closes one.
    fn remove(&mut self, home: usize) {
        if let Some(open) = self.open.get_mut(home) {
            *open -= 1;
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.gate.lines().remove(self.home);
    }
}

/// Whether trouble is one model's on one server; but one that is full is waited for, whatever it is full for.
fn is_models_own(fault: Fault) -> bool {
    let about = About::of("", fault);
    about != About::Server && fault != Fault::Busy
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
            self.gate.ask(self.home, model, Need::Must, call).await
        })
    }

    fn card<'a>(&'a self, model: &'a str) -> Answering<'a, Card> {
        let call = move |server: &'a Server| server.model.card(model);
        Box::pin(self.gate.ask(self.home, model, Need::Must, call))
    }

    fn embed<'a>(&'a self, model: &'a str, texts: &'a [String]) -> Answering<'a, Embeddings> {
        let call = move |server: &'a Server| server.model.embed(model, texts);
        Box::pin(self.gate.ask_each(self.home, model, call))
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
