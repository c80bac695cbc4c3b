//! Ollama's native API: one streamed request per call, every load option explicit.

mod client;
mod deadlines;
mod embed;
mod errors;
pub mod host;
mod pace;
mod secret;
mod stream;
mod wire;

use std::future::Future;
use std::pin::Pin;

use reqwest::Client;
use serde_json::{Map, Value, json};

pub use self::client::{Limits, Ollama};

use self::wire::with_json;
use super::{Answering, CallError, Card, Embeddings, Fault, Model, OnChunk, Reply, Request};
use crate::job::model_name::same_model;

/// How long the model stays loaded after a call: longer than any pause inside a batch.
const KEEP_ALIVE: &str = "30m";

/// A model that the server has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pulled {
    /// Its full name, tag included.
    pub name: String,
    /// The digest of its weights.
    pub digest: Option<String>,
    /// Its size in bytes.
    pub size: u64,
}

/// A model that the server holds in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Its full name.
    pub name: String,
    /// Bytes in all.
    pub size: u64,
    /// Bytes on graphics cards.
    pub size_vram: u64,
    /// Tokens of context a slot.
    pub context_length: Option<u64>,
}

impl Ollama {
    /// The server's version.
    pub async fn version(&self) -> Result<String, CallError> {
        self.version_by(&self.client).await
    }

    async fn version_by(&self, client: &Client) -> Result<String, CallError> {
        let request = client.get(self.host.url("/api/version"));
        let answer = self.json(client, request).await?;
        answer["version"]
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| self.not_ollama())
    }

    /// The models that are pulled.
    pub async fn tags(&self) -> Result<Vec<Pulled>, CallError> {
        let answer = self.get("/api/tags").await?;
        let models = answer["models"]
            .as_array()
            .ok_or_else(|| self.not_ollama())?;
        let pulled = |m: &Value| Pulled {
            name: text(m, "name"),
            digest: optional(m, "digest"),
            size: m["size"].as_u64().unwrap_or(0),
        };
        Ok(models.iter().map(pulled).collect())
    }

    /// The models in memory.
    pub async fn loaded(&self) -> Result<Vec<Loaded>, CallError> {
        let answer = self.get("/api/ps").await?;
        let models = answer["models"].as_array().cloned().unwrap_or_default();
        let loaded = |m: &Value| Loaded {
            name: text(m, "name"),
            size: m["size"].as_u64().unwrap_or(0),
            size_vram: m["size_vram"].as_u64().unwrap_or(0),
            context_length: m["context_length"].as_u64(),
        };
        Ok(models.iter().map(loaded).collect())
    }

    /// What the server knows about a model.
    pub async fn show(&self, model: &str) -> Result<Card, CallError> {
        let request = self.client.post(self.host.url("/api/show"));
        let request = with_json(request, &json!({"model": model}));
        let shown = self.json(&self.client, request).await?;
        let info = &shown["model_info"];
        let family = info["general.architecture"].as_str().map(str::to_owned);
        let trained = family
            .as_ref()
            .and_then(|arch| info[format!("{arch}.context_length")].as_u64());
        let details = &shown["details"];
        Ok(Card {
            digest: self.digest_of(model).await?,
            family: optional(details, "family").or(family),
            parameters: optional(details, "parameter_size"),
            quantization: optional(details, "quantization_level"),
            context_length: trained,
            server: Some(self.version().await?),
        })
    }

    /// The digest of a model's weights, where the server lists it.
    async fn digest_of(&self, model: &str) -> Result<Option<String>, CallError> {
        let pulled = match self.tags().await {
            Err(error) if error.fault == Fault::Unsupported => Vec::new(),
            other => other?,
        };
        let its = pulled.into_iter().find(|it| same_model(&it.name, model));
        Ok(its.and_then(|it| it.digest))
    }

    async fn ask(&self, request: &Request, on_chunk: OnChunk<'_>) -> Result<Reply, CallError> {
        let mut deadlines = self.deadlines(&request.model, request.num_predict.into());
        let body = self.body(request);
        let response = self.post("/api/chat", &body, &mut deadlines).await?;
        self.listen(request, response.bytes_stream(), deadlines, on_chunk)
            .await
    }

    /// With what a model is loaded: the same in every request, or each would load it anew.
    fn load_options(&self, model: &str) -> Map<String, Value> {
        let context = self.contexts.of(model).unwrap_or(8192);
        let load = self.contexts.load(model);
        let mut options: Map<String, Value> = load
            .options()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        options.insert("num_ctx".to_owned(), context.into());
        options
    }

    /// How long a model stays loaded after a call.
    fn keep_alive(&self, model: &str) -> Value {
        let load = self.contexts.load(model);
        load.keep_alive()
            .cloned()
            .unwrap_or_else(|| KEEP_ALIVE.into())
    }

    /// The request as Ollama reads it; `truncate` and `shift` off, so that nothing is ever dropped silently.
    fn body(&self, request: &Request) -> Value {
        let mut options = self.load_options(&request.model);
        options.extend(request.options.clone());
        options.insert("num_predict".to_owned(), request.num_predict.into());
        options.insert("temperature".to_owned(), request.temperature.into());
        options.insert("seed".to_owned(), request.seed.into());
        let mut body = json!({
            "model": request.model,
            "messages": request.messages,
            "stream": true,
            "think": request.think,
            "truncate": false,
            "shift": false,
            "keep_alive": self.keep_alive(&request.model),
            "options": options,
        });
        if let Some(schema) = &request.schema {
            body["format"] = schema.clone();
        }
        body
    }
}

impl Model for Ollama {
    fn chat<'a>(&'a self, request: &'a Request, on_chunk: OnChunk<'a>) -> Answering<'a, Reply> {
        Box::pin(async move { Ok(self.ask(request, on_chunk).await?) })
    }

    fn card<'a>(&'a self, model: &'a str) -> Answering<'a, Card> {
        Box::pin(async move { Ok(self.show(model).await?) })
    }

    fn embed<'a>(&'a self, model: &'a str, texts: &'a [String]) -> Answering<'a, Embeddings> {
        Box::pin(async move { Ok(self.embeddings(model, texts).await?) })
    }

    fn is_there(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(async {
            match self.version_by(&self.prober).await {
                Ok(_) => true,
                // To be short of files here says nothing of who is there.
                Err(error) => error.fault == Fault::OutOfFiles,
            }
        })
    }
}

fn text(value: &Value, key: &str) -> String {
    optional(value, key).unwrap_or_default()
}

fn optional(value: &Value, key: &str) -> Option<String> {
    value[key]
        .as_str()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}
