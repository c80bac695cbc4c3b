//! Shared by commands that use servers: addresses, timeouts, the models there.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use crate::cli::args::values::timeout;
use crate::cli::process::failure::Failure;
use crate::job::models::model_name::{canonical, same_on_server, spelt_differently};
use crate::job::problem::suggestions::nearest_model;
use crate::model::contexts::Contexts;
use crate::model::ollama;
use crate::model::server::{Installed, Limits, Server};
use crate::text;

/// The servers and their timeouts.
#[derive(Debug, Args)]
pub(in crate::cli) struct ServerArgs {
    /// Ollama server: HOST, HOST:PORT or a URL; repeat to share the debates between several servers
    /// [default: OLLAMA_HOST, otherwise 127.0.0.1:11434]
    #[arg(long, help_heading = "Servers", value_name = "URL")]
    pub(in crate::cli) host: Vec<String>,
    /// Timeout for connecting. Answers that need no model, such as the list of models, get six times as long
    #[arg(long, help_heading = "Servers", value_name = "TIME", default_value = "10s", value_parser = timeout, hide_short_help = true)]
    pub(in crate::cli) connect_timeout: Duration,
    /// Timeout for a reply's first token, including the time to load the model and queue
    #[arg(long, help_heading = "Servers", value_name = "TIME", default_value = "15m", value_parser = timeout, hide_short_help = true)]
    pub(in crate::cli) first_token_timeout: Duration,
    /// Timeout between two tokens of a reply
    #[arg(long, help_heading = "Servers", value_name = "TIME", default_value = "2m", value_parser = timeout, hide_short_help = true)]
    pub(in crate::cli) idle_timeout: Duration,
}

impl ServerArgs {
    /// All servers; `contexts` has the context with which each model is loaded.
    pub(in crate::cli) fn servers(
        &self,
        contexts: &Contexts,
    ) -> Result<Vec<Arc<dyn Server>>, Failure> {
        let limits = Limits {
            connect: self.connect_timeout,
            first_token: self.first_token_timeout,
            idle: self.idle_timeout,
        };
        let servers = ollama::connect(&self.host, limits, contexts)
            .map_err(|e| Failure::input(&e, e.remedy))?;
        let mut known = BTreeSet::new();
        let mut names = servers.iter().map(|it| it.name());
        match names.find(|name| !known.insert(address(name))) {
            None => Ok(servers),
            Some(twice) => Err(Failure::input(
                format!("the server {twice} is given twice"),
                "give each server once; --concurrency sets its concurrent calls",
            )),
        }
    }
}

/// A server's identity: two names of this machine are one server.
fn address(name: &str) -> String {
    name.replacen("//localhost", "//127.0.0.1", 1)
}

/// The wanted models that are missing.
pub(in crate::cli) fn missing<'a>(
    wanted: impl IntoIterator<Item = &'a String>,
    installed: &[Installed],
) -> Vec<String> {
    let is_there = |model: &String| installed.iter().any(|p| same_on_server(&p.name, model));
    wanted.into_iter().filter(|model| !is_there(model)).cloned().collect()
}

/// What the lack of an embedding model means.
pub(in crate::cli) const WITHOUT_EMBEDDINGS: &str =
    "it only picks reasoning templates for the proposer, and debates will run without them";

/// The model there that is likely meant by a missing one.
pub(in crate::cli) fn near_model<'i>(model: &str, installed: &'i [Installed]) -> Option<&'i str> {
    let names = names(installed);
    let other_case = spelt_differently(model, names.iter().copied());
    other_case.or_else(|| nearest_model(canonical(model), &names))
}

fn names(installed: &[Installed]) -> BTreeSet<&str> {
    installed.iter().map(|p| canonical(&p.name)).collect()
}

/// Models named when one is missing; the others are counted.
const NAMED_MODELS: usize = 12;

/// What to do about a model that a server lacks: to write the one that is likely meant, or to get it.
pub(in crate::cli) fn remedy(model: &str, server: &dyn Server, installed: &[Installed]) -> String {
    let get = format!("run {}", server.install_command(model));
    match near_model(model, installed) {
        Some(near) if same_on_server(near, model) => {
            format!("write {near}, its name there (letter case matters)")
        }
        Some(near) => format!("write {near} if you mean that, or {get}"),
        None if is_of_a_service(model) => {
            "Ollama cannot run it: only its maker serves it; use another model".to_owned()
        }
        None => get,
    }
}

/// Beginnings of the names of models that only their makers serve.
const OF_SERVICES: [&str; 5] = ["chatgpt", "claude", "gpt-3", "gpt-4", "gpt-5"];

/// Whether a model is known as one that no server of one's own runs.
fn is_of_a_service(model: &str) -> bool {
    let name = model.to_lowercase();
    // Ollama hands a tag such as `:cloud` on to servers of its own.
    !name.ends_with("cloud") && OF_SERVICES.iter().any(|begin| name.starts_with(begin))
}

/// The same, with what it has instead.
pub(in crate::cli) fn lack(model: &str, server: &dyn Server, installed: &[Installed]) -> String {
    format!("{} ({})", remedy(model, server, installed), models_there(installed))
}

/// What a server has: `models there: llama3 and qwen3:8b`.
pub(in crate::cli) fn models_there(installed: &[Installed]) -> String {
    match text::first_of(names(installed).into_iter(), NAMED_MODELS) {
        none if none.is_empty() => "no models there".to_owned(),
        named => format!("models there: {named}"),
    }
}
