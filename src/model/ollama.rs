//! Ollama's native API: one streamed request a call, every load option explicit.

mod errors;
pub mod host;
mod stream;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use futures_util::StreamExt;
use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use self::errors::classify;
use self::host::Host;
use self::stream::Assembly;
use super::contexts::{Contexts, same_model};
use super::{Answering, CallError, Card, Fault, Model, OnChunk, Reply, Request};

/// How long the model stays loaded after a call: longer than any pause inside a batch.
const KEEP_ALIVE: &str = "30m";

/// How long to wait for what. There is no limit on a whole reply: a long one is no fault.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For a connection.
    pub connect: Duration,
    /// For the first token: the model may have to load, and others may be before us.
    pub first_token: Duration,
    /// Between two tokens.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_token: Duration::from_secs(900),
            idle: Duration::from_secs(120),
        }
    }
}

/// A client of one Ollama server.
#[derive(Debug, Clone)]
pub struct Ollama {
    client: Client,
    host: Host,
    limits: Limits,
    contexts: Contexts,
}

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
    /// A client of `host`; `key` is sent as a bearer token and stored nowhere.
    ///
    /// # Errors
    /// When the key cannot be a header, or the TLS library cannot start.
    pub fn new(
        host: Host,
        key: Option<&str>,
        limits: Limits,
        contexts: Contexts,
    ) -> Result<Self, String> {
        let mut builder = Client::builder()
            .connect_timeout(limits.connect)
            .redirect(reqwest::redirect::Policy::none());
        if host.is_loopback() {
            builder = builder.no_proxy();
        }
        if host.is_plain_loopback() {
            // Nothing here can want TLS: the system's certificates, which take 20 ms to read, stay unread.
            builder = builder.tls_certs_only([]);
        }
        if let Some(key) = key {
            let mut value = reqwest::header::HeaderValue::from_str(&format!("Bearer {key}"))
                .map_err(|_| "OLLAMA_API_KEY holds characters that no key has".to_owned())?;
            value.set_sensitive(true);
            builder = builder.default_headers(
                [(reqwest::header::AUTHORIZATION, value)]
                    .into_iter()
                    .collect(),
            );
        }
        let client = builder
            .build()
            .map_err(|e| format!("cannot set up the client: {e}"))?;
        Ok(Self {
            client,
            host,
            limits,
            contexts,
        })
    }

    /// The server's address.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The server's version; fast, so that it tells whether the server is there.
    pub async fn version(&self) -> Result<String, CallError> {
        let answer = self
            .json(self.client.get(self.host.url("/api/version")))
            .await?;
        answer["version"]
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| self.not_ollama())
    }

    /// The models that are pulled.
    pub async fn tags(&self) -> Result<Vec<Pulled>, CallError> {
        let answer = self
            .json(self.client.get(self.host.url("/api/tags")))
            .await?;
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
        let answer = self.json(self.client.get(self.host.url("/api/ps"))).await?;
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
        let shown = self
            .json(with_json(request, &json!({"model": model})))
            .await?;
        let digest = self
            .tags()
            .await?
            .into_iter()
            .find(|p| same_model(&p.name, model))
            .and_then(|p| p.digest);
        let info = &shown["model_info"];
        let family = info["general.architecture"].as_str().map(str::to_owned);
        let trained = family
            .as_ref()
            .and_then(|arch| info[format!("{arch}.context_length")].as_u64());
        let details = &shown["details"];
        Ok(Card {
            digest,
            family: optional(details, "family").or(family),
            parameters: optional(details, "parameter_size"),
            quantization: optional(details, "quantization_level"),
            context_length: trained,
            server: Some(self.version().await?),
        })
    }

    async fn json(&self, request: RequestBuilder) -> Result<Value, CallError> {
        let limit = self.limits.connect.max(Duration::from_secs(10));
        let response = request
            .timeout(limit)
            .send()
            .await
            .map_err(|e| self.transport(&e))?;
        let status = response.status().as_u16();
        let body = response.bytes().await.map_err(|e| self.transport(&e))?;
        if status != 200 {
            return Err(classify(status, &body));
        }
        serde_json::from_slice(&body).map_err(|_| self.not_ollama())
    }

    fn not_ollama(&self) -> CallError {
        CallError::new(
            Fault::BadRequest,
            format!("{} answers, but not as an Ollama server does", self.host),
        )
    }

    fn transport(&self, error: &reqwest::Error) -> CallError {
        if error.is_connect() {
            return CallError::new(
                Fault::NoConnection,
                format!("no connection to {}: {}", self.host, innermost(error)),
            );
        }
        let fault = if error.is_timeout() {
            Fault::Timeout
        } else {
            Fault::BrokenStream
        };
        CallError::new(
            fault,
            format!(
                "the connection to {} broke: {}",
                self.host,
                innermost(error)
            ),
        )
    }

    async fn ask(&self, request: &Request, on_chunk: OnChunk<'_>) -> Result<Reply, CallError> {
        let post = with_json(
            self.client.post(self.host.url("/api/chat")),
            &self.body(request),
        );
        let deadline = Instant::now() + self.limits.first_token;
        let sent = timeout_at(deadline, post.send()).await;
        let response = sent
            .map_err(|_| self.no_first_token())?
            .map_err(|e| self.transport(&e))?;
        let status = response.status().as_u16();
        if status != 200 {
            let body = tokio::time::timeout(self.limits.idle, response.bytes()).await;
            let body = body
                .map_err(|_| went_silent(self.limits.idle))?
                .map_err(|e| self.transport(&e))?;
            return Err(classify(status, &body));
        }
        self.receive(response, deadline, on_chunk).await
    }

    /// Reads the stream: the first line by `deadline`, each further part within the idle limit.
    async fn receive(
        &self,
        response: Response,
        deadline: Instant,
        on_chunk: OnChunk<'_>,
    ) -> Result<Reply, CallError> {
        let mut body = response.bytes_stream();
        let mut assembly = Assembly::default();
        loop {
            let begun = assembly.has_begun();
            let until = if begun {
                Instant::now() + self.limits.idle
            } else {
                deadline
            };
            let next = timeout_at(until, body.next()).await;
            match next.map_err(|_| {
                if begun {
                    went_silent(self.limits.idle)
                } else {
                    self.no_first_token()
                }
            })? {
                None => return assembly.finish(),
                Some(Err(e)) => return Err(self.transport(&e)),
                Some(Ok(bytes)) => {
                    if let Some(reply) = assembly.push(&bytes, on_chunk)? {
                        return Ok(reply);
                    }
                }
            }
        }
    }

    fn no_first_token(&self) -> CallError {
        let limit = self.limits.first_token.as_secs_f64();
        CallError::new(Fault::Timeout, format!("no first token within {limit} s"))
    }

    /// The request as Ollama reads it; `truncate` and `shift` off, so that nothing is ever dropped silently.
    fn body(&self, request: &Request) -> Value {
        let num_ctx = self.contexts.of(&request.model).unwrap_or(8192);
        let mut body = json!({
            "model": request.model,
            "messages": request.messages,
            "stream": true,
            "think": request.think,
            "truncate": false,
            "shift": false,
            "keep_alive": KEEP_ALIVE,
            "options": {
                "num_ctx": num_ctx,
                "num_predict": request.num_predict,
                "temperature": request.temperature,
                "seed": request.seed,
            },
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

    fn is_there(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(async { self.version().await.is_ok() })
    }
}

fn with_json(request: RequestBuilder, body: &Value) -> RequestBuilder {
    request
        .header(reqwest::header::CONTENT_TYPE, "application/json")
        .body(body.to_string())
}

fn went_silent(limit: Duration) -> CallError {
    CallError::new(
        Fault::Timeout,
        format!("the reply went silent for {} s", limit.as_secs_f64()),
    )
}

/// The last cause in a chain of errors: what the operating system said.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
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
