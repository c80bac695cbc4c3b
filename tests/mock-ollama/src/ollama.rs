//! What the server knows and does: its models, its endpoints, the test's scripts.

use crate::answer::{Body, JSON, encode};
use crate::card::Card;
use crate::checks::{self, Refusal, refuse};
use crate::embed::Embedding;
use crate::log::{Log, lock};
use crate::machine::Machine;
use crate::name::is_cloud;
use crate::needs::Needs;
use crate::runners::Runners;
use crate::shelf::Shelf;
use crate::written::Written;
use crate::{Answer, Call, clock, host};
use serde_json::{Value, json};
use std::fs::File;
use std::sync::{Arc, Mutex};
use tokio::task;

const VERSION: &str = "0.33.0";
const PATHS: [&str; 8] = [
    "/",
    "/api/version",
    "/api/tags",
    "/api/ps",
    "/api/show",
    "/api/chat",
    "/api/embed",
    "/api/pull",
];

pub(crate) type Script = Arc<dyn Fn(&Call) -> Answer + Send + Sync>;
pub(crate) type Intercept = Arc<dyn Fn(&Call) -> Option<Answer> + Send + Sync>;

pub(crate) struct Ollama {
    pub(crate) log: Log,
    pub(crate) runners: Arc<Runners>,
    pub(crate) script: Mutex<Option<Script>>,
    pub(crate) intercept: Mutex<Option<Intercept>>,
    settings: Settings,
    shelf: Shelf,
}

/// What a builder decides.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) installed: Vec<Card>,
    pub(crate) pullable: Vec<Card>,
    pub(crate) machine: Machine,
    pub(crate) reply: Answer,
    pub(crate) checks_host: bool,
    pub(crate) keeps_log: bool,
    /// Where what became of each request is written.
    pub(crate) log_file: Option<File>,
}

/// How a request is to be answered.
pub(crate) enum Plan {
    Say(Answer),
    Run(Needs, Work),
}

/// What a request has a model do.
pub(crate) enum Work {
    /// Nothing: it is there to be loaded, and this says so.
    Load(Answer),
    Embed(Embedding),
    Reply(Answer),
}

impl Work {
    /// What the request asked for, as the log says it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Load(_) => "load",
            Self::Embed(_) => "embed",
            Self::Reply(_) => "chat",
        }
    }
}

impl Ollama {
    pub(crate) fn new(mut settings: Settings) -> Self {
        let installed = std::mem::take(&mut settings.installed);
        let pullable = std::mem::take(&mut settings.pullable);
        let runners = Arc::new(Runners::new(settings.machine.clone()));
        let written = settings.log_file.take().map(Written::new);
        Self {
            log: Log::new(settings.keeps_log, written, runners.clock.clone()),
            runners,
            script: Mutex::default(),
            intercept: Mutex::default(),
            shelf: Shelf::new(installed, pullable),
            settings,
        }
    }

    pub(crate) fn plan(&self, call: &Call) -> Plan {
        let intercept = lock(&self.intercept).clone();
        let said = intercept.and_then(|hook| task::block_in_place(|| hook(call)));
        match said {
            Some(answer) => Plan::Say(answer),
            None => self.route(call).unwrap_or_else(|it| Plan::Say(*it)),
        }
    }

    fn route(&self, call: &Call) -> Result<Plan, Refusal> {
        let foreign = || call.header("host").is_some_and(|it| !host::is_allowed(it));
        if self.settings.checks_host && foreign() {
            return say(Answer::raw(403, "text/plain", ""));
        }
        match (&*call.path, &*call.method) {
            ("/", "GET" | "HEAD") => {
                say(plain(200, "text/plain; charset=utf-8", "Ollama is running"))
            }
            ("/api/version", "GET" | "HEAD") => say(ok(&json!({ "version": VERSION }))),
            ("/api/tags", "GET" | "HEAD") => say(ok(&json!({ "models": self.shelf.tags() }))),
            ("/api/ps", "GET") => say(ok(&json!({ "models": self.runners.list() }))),
            ("/api/show", "POST") => self.show(call),
            ("/api/chat", "POST") => self.converse(call),
            ("/api/embed", "POST") => self.embed(call),
            ("/api/pull", "POST") => self.pull(call),
            (path, _) if PATHS.contains(&path) => {
                say(plain(405, "text/plain", "405 method not allowed"))
            }
            _ => say(plain(404, "text/plain", "404 page not found")),
        }
    }

    fn show(&self, call: &Call) -> Result<Plan, Refusal> {
        checks::body(call)?;
        say(ok(&self.card(call)?.show()))
    }

    fn pull(&self, call: &Call) -> Result<Plan, Refusal> {
        checks::body(call)?;
        checks::name(call)?;
        say(self.shelf.pull(call)?)
    }

    fn converse(&self, call: &Call) -> Result<Plan, Refusal> {
        let keep_alive = checks::body(call)?;
        let card = self.card(call)?;
        let thinks = checks::abilities(call, &card)?;
        checks::values(call)?;
        let empty = !call.is_chat();
        if empty && keep_alive == Some(0) {
            self.runners.unload(&card);
            return say(self.silence(call, "unload"));
        }
        let needs = Needs::new(call, card, keep_alive, &self.runners.machine);
        if empty {
            return Ok(Plan::Run(needs, Work::Load(self.silence(call, "load"))));
        }
        let mut answer = self.scripted(call);
        if thinks && matches!(answer.body, Body::Shaped) && answer.thinking.is_empty() {
            answer.thinking = "Both sides have a point.".into();
        }
        Ok(match answer.body {
            Body::Raw { .. } | Body::Endless { .. } => Plan::Say(answer),
            Body::Text(_) | Body::Shaped => Plan::Run(needs, Work::Reply(answer)),
        })
    }

    fn scripted(&self, call: &Call) -> Answer {
        let script = lock(&self.script).clone();
        match script {
            Some(script) => task::block_in_place(|| script(call)),
            None => self.settings.reply.clone(),
        }
    }

    fn embed(&self, call: &Call) -> Result<Plan, Refusal> {
        let keep_alive = checks::body(call)?;
        let name = call.model();
        checks::name(call)?;
        let Some(card) = self.shelf.find(name) else {
            let message = format!("model {name:?} not found, try pulling it first");
            return refuse(404, &message);
        };
        checks::values(call)?;
        let needs = Needs::new(call, card, keep_alive, &self.runners.machine);
        let embedding = Embedding::new(call, needs.load.num_ctx)?;
        Ok(Plan::Run(needs, Work::Embed(embedding)))
    }

    fn card(&self, call: &Call) -> Result<Arc<Card>, Refusal> {
        let name = call.model();
        // A test may give a model a name that no registry would take.
        if let Some(card) = self.shelf.find(name) {
            return Ok(card);
        }
        checks::name(call)?;
        let missing = || {
            if is_cloud(name) { Answer::unauthorized() } else { Answer::model_not_found(name) }
        };
        Err(missing().into())
    }

    /// The answer to a request without messages.
    fn silence(&self, call: &Call, done_reason: &str) -> Answer {
        let now = clock::later(self.runners.clock.now());
        let message = json!({ "role": "assistant", "content": "" });
        ok(&json!({
            "model": call.model(), "created_at": now, "message": message,
            "done": true, "done_reason": done_reason,
        }))
    }
}

fn say(answer: Answer) -> Result<Plan, Refusal> {
    Ok(Plan::Say(answer))
}

fn plain(status: u16, content_type: &str, text: &str) -> Answer {
    Answer::raw(status, content_type, text)
}

fn ok(value: &Value) -> Answer {
    Answer::raw(200, JSON, encode(value))
}
