//! Ollama's native API: one streamed request per call, every load option explicit.

mod call_time;
mod client;
mod deadlines;
mod embed;
mod errors;
mod model_speed;
pub mod ollama_host;
mod secret;
mod stream;
mod wire;

use std::sync::Arc;

use futures_util::TryFutureExt;
use futures_util::future::BoxFuture;
use reqwest::Client;
use serde_json::{Map, Value, json};

pub use self::client::Ollama;

use self::call_time::CallTime;
use self::errors::{START, at_start, pull, with_remedy};
use self::ollama_host::{Host, without_secrets};
use self::wire::with_json;
use super::contexts::Contexts;
use super::server::{Asked, BadAddress, Installed, Limits, Loaded, Server};
use super::{
    Answering, CallError, Card, Embeddings, Fault, Model, NoReply, OnChunk, Reply, Request, Result,
    Weights,
};
use crate::job::models::model_name::{canonical, same_model, same_on_server, spelt_differently};

/// How long the model stays loaded after a call: longer than any pause inside a batch.
const KEEP_ALIVE: &str = "30m";
/// Models from which another is merged that are looked at.
const BASES: usize = 8;

/// Clients of the servers at these addresses, with the key in OLLAMA_API_KEY; `contexts` says how each model is loaded. Without
/// an address it is the server that OLLAMA_HOST names, otherwise this machine's.
pub fn connect(
    addresses: &[String],
    limits: Limits,
    contexts: &Contexts,
) -> Result<Vec<Arc<dyn Server>>, BadAddress> {
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let key = variable("OLLAMA_API_KEY");
    let client = |address: &String| -> Result<Arc<dyn Server>, BadAddress> {
        let host = Host::parse(address).map_err(|e| BadAddress {
            cause: format!("the host `{}` cannot be used: {e}", without_secrets(address)),
            remedy: "use a form such as 127.0.0.1:11434, gpu-box or https://ollama.example",
        })?;
        let client = Ollama::new(host, key.as_deref(), limits, contexts.clone());
        let unusable = |cause| BadAddress { cause, remedy: "" };
        Ok(Arc::new(client.map_err(unusable)?))
    };
    if addresses.is_empty() {
        return Ok(vec![client(&variable("OLLAMA_HOST").unwrap_or_default())?]);
    }
    let clients = addresses.iter().map(client).collect::<Result<_, _>>()?;
    match addresses.iter().find(|address| address.trim().is_empty()) {
        None => Ok(clients),
        // In OLLAMA_HOST that is the default; as a flag it is a variable that was not set.
        Some(empty) => Err(BadAddress {
            cause: format!("`--host '{empty}'` is empty"),
            remedy: "give a host, or omit it to use OLLAMA_HOST or this machine",
        }),
    }
}

impl Ollama {
    /// The server's version, asked for over this client's connections.
    async fn version_by(&self, client: &Client) -> Result<String> {
        let request = client.get(self.host.url("/api/version"));
        let answer = self.json(request).await?;
        answer["version"].as_str().map(str::to_owned).ok_or_else(|| self.not_ollama())
    }

    /// The models that are pulled.
    async fn tags(&self) -> Result<Vec<Installed>> {
        let models = self.listed("/api/tags").await?;
        let pulled = |m: &Value| Installed {
            name: text(m, "name"),
            digest: optional(m, "digest"),
            size: m["size"].as_u64().unwrap_or(0),
        };
        Ok(models.iter().map(pulled).collect())
    }

    /// The models that the server lists at this path.
    async fn listed(&self, path: &str) -> Result<Vec<Value>> {
        let mut answer = self.get(path).await?;
        match answer.get_mut("models").map(Value::take) {
            Some(Value::Array(models)) => Ok(models),
            // An empty list may be written so.
            Some(Value::Null) => Ok(Vec::new()),
            _ => Err(self.not_ollama()),
        }
    }

    /// The models in memory.
    async fn loaded(&self) -> Result<Vec<Loaded>> {
        let models = self.listed("/api/ps").await?;
        let loaded = |m: &Value| Loaded {
            name: text(m, "name"),
            size: m["size"].as_u64().unwrap_or(0),
            size_vram: m["size_vram"].as_u64().unwrap_or(0),
            context_length: context_length(&m["context_length"]),
        };
        Ok(models.iter().map(loaded).collect())
    }

    /// What the server knows about a model.
    async fn show(&self, model: &str) -> Result<Card> {
        let request = self.client.post(self.host.url("/api/show"));
        let shown = self.json(with_json(request, &json!({"model": model}))).await?;
        let info = &shown["model_info"];
        let family = info["general.architecture"].as_str().map(str::to_owned);
        let trained = family
            .as_ref()
            .and_then(|arch| context_length(&info[format!("{arch}.context_length")]));
        let details = &shown["details"];
        Ok(Card {
            digest: match self.weights_of(model).await? {
                Weights::Digest(digest) => Some(digest),
                Weights::Unknown | Weights::Absent => None,
            },
            family: optional(details, "family").or(family),
            parameters: optional(details, "parameter_size"),
            quantization: optional(details, "quantization_level"),
            context_length: trained,
            server: Some(self.version_by(&self.client).await?),
            lineage: lineage(&shown),
        })
    }

    /// What stands behind a model's name, where the server lists its models.
    async fn weights_of(&self, model: &str) -> Result<Weights> {
        let pulled = match self.tags().await {
            Err(error) if error.fault == Fault::Unsupported => return Ok(Weights::Unknown),
            other => other?,
        };
        let by = |is_it: fn(&str, &str) -> bool| pulled.iter().find(|it| is_it(&it.name, model));
        let its = by(same_model).or_else(|| by(same_on_server)).cloned();
        Ok(match its.map(|it| it.digest) {
            None => Weights::Absent,
            Some(None) => Weights::Unknown,
            Some(Some(digest)) => Weights::Digest(digest),
        })
    }

    async fn ask(&self, request: &Request, on_chunk: OnChunk<'_>) -> Result<Reply> {
        let began = CallTime::begin();
        let mut deadlines = self.deadlines(&request.model, request.num_predict.into());
        let body = self.body(request);
        let response = self.post("/api/chat", &body, &mut deadlines).await?;
        let heard = self.listen(request, response.bytes_stream(), deadlines, on_chunk);
        let reply = heard.await?;
        Ok(Reply { ns: reply.ns.of_call(began.elapsed()), ..reply })
    }

    /// The outcome of a call to a model; a failure with what the user can do about it.
    fn answering<'a, T: Send + 'a>(
        &'a self,
        model: &'a str,
        outcome: impl Future<Output = Result<T>> + Send + 'a,
    ) -> Answering<'a, T> {
        let outcome = outcome.or_else(move |error: CallError| async move {
            let there = match error.fault {
                Fault::ModelNotFound => self.other_spelling(model).await,
                _ => None,
            };
            Err::<T, NoReply>(with_remedy(error, model, there.as_deref()).into())
        });
        Box::pin(outcome)
    }

    /// How the server lists a model whose name differs from this one in case only. Ollama takes either name; other servers do not.
    async fn other_spelling(&self, model: &str) -> Option<String> {
        let pulled = self.tags().await.ok()?;
        let names = pulled.iter().map(|it| canonical(&it.name));
        spelt_differently(model, names).map(str::to_owned)
    }

    /// With what a model is loaded: the same in every request, or each would load it again.
    fn load_options(&self, model: &str) -> Map<String, Value> {
        let context = self.contexts.of(model).unwrap_or(8192);
        let load = self.contexts.load(model);
        let mut options: Map<String, Value> =
            load.options().map(|(name, value)| (name.clone(), value.clone())).collect();
        options.insert("num_ctx".to_owned(), context.into());
        options
    }

    /// How long a model stays loaded after a call.
    fn keep_alive(&self, model: &str) -> Value {
        let load = self.contexts.load(model);
        load.keep_alive().cloned().unwrap_or_else(|| KEEP_ALIVE.into())
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
        self.answering(&request.model, self.ask(request, on_chunk))
    }

    fn card<'a>(&'a self, model: &'a str) -> Answering<'a, Card> {
        self.answering(model, self.show(model))
    }

    fn weights<'a>(&'a self, model: &'a str) -> Answering<'a, Weights> {
        self.answering(model, self.weights_of(model))
    }

    fn embed<'a>(&'a self, model: &'a str, texts: &'a [String]) -> Answering<'a, Embeddings> {
        self.answering(model, self.embeddings(model, texts))
    }

    fn in_memory(&self) -> BoxFuture<'_, Option<Vec<String>>> {
        Box::pin(async {
            let loaded = self.loaded().await.ok()?;
            Some(loaded.into_iter().map(|model| model.name).collect())
        })
    }

    fn is_there(&self) -> BoxFuture<'_, bool> {
        Box::pin(async {
            match self.version_by(&self.prober).await {
                Ok(_) => true,
                // To be short of files here says nothing of who is there.
                Err(error) => error.fault == Fault::OutOfFiles,
            }
        })
    }
}

impl Server for Ollama {
    fn name(&self) -> String {
        self.host.to_string()
    }

    fn version(&self) -> Asked<'_, String> {
        Box::pin(async {
            let version = self.version_by(&self.client).await;
            let version = version.map_err(|error| at_start(error, &self.host))?;
            Ok(format!("Ollama {version}"))
        })
    }

    fn models(&self) -> Asked<'_, Vec<Installed>> {
        Box::pin(self.tags())
    }

    fn memory(&self) -> Asked<'_, Vec<Loaded>> {
        Box::pin(self.loaded())
    }

    fn start_command(&self) -> &'static str {
        START
    }

    fn install_command(&self, model: &str) -> String {
        pull(model)
    }
}

/// What a model was made from: its file of weights, the model that its own file names, then those that its weights name. Weights are
/// told by their digest, so that a model made from the weights of another shares them with it.
fn lineage(shown: &Value) -> Vec<String> {
    let weights = shown["modelfile"]
        .as_str()
        .unwrap_or_default()
        .lines()
        .filter_map(|line| weights_in(line.trim().strip_prefix("FROM ")?));
    let parent = shown["details"]["parent_model"]
        .as_str()
        .map(|name| weights_in(name).unwrap_or_else(|| canonical(name).to_owned()));
    let base = |n: usize| shown["model_info"][format!("general.base_model.{n}.name")].as_str();
    let bases = (0..BASES).filter_map(base).map(str::to_owned);
    let all = weights.chain(parent).chain(bases);
    crate::text::distinct(all.filter(|name| !name.trim().is_empty()))
}

/// The digest in the path or name of a file of weights: `…/blobs/sha256-0f1e…`.
fn weights_in(name: &str) -> Option<String> {
    let (_, after) = name.rsplit_once("sha256-").or_else(|| name.rsplit_once("sha256:"))?;
    let digest: String = after.chars().take_while(char::is_ascii_hexdigit).collect();
    (!digest.is_empty()).then(|| format!("sha256:{}", digest.to_lowercase()))
}

/// A context in tokens, unless the server does not know it.
fn context_length(value: &Value) -> Option<u64> {
    value.as_u64().filter(|tokens| *tokens > 0)
}

fn text(value: &Value, key: &str) -> String {
    optional(value, key).unwrap_or_default()
}

fn optional(value: &Value, key: &str) -> Option<String> {
    value[key].as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn c2_a_model_made_from_the_weights_of_another_shares_them_with_it() {
        let parent = json!({"modelfile": "# Modelfile\nFROM /root/.ollama/models/blobs/sha256-0F1E\nTEMPLATE x\n"});
        let by_path = json!({"details": {"parent_model": "C:\\models\\blobs\\sha256-0f1e"}});
        let by_digest =
            json!({"modelfile": "FROM sha256-0f1e\n", "details": {"parent_model": "sha256:0f1e"}});
        for shown in [parent, by_path, by_digest] {
            assert_eq!(lineage(&shown), ["sha256:0f1e"], "{shown}");
        }
        let named =
            json!({"modelfile": "FROM llama3\n", "details": {"parent_model": "llama3:latest"}});
        assert_eq!(lineage(&named), ["llama3"]);
    }
}
