//! The installed models, and those that can be pulled.

use crate::answer::{JSON, encode};
use crate::card::Card;
use crate::checks::{Refusal, refuse};
use crate::log::lock;
use crate::name::full_name;
use crate::{Answer, Call};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

pub(crate) struct Shelf {
    installed: Mutex<Vec<Arc<Card>>>,
    pullable: Vec<Card>,
}

impl Shelf {
    pub(crate) fn new(installed: Vec<Card>, pullable: Vec<Card>) -> Self {
        let installed = Mutex::new(installed.into_iter().map(Arc::new).collect());
        Self { installed, pullable }
    }

    pub(crate) fn find(&self, name: &str) -> Option<Arc<Card>> {
        let name = full_name(name);
        let installed = lock(&self.installed);
        installed.iter().find(|card| card.name == name).cloned()
    }

    /// The entries of `/api/tags`.
    pub(crate) fn tags(&self) -> Value {
        lock(&self.installed).iter().map(|it| it.tag()).collect()
    }

    /// Installs a model if it can be had, newest first, and tells how that goes.
    pub(crate) fn pull(&self, call: &Call) -> Result<Answer, Refusal> {
        let known = self.find(call.model());
        let Some(card) = known.clone().or_else(|| self.offered(call.model())) else {
            return missing(call);
        };
        if known.is_none() {
            lock(&self.installed).insert(0, card.clone());
        }
        if call.body["stream"] == false {
            let success = json!({ "status": "success" });
            return Ok(Answer::raw(200, JSON, encode(&success)));
        }
        Ok(lines(&progress(&card)))
    }

    fn offered(&self, name: &str) -> Option<Arc<Card>> {
        let name = full_name(name);
        let card = self.pullable.iter().find(|card| card.name == name)?;
        Some(Arc::new(card.clone()))
    }
}

fn missing(call: &Call) -> Result<Answer, Refusal> {
    let problem = "pull model manifest: file does not exist";
    if call.body["stream"] == false {
        return refuse(500, problem);
    }
    let begin = json!({ "status": "pulling manifest" });
    Ok(lines(&[begin, json!({ "error": problem })]))
}

fn progress(card: &Card) -> Vec<Value> {
    let status = |it: &str| json!({ "status": it });
    let pulling = format!("pulling {}", card.digest.get(..12).unwrap_or(&card.digest));
    let digest = format!("sha256:{}", card.digest);
    let layer = |completed: u64| json!({ "status": pulling, "digest": digest, "total": card.size, "completed": completed });
    let mut lines = vec![status("pulling manifest")];
    lines.extend(
        (0..=4).map(|quarter| layer(card.size / 4 * quarter + card.size % 4 * (quarter / 4))),
    );
    let ends = ["verifying sha256 digest", "writing manifest", "removing unused layers", "success"];
    lines.extend(ends.map(status));
    lines
}

fn lines(values: &[Value]) -> Answer {
    let lines = values.iter().map(|value| encode(value) + "\n");
    Answer::raw(200, "application/x-ndjson", lines.collect::<String>())
}
