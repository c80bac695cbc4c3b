//! `/api/embed`: texts as vectors. Replies are checked; the server cuts nothing.

use serde::Deserialize;
use serde_json::{Value, json};

use super::call_time::CallTime;
use super::client::Ollama;
use super::wire::{MAX_ANSWER, read};
use crate::model::{CallError, Durations, Embeddings, Fault, Result};
use crate::text;

/// Maximum texts a request: with thousands of dimensions its answer still stays below what is read of one.
const MOST_TEXTS: usize = 64;

/// What the server sends. A number that is not finite, or too large to be one here, does not parse.
#[derive(Deserialize)]
struct Answer {
    embeddings: Vec<Vec<f32>>,
    #[serde(default)]
    total_duration: Value,
    #[serde(default)]
    load_duration: Value,
}

impl Ollama {
    /// A vector for each text, with as many requests as that takes.
    pub(super) async fn embeddings(&self, model: &str, texts: &[String]) -> Result<Embeddings> {
        let began = CallTime::begin();
        let mut all = Embeddings::default();
        for some in texts.chunks(MOST_TEXTS) {
            let answer = self.ask_for_vectors(model, some).await?;
            check(&answer, some.len())?;
            add(&mut all, answer);
        }
        let mut pairs = all.vectors.windows(2);
        if pairs.any(|pair| pair[0].len() != pair[1].len()) {
            return Err(unusable("vectors of different lengths"));
        }
        all.ns = all.ns.of_call(began.elapsed());
        Ok(all)
    }

    async fn ask_for_vectors(&self, model: &str, texts: &[String]) -> Result<Answer> {
        let body = json!({
            "model": model,
            "input": texts,
            "truncate": false,
            "keep_alive": self.keep_alive(model),
            "options": self.load_options(model),
        });
        let mut deadlines = self.deadlines(model, 0);
        let response = self.post("/api/embed", &body, &mut deadlines).await?;
        let body = self.in_time(read(response, MAX_ANSWER)).await?;
        serde_json::from_slice(&body).map_err(|e| {
            let sent = self.secret.hide(&e.to_string());
            unusable(&format!("no embeddings ({sent})"))
        })
    }
}

fn check(answer: &Answer, texts: usize) -> Result<()> {
    let vectors = &answer.embeddings;
    if vectors.len() != texts {
        let sent = text::count(vectors.len() as u64, "vector");
        let asked = text::count(texts as u64, "text");
        return Err(unusable(&format!("{sent} for {asked}")));
    }
    if vectors.iter().any(Vec::is_empty) {
        return Err(unusable("an empty vector"));
    }
    Ok(())
}

fn add(all: &mut Embeddings, answer: Answer) {
    let number = |value: Value| value.as_u64().unwrap_or(0);
    let (total, load) = (number(answer.total_duration), number(answer.load_duration));
    let ns = &mut all.ns;
    *ns = Durations {
        load: ns.load.saturating_add(load),
        prompt: ns.prompt.saturating_add(total.saturating_sub(load)),
        ..Durations::default()
    };
    all.vectors.extend(answer.embeddings);
}

fn unusable(what: &str) -> CallError {
    CallError::new(Fault::BrokenStream, format!("the server sent {what}"))
}
