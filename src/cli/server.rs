//! What commands that talk to Ollama share: the host, the key, the limits.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::Args;

use super::failure::Failure;
use crate::model::ollama::host::Host;
use crate::model::ollama::{Contexts, Limits, Ollama, Pulled, same_model};
use crate::plan::Plan;

/// Where the server is and how long to wait for it.
#[derive(Debug, Args)]
pub(super) struct ServerArgs {
    /// The Ollama server, as OLLAMA_HOST would name it [default: OLLAMA_HOST, else 127.0.0.1:11434]
    #[arg(long, value_name = "URL")]
    pub(super) host: Option<String>,
    /// How long to wait for a connection
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = humantime::parse_duration, hide_short_help = true)]
    pub(super) connect_timeout: Duration,
    /// How long to wait for a reply's first token: the model may be loading, and others may be before us
    #[arg(long, value_name = "TIME", default_value = "15m", value_parser = humantime::parse_duration, hide_short_help = true)]
    pub(super) first_token_timeout: Duration,
    /// How long a reply may be silent between two tokens
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = humantime::parse_duration, hide_short_help = true)]
    pub(super) idle_timeout: Duration,
}

impl ServerArgs {
    /// A client; `contexts` says with how much context each model is loaded.
    pub(super) fn client(&self, contexts: Contexts) -> Result<Ollama, Failure> {
        let text = self
            .host
            .clone()
            .or_else(|| std::env::var("OLLAMA_HOST").ok())
            .unwrap_or_default();
        let hint = "a host looks like 127.0.0.1:11434, gpu-box or https://ollama.example";
        let host = Host::parse(&text)
            .map_err(|e| Failure::input(format!("the host `{text}` cannot be used: {e}"), hint))?;
        let key = std::env::var("OLLAMA_API_KEY")
            .ok()
            .filter(|key| !key.is_empty());
        let limits = Limits {
            connect: self.connect_timeout,
            first_token: self.first_token_timeout,
            idle: self.idle_timeout,
        };
        Ollama::new(host, key.as_deref(), limits, contexts).map_err(|e| Failure::input(e, ""))
    }
}

/// The context each model is loaded with: the largest that any participant of the batch wants (row M3a), under whichever
/// of its names.
pub(super) fn contexts(plans: impl Iterator<Item = Plan>) -> Contexts {
    let wanted = wanted(plans);
    let largest = |name: &String| {
        wanted
            .iter()
            .filter(|(other, _)| same_model(name, other))
            .map(|(_, context)| *context)
            .max()
    };
    wanted
        .keys()
        .map(|name| (name.clone(), largest(name).unwrap_or_default()))
        .collect()
}

fn wanted(plans: impl Iterator<Item = Plan>) -> Contexts {
    let mut contexts = BTreeMap::new();
    for plan in plans {
        for participant in &plan.participants {
            for model in participant.models() {
                let context = contexts
                    .entry(model.to_owned())
                    .or_insert(participant.context_window);
                *context = participant.context_window.max(*context);
            }
        }
    }
    contexts
}

/// The models that are wanted and not pulled.
pub(super) fn missing<'a>(wanted: &'a Contexts, pulled: &[Pulled]) -> Vec<&'a str> {
    wanted
        .keys()
        .map(String::as_str)
        .filter(|model| !pulled.iter().any(|p| same_model(&p.name, model)))
        .collect()
}
