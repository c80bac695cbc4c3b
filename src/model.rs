//! The trait of whatever replies to a debate (`Model`), with its requests, replies and failures.

pub mod contexts;
pub mod ollama;
pub mod permit;
pub mod rehearsal;
pub(crate) mod reply_fault;
pub mod self_judging;
pub mod server;
pub(crate) mod stall_tolerant;
pub(crate) mod stoppable;
pub(crate) mod thinking_tags;

use std::fmt;
use std::time::Duration;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::Canonical;
use crate::job::models::sampling_options::SamplingOptions;

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// What holds for the whole debate.
    System,
    /// What the model is asked.
    User,
    /// What the model said before.
    Assistant,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// One attempt of one named call; serialized without its texts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The call's name, such as `round-2/ballot/position_y_3`.
    pub call: String,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The model's name.
    pub model: String,
    /// The prompt.
    #[serde(skip)]
    pub messages: Vec<Message>,
    /// Sampling temperature.
    pub temperature: f64,
    /// Maximum tokens the model may produce, thinking included.
    pub num_predict: u32,
    /// 31 bits.
    pub seed: u32,
    /// The JSON Schema the reply must have, if it is not free text.
    #[serde(skip)]
    pub schema: Option<Value>,
    /// Whether the model thinks first.
    pub think: bool,
    /// How it samples, beyond the temperature.
    #[serde(default, skip_serializing_if = "SamplingOptions::is_empty")]
    pub options: SamplingOptions,
}

impl Request {
    /// All that decides what a model replies: what the journal checks on resume. Host, `keep_alive` and the loaded
    /// context are no part of it.
    pub fn digest(&self) -> String {
        let options = (!self.options.is_empty()).then(|| serde_json::json!(self.options));
        let messages = self
            .messages
            .iter()
            .map(|message| DigestedMessage { content: &message.content, role: message.role });
        crate::digest::of_canonical(&Digested {
            messages: messages.collect(),
            model: &self.model,
            num_predict: self.num_predict,
            options: options.as_ref().map(Canonical),
            schema: self.schema.as_ref().map(Canonical),
            seed: self.seed,
            temperature: self.temperature,
            think: self.think,
        })
    }

    /// Characters of the prompt.
    pub fn characters(&self) -> usize {
        self.messages.iter().map(|m| m.content.chars().count()).sum()
    }
}

/// What a request's digest is of, in canonical order: built as a JSON value, every prompt would be copied.
#[derive(Serialize)]
struct Digested<'r> {
    messages: Vec<DigestedMessage<'r>>,
    model: &'r str,
    num_predict: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Canonical<'r>>,
    schema: Option<Canonical<'r>>,
    seed: u32,
    temperature: f64,
    think: bool,
}

#[derive(Serialize)]
struct DigestedMessage<'r> {
    content: &'r str,
    role: Role,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoneReason {
    /// It was done.
    Stop,
    /// It ran into `num_predict` or the end of its context.
    Length,
    /// It did not stop: it went on beyond `num_predict`, and was ended by us.
    Overrun,
}

/// Tokens of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tokens {
    /// Of the prompt, cached ones included.
    pub prompt: u64,
    /// Of the reply, thinking included.
    pub reply: u64,
}

/// Durations of a call in nanoseconds, as the server reports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Durations {
    /// Waiting for and loading the model.
    pub load: u64,
    /// Waiting for a slot of the model, where the server says. It is for the scheduler and is in no journal.
    #[serde(skip)]
    pub queue: Option<u64>,
    /// Reading the prompt.
    pub prompt: u64,
    /// Producing the reply.
    pub reply: u64,
    /// How long each can have taken at most by our own clock. It is only noted if the server reports more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u64>,
}

/// How much longer than on our own clock a call can have taken for its server: a server for tests may report time that it does
/// not let pass.
const SLACK: Duration = Duration::from_secs(3600);
/// Maximum time a server can spend on one call whose own time is not known, in nanoseconds: 30 days.
const LONGEST: u64 = 30 * 24 * 3600 * 1_000_000_000;

impl Durations {
    /// These durations of a call that took so long here.
    #[must_use]
    pub(crate) fn of_call(self, took: Duration) -> Self {
        let most = took.saturating_add(SLACK).as_nanos();
        let most = u64::try_from(most).map_or(LONGEST, |most| most.min(LONGEST));
        let parts = [self.load, self.prompt, self.reply];
        let longest = parts.into_iter().chain(self.queue).max().unwrap_or(0);
        Self { most: (longest > most).then_some(most), ..self }
    }

    /// How long each can have taken at most.
    pub(crate) fn longest(self) -> u64 {
        self.most.unwrap_or(LONGEST)
    }

    /// One of them; 0 if it is longer than can be.
    pub(crate) fn believed(self, ns: u64) -> u64 {
        if ns <= self.longest() { ns } else { 0 }
    }
}

/// A whole reply: the server said that it is done, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The text.
    pub text: String,
    /// What was thought, kept apart.
    pub thinking: Option<String>,
    /// Why it ended.
    pub done_reason: DoneReason,
    /// Its tokens.
    pub tokens: Tokens,
    /// Its durations.
    pub ns: Durations,
    /// The model that replied, as the server says, if that is not the one that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_other: Option<String>,
    /// Whether it calls a tool, although the model was given none.
    #[serde(skip)]
    pub calls_tool: bool,
}

/// What went wrong with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The stream ended without its final chunk, or held something else.
    BrokenStream,
    /// No first token, or none after the last, within the limit.
    Timeout,
    /// A whole reply without text.
    EmptyReply,
    /// A reply that repeats itself without end.
    LoopingReply,
    /// A reply that only repeats what was asked.
    EchoingReply,
    /// The reply ran into its limit before it said anything.
    NoRoomToSpeak,
    /// So it did because the model thought, which it was not asked to.
    UnrequestedThinking,
    /// The context was full before the reply's own limit.
    ContextFull,
    /// The prompt does not fit into the context.
    ContextExceeded,
    /// The server failed while the model ran.
    ServerError,
    /// The server refuses the request as it is.
    BadRequest,
    /// No connection to the server.
    NoConnection,
    /// The server is full.
    Busy,
    /// The server cannot load the model.
    LoadFailed,
    /// The server has no such model.
    ModelNotFound,
    /// The server wants a key, or another one.
    AccessDenied,
    /// The server does not let this model be used.
    Forbidden,
    /// Something other than a model server answers: a proxy, a login page, another program.
    #[serde(rename = "not_ollama")]
    ForeignServer,
    /// The server has no such endpoint, and a debate can continue without it.
    Unsupported,
    /// This machine is short of open files or of memory.
    OutOfFiles,
}

/// Who must deal with a fault (row M2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Another attempt may do better.
    MayHeal,
    /// The same request fails again.
    CannotHeal,
    /// The server's: wait, it is not an attempt.
    Server,
    /// This machine's: wait, it is not an attempt and says nothing of the server.
    Local,
}

impl Fault {
    /// The kind of trouble that this fault is.
    pub fn trouble(self) -> Trouble {
        match self {
            Fault::BadRequest | Fault::Unsupported => Trouble::CannotHeal,
            Fault::OutOfFiles => Trouble::Local,
            Fault::NoConnection
            | Fault::Busy
            | Fault::LoadFailed
            | Fault::ModelNotFound
            | Fault::AccessDenied
            | Fault::Forbidden
            | Fault::ForeignServer => Trouble::Server,
            _ => Trouble::MayHeal,
        }
    }

    /// Whether the request may not have been answered at all, so that it is sent again as it was, seed included.
    pub fn is_transport(self) -> bool {
        matches!(self, Fault::BrokenStream | Fault::Timeout | Fault::ServerError)
    }

    /// Its name for people.
    pub fn words(self) -> String {
        self.to_string().replace('_', " ")
    }
}

impl fmt::Display for Fault {
    /// The word in journals and traces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// What a call comes to.
pub type Result<T, E = CallError> = std::result::Result<T, E>;

/// A call without a usable reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallError {
    /// What went wrong.
    pub fault: Fault,
    /// The status of the server's answer, if that was an error.
    pub status: Option<u16>,
    /// In words, for people.
    pub message: String,
    /// What the user can do about it, where the backend knows.
    pub remedy: Option<String>,
    /// How long the server asks to be left alone.
    pub wait: Option<Duration>,
}

impl CallError {
    /// A fault with its description.
    pub fn new(fault: Fault, message: impl Into<String>) -> Self {
        Self { fault, status: None, message: message.into(), remedy: None, wait: None }
    }
}

/// Texts as vectors: the smaller the angle between two, the nearer the texts are in meaning.
#[derive(Debug, Clone, Default)]
pub struct Embeddings {
    /// One for each text, in order, all of one length.
    pub vectors: Vec<Vec<f32>>,
    /// The digest of the model's weights, where it was looked up.
    pub digest: Option<String>,
    /// How long they took; no time where every vector was known.
    pub ns: Durations,
}

/// Why a call has no reply: it failed, the batch stops, or it waits no longer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoReply {
    /// The call failed.
    #[error(transparent)]
    Failed(#[from] CallError),
    /// The run is stopping; the call was not made.
    #[error("the run is stopping")]
    Stopped,
    /// The server's trouble lasted too long: leave the debate unfinished, with the cause.
    #[error("{0}")]
    Parked(String),
    /// The model's weights are not those that the debate began with, on any server: leave it unfinished, with the cause.
    #[error("{0}")]
    Outdated(String),
}

/// What a server knows about a model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Card {
    /// The digest of its weights.
    pub digest: Option<String>,
    /// Its family, such as `llama`.
    pub family: Option<String>,
    /// Its size, such as `8.0B`.
    pub parameters: Option<String>,
    /// Its quantization, such as `Q4_0`.
    pub quantization: Option<String>,
    /// The context it was trained for, in tokens.
    pub context_length: Option<u64>,
    /// The server's version.
    pub server: Option<String>,
    /// Its ancestors, by name or digest, nearest first, if the server reports them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage: Vec<String>,
}

/// What stands behind a model's name on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Weights {
    /// The server does not say.
    Unknown,
    /// Nothing: the model is not pulled.
    Absent,
    /// Weights with this digest.
    Digest(String),
}

/// Text as it arrives, for whoever watches.
#[derive(Debug, Clone, Copy)]
pub enum Chunk<'a> {
    /// A part of what is said.
    Said(&'a str),
    /// A part of what is thought.
    Thought(&'a str),
    /// The request goes to a server now: what came of it before is void.
    Sent,
    /// The server failed it; it waits until it is sent again, if it is.
    Returned,
}

/// Takes text as it arrives.
pub type OnChunk<'a> = &'a (dyn Fn(Chunk<'_>) + Send + Sync);

/// A future that owns nothing the caller must keep.
pub type Answering<'a, T> = BoxFuture<'a, Result<T, NoReply>>;

/// Whatever answers calls: a server, the rehearsal, a pool of servers, a script in a test.
pub trait Model: Send + Sync {
    /// Answers one attempt of a call.
    fn chat<'a>(&'a self, request: &'a Request, on_chunk: OnChunk<'a>) -> Answering<'a, Reply>;

    /// What is known about a model; nothing if there are no cards.
    fn card<'a>(&'a self, _model: &'a str) -> Answering<'a, Card> {
        Box::pin(async { Ok(Card::default()) })
    }

    /// What stands behind a model's name.
    fn weights<'a>(&'a self, _model: &'a str) -> Answering<'a, Weights> {
        Box::pin(async { Ok(Weights::Unknown) })
    }

    /// From now on no other weights answer for a model, where several could.
    fn pin(&self, _model: &str, _digest: &str) {}

    /// A vector for each text. Debates can continue without: trouble that is the model's own comes back as a failure.
    fn embed<'a>(&'a self, model: &'a str, _texts: &'a [String]) -> Answering<'a, Embeddings> {
        let message = format!("{model} cannot embed texts here");
        Box::pin(async { Err(CallError::new(Fault::Unsupported, message).into()) })
    }

    /// The models that are in memory, by their full names; nothing if that can't be known.
    fn in_memory(&self) -> BoxFuture<'_, Option<Vec<String>>> {
        Box::pin(async { None })
    }

    /// Whether whoever answers is there at all; what is not a server always is.
    fn is_there(&self) -> BoxFuture<'_, bool> {
        Box::pin(async { true })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn m6_a_requests_digest_is_that_of_its_canonical_json() {
        let (system, user) = ("Ihr sprecht über \"Trams\".\n", "Say why.\t");
        let message = |role, content: &str| Message { role, content: content.to_owned() };
        let schema = json!({"type": "object", "properties": {"b": {"type": "string"}, "a": {}}});
        let request = Request {
            call: "round-1/ballot/x".to_owned(),
            attempt: 2,
            model: "llama3".to_owned(),
            messages: vec![message(Role::System, system), message(Role::User, user)],
            temperature: 1.0,
            num_predict: 800,
            seed: 7,
            schema: Some(schema.clone()),
            think: true,
            options: SamplingOptions::from([("top_p".to_owned(), json!(0.8))]),
        };
        let all = json!({
            "model": "llama3",
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
            "temperature": 1.0, "num_predict": 800, "seed": 7, "think": true,
            "schema": schema, "options": {"top_p": 0.8},
        });
        assert_eq!(request.digest(), crate::digest::of_json(&all));
        let plain = Request { schema: None, options: SamplingOptions::new(), ..request };
        let mut all = all;
        all["schema"] = Value::Null;
        all.as_object_mut().unwrap().remove("options");
        assert_eq!(plain.digest(), crate::digest::of_json(&all));
    }
}
