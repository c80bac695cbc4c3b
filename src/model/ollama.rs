//! Ollama's native API: one streamed request a call, every load option explicit.

mod embed;
mod errors;
pub mod host;
mod stream;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use futures_util::StreamExt;
use reqwest::{Client, ClientBuilder, RequestBuilder, Response};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use self::errors::{classify, redirect};
use self::host::Host;
use self::stream::{Assembly, foreign};
use super::contexts::Contexts;
use super::patience::within;
use super::{Answering, CallError, Card, Embeddings, Fault, Model, OnChunk, Reply, Request};
use crate::job::model_name::same_model;
use crate::text;

/// How long the model stays loaded after a call: longer than any pause inside a batch.
const KEEP_ALIVE: &str = "30m";

/// The longest answer that is read which is no stream of a reply, in bytes; an error needs far less.
const MAX_ANSWER: usize = 8 << 20;
const MAX_ERROR: usize = 64 << 10;

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
    /// Connects anew each time: over a connection that is open already, a server that is going away may still answer.
    prober: Client,
    host: Host,
    limits: Limits,
    contexts: Contexts,
}

/// The wait for a reply's first token.
struct FirstToken<'a> {
    model: &'a str,
    began: Instant,
    extended: bool,
}

impl<'a> FirstToken<'a> {
    fn of(model: &'a str) -> Self {
        Self {
            model,
            began: Instant::now(),
            extended: false,
        }
    }
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
        let fail = |e| format!("cannot set up the client: {e}");
        let prober = client_to(&host, key, limits)?.pool_max_idle_per_host(0);
        Ok(Self {
            client: client_to(&host, key, limits)?.build().map_err(fail)?,
            prober: prober.build().map_err(fail)?,
            host,
            limits,
            contexts,
        })
    }

    /// The server's address.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The server's version.
    pub async fn version(&self) -> Result<String, CallError> {
        self.version_by(&self.client).await
    }

    async fn version_by(&self, client: &Client) -> Result<String, CallError> {
        let request = client.get(self.host.url("/api/version"));
        let answer = self.json(request).await?;
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
        if response.status().as_u16() != 200 {
            return Err(self.refusal(response).await);
        }
        let body = read(response, MAX_ANSWER).await;
        let body = body.map_err(|e| self.transport(&e))?;
        serde_json::from_slice(&body).map_err(|_| self.not_ollama())
    }

    /// What an answer means whose status is not 200.
    async fn refusal(&self, response: Response) -> CallError {
        let status = response.status().as_u16();
        let target = response.headers().get(reqwest::header::LOCATION);
        if let Some(target) = target.filter(|_| response.status().is_redirection()) {
            return redirect(status, &String::from_utf8_lossy(target.as_bytes()));
        }
        match within(self.limits.idle, read(response, MAX_ERROR)).await {
            Some(Ok(body)) => classify(status, &body),
            Some(Err(e)) => self.transport(&e),
            None => went_silent(self.limits.idle),
        }
    }

    fn not_ollama(&self) -> CallError {
        CallError::new(
            Fault::NotOllama,
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
        let mut first = FirstToken::of(&request.model);
        let body = self.body(request);
        let response = self.post("/api/chat", &body, &mut first).await?;
        self.receive(response, first, on_chunk).await
    }

    /// Asks something of a model, and waits for the beginning of what can be its answer.
    async fn post(
        &self,
        path: &str,
        body: &Value,
        first: &mut FirstToken<'_>,
    ) -> Result<Response, CallError> {
        let post = with_json(self.client.post(self.host.url(path)), body);
        let response = self.await_first(first, post.send()).await?;
        let response = response.map_err(|e| self.transport(&e))?;
        if response.status().as_u16() != 200 {
            return Err(self.refusal(response).await);
        }
        if is_web_page(&response) {
            let page = read(response, MAX_ERROR).await;
            return Err(foreign(&page.map_err(|e| self.transport(&e))?));
        }
        Ok(response)
    }

    /// Reads the stream: the first line while that may last, each further part within the idle limit.
    async fn receive(
        &self,
        response: Response,
        mut first: FirstToken<'_>,
        on_chunk: OnChunk<'_>,
    ) -> Result<Reply, CallError> {
        let mut body = response.bytes_stream();
        let mut assembly = Assembly::default();
        loop {
            let next = if assembly.has_begun() {
                let next = within(self.limits.idle, body.next()).await;
                next.ok_or_else(|| went_silent(self.limits.idle))?
            } else {
                self.await_first(&mut first, body.next()).await?
            };
            match next {
                None => return assembly.finish(),
                Some(Err(e)) => return Err(self.broke_off(assembly.said(), &e)),
                Some(Ok(bytes)) => {
                    if let Some(reply) = assembly.push(&bytes, on_chunk)? {
                        return Ok(reply);
                    }
                }
            }
        }
    }

    /// Waits for what must come before the first token. Where the limit passes and the model is not loaded yet, it waits
    /// as long once more: to leave would abort the load, and the next request would begin it anew.
    async fn await_first<F: Future>(
        &self,
        first: &mut FirstToken<'_>,
        coming: F,
    ) -> Result<F::Output, CallError> {
        let mut coming = std::pin::pin!(coming);
        loop {
            let limit = self.limits.first_token * if first.extended { 2 } else { 1 };
            let left = limit.saturating_sub(first.began.elapsed());
            if let Some(come) = within(left, &mut coming).await {
                return Ok(come);
            }
            let (model, seconds) = (first.model, limit.as_secs_f64());
            if !self.is_loading(model).await {
                let message = format!("no first token within {seconds} s");
                return Err(CallError::new(Fault::Timeout, message));
            }
            if first.extended {
                let message = format!("{model} was not loaded within {seconds} s");
                return Err(CallError::new(Fault::LoadFailed, message));
            }
            first.extended = true;
        }
    }

    /// Whether the server is there and does not list the model as loaded, as is so while it is being loaded.
    async fn is_loading(&self, model: &str) -> bool {
        let loaded = self.loaded().await;
        loaded.is_ok_and(|all| !all.iter().any(|one| same_model(&one.name, model)))
    }

    fn broke_off(&self, said: usize, error: &reqwest::Error) -> CallError {
        let (host, cause) = (&self.host, innermost(error));
        let said = text::count(said as u64, "character");
        CallError::new(
            Fault::BrokenStream,
            format!("the connection to {host} broke after {said}: {cause}"),
        )
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
        Box::pin(async { self.version_by(&self.prober).await.is_ok() })
    }
}

fn client_to(host: &Host, key: Option<&str>, limits: Limits) -> Result<ClientBuilder, String> {
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
    Ok(builder)
}

fn with_json(request: RequestBuilder, body: &Value) -> RequestBuilder {
    request
        .header(reqwest::header::CONTENT_TYPE, "application/json")
        .body(body.to_string())
}

fn is_web_page(response: &Response) -> bool {
    let content_type = response.headers().get(reqwest::header::CONTENT_TYPE);
    content_type.is_some_and(|it| it.as_bytes().starts_with(b"text/html"))
}

/// The body of an answer, as far as `most` bytes.
async fn read(response: Response, most: usize) -> Result<Vec<u8>, reqwest::Error> {
    let mut parts = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(part) = parts.next().await {
        let part = part?;
        let room = most - body.len();
        body.extend_from_slice(&part[..part.len().min(room)]);
        if body.len() == most {
            break;
        }
    }
    Ok(body)
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
