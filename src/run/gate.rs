//! The gate before the servers: so many calls in flight on each, none begun once the run is stopping, and the servers' own
//! trouble waited out here, so that it is no attempt of any debate (row J10c).

mod sight;
mod trouble;

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until, timeout};

use self::sight::Sight;
use self::trouble::{About, State, Troubles};
use super::stop::Stop;
use crate::model::{
    Answering, CallError, Card, Chunk, Fault, Model, NoReply, OnChunk, Reply, Request, Trouble,
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
    /// Lines handed out so far.
    lines: AtomicUsize,
    /// Something changed for the better, or for good.
    changed: Notify,
}

struct Server {
    name: String,
    model: Arc<dyn Model>,
    slots: Semaphore,
    troubles: Troubles,
    sight: Sight,
}

/// Whose fault a failed call is.
enum Blame {
    /// The call's own.
    Call,
    /// The server's, which is in trouble.
    Server,
    /// The server's, which was away in the middle of the call and is back.
    Past,
}

/// A debate's way to the servers: one of them first, so that it holds the beginning of the debate's prompts; the others, in
/// turn, where that one is in trouble.
#[derive(Clone)]
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
        };
        Self {
            servers: servers.into_iter().map(server).collect(),
            rules,
            lines: AtomicUsize::new(0),
            changed: Notify::new(),
        }
    }

    /// A line for one debate; servers are taken in turn.
    pub fn line(self: &Arc<Self>) -> Line {
        let home = self.lines.fetch_add(1, Ordering::Relaxed) % self.servers.len().max(1);
        Line {
            gate: Arc::clone(self),
            home,
        }
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
        call: impl Fn(&'a Server) -> Answering<'a, T> + Send + 'a,
    ) -> Result<T, NoReply> {
        loop {
            let changed = self.changed.notified();
            let server = match self.way(home, model)? {
                Way::Open(server) => server,
                Way::Due(server) if self.is_back(server, model).await => server,
                Way::Due(_) => continue,
                Way::Wait(until) => {
                    tokio::select! {
                        () = self.rules.stop.requested() => return Err(NoReply::Stopped),
                        () = sleep_until(until) => continue,
                        () = changed => continue,
                    }
                }
            };
            let slot = self.slot(server).await?;
            let (began, losses) = (Instant::now(), server.sight.losses());
            let outcome = self.watching(server, model, call(server)).await;
            drop(slot);
            let blame = match &outcome {
                Err(NoReply::Failed(error)) => server.blame(error, losses).await,
                _ => Blame::Call,
            };
            match (blame, outcome) {
                (Blame::Past, _) => {}
                (Blame::Server, Err(NoReply::Failed(error))) => self.trouble(server, model, &error),
                (_, outcome) => {
                    self.recovered(server, server.troubles.clear(model, began));
                    return outcome;
                }
            }
        }
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
            self.trouble(server, model, &server.absence());
        }
    }

    /// The first server from `home` on that is in no trouble with this model, or that is to be tried again.
    fn way(&self, home: usize, model: &str) -> Result<Way<'_>, NoReply> {
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
        soonest
            .map(Way::Wait)
            .ok_or_else(|| NoReply::Parked(causes.join("; ")))
    }

    /// Whether a server that was in trouble is there again; what it does with the model, the call shows.
    async fn is_back(&self, server: &Server, model: &str) -> bool {
        let is_there = server.is_there(PROBE).await;
        if is_there {
            self.recovered(server, server.troubles.back());
        } else {
            self.trouble(server, model, &server.absence());
        }
        is_there
    }

    /// A place among the calls in flight; none once the run is stopping.
    async fn slot<'s>(&self, server: &'s Server) -> Result<SemaphorePermit<'s>, NoReply> {
        let permit = tokio::select! {
            biased;
            () = self.rules.stop.requested() => return Err(NoReply::Stopped),
            permit = server.slots.acquire() => permit,
        };
        // The semaphore is never closed.
        permit.map_err(|_| NoReply::Stopped)
    }

    /// Notes a server's trouble, and tells of it once.
    fn trouble(&self, server: &Server, model: &str, error: &CallError) {
        let who = self.called(server);
        let hopeless = hopeless(who, model, error);
        let wait = if hopeless.is_some() {
            Duration::ZERO
        } else {
            self.rules.wait
        };
        let about = About::of(model, error.fault);
        let cause = |message: &str| {
            hopeless.unwrap_or_else(|| given_up(who, &about, in_words(wait), message))
        };
        if about == About::Server {
            server.sight.lost();
        }
        let noted = server
            .troubles
            .note(about.clone(), &error.message, wait, cause);
        if let Some(cause) = noted.given_up {
            (self.rules.tell)(&cause);
            self.changed.notify_waiters();
        } else if noted.is_new {
            (self.rules.tell)(&self.announcement(server, &about, error));
        }
    }

    /// How the user is told of a server.
    fn called<'s>(&self, server: &'s Server) -> &'s str {
        if self.servers.len() == 1 {
            "the server"
        } else {
            &server.name
        }
    }

    fn announcement(&self, server: &Server, about: &About, error: &CallError) -> String {
        let (most, message) = (in_words(self.rules.wait), &error.message);
        if self.servers.len() == 1 {
            let with = match about {
                About::Server => String::new(),
                About::Model(model) => format!(" with {model}"),
            };
            format!("waiting for the server{with}, at most {most}: {message}")
        } else {
            let name = &server.name;
            format!(
                "{name} is in trouble, its calls go to the other servers; it is waited for at most {most}: {message}"
            )
        }
    }

    /// Tells of the end of trouble that the user heard of at that time.
    fn recovered(&self, server: &Server, told: Option<Instant>) {
        let Some(since) = told else { return };
        let who = self.called(server);
        let seconds = since.elapsed().as_secs_f64().ceil().max(1.0);
        (self.rules.tell)(&format!("{who} answers again after {seconds} s"));
        self.changed.notify_waiters();
    }
}

impl Server {
    /// Whether trouble is the server's: by its kind, or because a reply broke off and the server is gone, or was gone
    /// since: it was seen so `losses` times before.
    async fn blame(&self, error: &CallError, losses: u64) -> Blame {
        if error.fault.trouble() == Trouble::Server {
            return Blame::Server;
        }
        if !error.fault.is_transport() {
            return Blame::Call;
        }
        match self.is_there(PROBE).await {
            false => Blame::Server,
            true if self.sight.losses() > losses => Blame::Past,
            true => Blame::Call,
        }
    }

    async fn is_there(&self, limit: Duration) -> bool {
        let there = timeout(limit, self.model.is_there()).await;
        there.is_ok_and(|there| there)
    }

    fn absence(&self) -> CallError {
        let message = format!("{} does not answer", self.name);
        CallError::new(Fault::NoConnection, message)
    }
}

/// What is said of trouble that lasted.
fn given_up(who: &str, about: &About, wait: String, message: &str) -> String {
    match about {
        About::Server => format!("{who} was in trouble for {wait}: {message}"),
        About::Model(model) => format!("{who} was in trouble with {model} for {wait}: {message}"),
    }
}

/// Why waiting would not help, if it would not.
fn hopeless(who: &str, model: &str, error: &CallError) -> Option<String> {
    match error.fault {
        Fault::ModelNotFound => Some(format!(
            "{who} has no model {model}: run `ollama pull {model}`"
        )),
        Fault::AccessDenied => Some(format!(
            "{}; {model} wants a key in OLLAMA_API_KEY, or `ollama signin` on the server",
            error.message
        )),
        Fault::Forbidden => Some(format!(
            "{}; the server's settings do not let {model} be used",
            error.message
        )),
        _ => None,
    }
}

fn in_words(wait: Duration) -> String {
    if wait.as_secs() < 120 {
        format!("{} s", wait.as_secs())
    } else {
        format!("{} minutes", wait.as_secs() / 60)
    }
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
            self.gate.ask(self.home, &request.model, call).await
        })
    }

    fn card<'a>(&'a self, model: &'a str) -> Answering<'a, Card> {
        let call = move |server: &'a Server| server.model.card(model);
        Box::pin(self.gate.ask(self.home, model, call))
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
mod tests {
    use std::sync::atomic::AtomicBool;

    use tokio::time::sleep;

    use super::*;
    use crate::model::{DoneReason, Durations, Tokens};

    fn reply(text: &str) -> Reply {
        Reply {
            text: text.to_owned(),
            thinking: None,
            done_reason: DoneReason::Stop,
            tokens: Tokens::default(),
            ns: Durations::default(),
        }
    }

    fn request() -> Request {
        Request {
            call: "c".to_owned(),
            attempt: 1,
            model: "m".to_owned(),
            messages: Vec::new(),
            temperature: 0.0,
            num_predict: 1,
            seed: 1,
            schema: None,
            think: false,
        }
    }

    fn gate(server: Arc<dyn Model>, tell: Tell) -> Gate {
        let rules = Rules {
            at_once: 1,
            wait: Duration::from_secs(60),
            stop: Stop::default(),
            tell,
        };
        Gate::new(vec![("gpu".to_owned(), server)], rules)
    }

    /// Says half a word and is full, then says it whole.
    #[derive(Default)]
    struct FullAtFirst {
        asked: AtomicBool,
    }

    impl Model for FullAtFirst {
        fn chat<'a>(&'a self, _: &'a Request, on_chunk: OnChunk<'a>) -> Answering<'a, Reply> {
            let again = self.asked.swap(true, Ordering::Relaxed);
            on_chunk(Chunk::Said(if again { "whole" } else { "ha" }));
            Box::pin(async move {
                if again {
                    Ok(reply("whole"))
                } else {
                    Err(CallError::new(Fault::Busy, "full").into())
                }
            })
        }

        fn card<'a>(&'a self, _: &'a str) -> Answering<'a, Card> {
            Box::pin(async { Ok(Card::default()) })
        }

        fn is_there(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
            Box::pin(async { true })
        }
    }

    /// Needs half a minute for a word, and does not answer otherwise until it is woken.
    #[derive(Default)]
    struct Halted {
        woken: AtomicBool,
    }

    impl Model for Halted {
        fn chat<'a>(&'a self, _: &'a Request, _: OnChunk<'a>) -> Answering<'a, Reply> {
            Box::pin(async {
                sleep(Duration::from_secs(30)).await;
                Ok(reply("at last"))
            })
        }

        fn card<'a>(&'a self, _: &'a str) -> Answering<'a, Card> {
            Box::pin(async { Ok(Card::default()) })
        }

        fn is_there(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
            let woken = self.woken.load(Ordering::Relaxed);
            Box::pin(async move {
                if !woken {
                    std::future::pending::<()>().await;
                }
                true
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn j10c_a_server_that_falls_silent_is_told_of_within_two_seconds_and_its_reply_is_kept() {
        let began = Instant::now();
        let told = Arc::new(Mutex::new(Vec::new()));
        let (server, telling) = (Arc::new(Halted::default()), Arc::clone(&told));
        let tell: Tell = Arc::new(move |line: &str| {
            let at = began.elapsed().as_millis();
            telling.lock().unwrap().push((at, line.to_owned()));
        });
        let halted = Arc::clone(&server);
        tokio::spawn(async move {
            sleep(Duration::from_secs(10)).await;
            halted.woken.store(true, Ordering::Relaxed);
        });
        let line = Arc::new(gate(server, tell)).line();
        let said = line.chat(&request(), &|_| {}).await.unwrap().text;
        assert_eq!((said.as_str(), began.elapsed().as_secs()), ("at last", 30));
        let told = told.lock().unwrap();
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!(
            told[0],
            (
                1750,
                "waiting for the server, at most 60 s: gpu does not answer".to_owned()
            )
        );
        assert!((10_000..12_000).contains(&told[1].0), "{told:?}");
        assert!(told[1].1.starts_with("the server answers again after "));
    }

    #[tokio::test(start_paused = true)]
    async fn j10c_text_of_a_call_that_is_sent_again_is_void() {
        let said = Mutex::new(Vec::new());
        let on_chunk = |chunk: Chunk<'_>| said.lock().unwrap().push(format!("{chunk:?}"));
        let gate = Arc::new(gate(Arc::new(FullAtFirst::default()), Arc::new(|_| {})));
        assert_eq!(
            gate.line().chat(&request(), &on_chunk).await.unwrap().text,
            "whole"
        );
        assert_eq!(
            *said.lock().unwrap(),
            ["Said(\"ha\")", "Again", "Said(\"whole\")"]
        );
    }
}
