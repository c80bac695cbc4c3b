//! What the server knows and does: its models, its endpoints, the test's scripts.

use crate::answer::{Body, JSON, encode};
use crate::card::{Card, full_name};
use crate::dice::Dice;
use crate::loaded::{self, Loaded};
use crate::log::{Log, lock};
use crate::reply::estimate;
use crate::{Answer, Call, clock};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

const VERSION: &str = "0.33.0";
const PATHS: [&str; 7] = [
    "/",
    "/api/version",
    "/api/tags",
    "/api/ps",
    "/api/show",
    "/api/chat",
    "/api/embed",
];
const DIMENSIONS: usize = 8;
const LOAD_NS: u64 = 1_000_000;

pub(crate) type Script = Arc<dyn Fn(&Call) -> Answer + Send + Sync>;
pub(crate) type Intercept = Arc<dyn Fn(&Call) -> Option<Answer> + Send + Sync>;

/// An answer that ends a request early.
type Refusal = Box<Answer>;

pub(crate) struct Ollama {
    pub(crate) log: Log,
    pub(crate) loaded: Loaded,
    pub(crate) script: Mutex<Script>,
    pub(crate) intercept: Mutex<Intercept>,
    cards: Vec<Card>,
}

impl Ollama {
    pub(crate) fn new(cards: Vec<Card>) -> Self {
        Self {
            log: Log::default(),
            loaded: Loaded::default(),
            script: Mutex::new(Arc::new(|_| Answer::shaped())),
            intercept: Mutex::new(Arc::new(|_| None)),
            cards,
        }
    }

    pub(crate) fn answer(&self, call: &Call) -> Answer {
        let intercept = lock(&self.intercept).clone();
        intercept(call).unwrap_or_else(|| self.route(call))
    }

    fn route(&self, call: &Call) -> Answer {
        let answered = match (&*call.path, &*call.method) {
            ("/", "GET" | "HEAD") => Ok(Answer::raw(
                200,
                "text/plain; charset=utf-8",
                "Ollama is running",
            )),
            ("/api/version", "GET" | "HEAD") => Ok(ok(&json!({ "version": VERSION }))),
            ("/api/tags", "GET" | "HEAD") => Ok(ok(&json!({ "models": self.tags() }))),
            ("/api/ps", "GET") => Ok(ok(&json!({ "models": self.loaded.list() }))),
            ("/api/show", "POST") => self.show(call),
            ("/api/chat", "POST") => self.chat(call),
            ("/api/embed", "POST") => self.embed(call),
            (path, _) if PATHS.contains(&path) => {
                Ok(Answer::raw(405, "text/plain", "405 method not allowed"))
            }
            _ => Ok(Answer::raw(404, "text/plain", "404 page not found")),
        };
        answered.unwrap_or_else(|refusal| *refusal)
    }

    fn tags(&self) -> Value {
        self.cards.iter().map(Card::tag).collect()
    }

    fn show(&self, call: &Call) -> Result<Answer, Refusal> {
        check_body(call)?;
        Ok(ok(&self.card(call)?.show()))
    }

    fn chat(&self, call: &Call) -> Result<Answer, Refusal> {
        let keep_alive = check_body(call)?;
        let card = self.card(call)?;
        let thinks = check_abilities(call, card)?;
        self.loaded.load(card, &call.body["options"], keep_alive);
        if !call.is_chat() {
            return Ok(loading(call, keep_alive));
        }
        let script = lock(&self.script).clone();
        let mut answer = script(call);
        if thinks && matches!(answer.body, Body::Shaped) && answer.thinking.is_empty() {
            answer.thinking = "Both sides have a point.".into();
        }
        Ok(answer)
    }

    fn embed(&self, call: &Call) -> Result<Answer, Refusal> {
        let keep_alive = check_body(call)?;
        let missing = || {
            let name = call.model();
            Answer::status(
                404,
                &format!("model {name:?} not found, try pulling it first"),
            )
        };
        let card = self.find(call.model()).ok_or_else(missing)?;
        let inputs = inputs(&call.body["input"])?;
        self.loaded.load(card, &call.body["options"], keep_alive);
        Ok(ok(&embeddings(call, &inputs)))
    }

    fn card(&self, call: &Call) -> Result<&Card, Refusal> {
        let missing = || match call.model() {
            "" => Answer::status(400, "model is required"),
            name => Answer::model_not_found(name),
        };
        Ok(self.find(call.model()).ok_or_else(missing)?)
    }

    fn find(&self, name: &str) -> Option<&Card> {
        let name = full_name(name);
        self.cards.iter().find(|card| card.name == name)
    }
}

/// Refuses a body that cannot be read; gives its `keep_alive` in nanoseconds.
fn check_body(call: &Call) -> Result<u64, Refusal> {
    let refuse = |message: String| Box::new(Answer::status(400, &message));
    match &call.bad_body {
        Some(problem) => Err(refuse(problem.clone())),
        None => loaded::keep_alive(&call.body["keep_alive"]).map_err(refuse),
    }
}

/// Refuses a model that cannot chat or think as asked; says whether it thinks, as it does unless told not to.
fn check_abilities(call: &Call, card: &Card) -> Result<bool, Refusal> {
    let think = call.body["think"] != false;
    let asked = think && !call.body["think"].is_null();
    if asked && !card.can("thinking") {
        return Err(Answer::does_not_support_thinking(call.model()).into());
    }
    if !card.can("completion") {
        return Err(
            Answer::status(400, &format!("{:?} does not support chat", call.model())).into(),
        );
    }
    Ok(think && card.can("thinking"))
}

/// The answer to a chat without messages, which only loads or unloads.
fn loading(call: &Call, keep_alive: u64) -> Answer {
    let done_reason = if keep_alive == 0 { "unload" } else { "load" };
    ok(&json!({
        "model": call.model(), "created_at": clock::later(LOAD_NS),
        "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": done_reason,
    }))
}

fn inputs(input: &Value) -> Result<Vec<&str>, Refusal> {
    let texts = match input {
        Value::Null => Some(Vec::new()),
        Value::String(text) if text.is_empty() => Some(Vec::new()),
        Value::String(text) => Some(vec![&**text]),
        Value::Array(texts) => texts.iter().map(Value::as_str).collect(),
        _ => None,
    };
    Ok(texts.ok_or_else(|| Answer::status(400, "invalid input type"))?)
}

fn embeddings(call: &Call, inputs: &[&str]) -> Value {
    if inputs.is_empty() {
        return json!({ "model": call.model(), "embeddings": [] });
    }
    let vectors: Vec<Vec<f64>> = inputs.iter().map(|text| vector(text)).collect();
    let tokens: u64 = inputs.iter().map(|text| estimate(text)).sum();
    json!({
        "model": call.model(), "embeddings": vectors,
        "total_duration": LOAD_NS * (1 + tokens), "load_duration": LOAD_NS, "prompt_eval_count": tokens,
    })
}

/// A vector of length 1 that depends on `text` alone.
fn vector(text: &str) -> Vec<f64> {
    let mut dice = Dice::of(text);
    let side = |_| dice.below(2001) as f64 / 1000.0 - 1.0;
    let sides: Vec<f64> = (0..DIMENSIONS).map(side).collect();
    let norm = sides
        .iter()
        .map(|side| side * side)
        .sum::<f64>()
        .sqrt()
        .max(1e-12);
    sides.iter().map(|side| side / norm).collect()
}

fn ok(value: &Value) -> Answer {
    Answer::raw(200, JSON, encode(value))
}
