//! Reaching the servers before a run: one must answer, and what they lack is reported.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::join_all;

use super::failure::Failure;
use super::jobs::Jobs;
use super::print;
use super::server::{ServerArgs, missing, models_there, names};
use crate::job::model_name::same_model;
use crate::model::CallError;
use crate::model::ollama::{Ollama, Pulled};
use crate::text;

/// The servers' clients, if at least one server answers.
pub(super) async fn connect(server: &ServerArgs, jobs: &Jobs) -> Result<Vec<Ollama>, Failure> {
    let clients = server.clients(&jobs.survey.contexts)?;
    let (mut absent, mut present) = (Vec::new(), Vec::new());
    for (client, found) in clients
        .iter()
        .zip(join_all(clients.iter().map(pulled)).await)
    {
        match found {
            Ok(Ok(pulled)) => present.push((client, pulled)),
            Ok(Err(error)) => {
                print::err(&format!(
                    "warning: cannot list the models of {}: {error}",
                    client.host()
                ));
            }
            Err(error) => absent.push(error),
        }
    }
    if absent.len() == clients.len() {
        return Err(Failure::no_servers(&absent));
    }
    for error in &absent {
        print::err(&format!(
            "warning: {error}; using the other servers until it answers"
        ));
    }
    warn_missing(
        jobs,
        &present,
        clients.len() - absent.len(),
        absent.is_empty(),
    );
    Ok(clients)
}

/// The models that a server has; one that can't list them is used all the same.
async fn pulled(client: &Ollama) -> Result<Result<Vec<Pulled>, CallError>, CallError> {
    client.version().await?;
    Ok(client.tags().await)
}

/// Warns of models that servers lack; `answering` servers are there, and all of them if `all`.
fn warn_missing(jobs: &Jobs, present: &[(&Ollama, Vec<Pulled>)], answering: usize, all: bool) {
    let mut wanted = jobs.survey.embedding.clone();
    wanted.extend(names(&jobs.survey.contexts.list()).cloned());
    let mut missing_on: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (client, pulled) in present {
        for model in missing(&wanted, pulled) {
            let hosts = missing_on.entry(model).or_default();
            hosts.push(client.host().to_string());
        }
    }
    let there: Vec<Pulled> = present
        .iter()
        .flat_map(|(_, pulled)| pulled.clone())
        .collect();
    for (model, hosts) in missing_on {
        let everywhere = hosts.len() == answering && all;
        let instead = everywhere.then(|| models_there(&there));
        print::err(&text::one_line(&lacking(jobs, &model, &hosts, instead)));
    }
}

/// The warning that these servers lack a model; `instead` lists the models there, if no server has it.
fn lacking(jobs: &Jobs, model: &str, hosts: &[String], instead: Option<String>) -> String {
    let is_among = |models: &BTreeSet<String>| models.iter().any(|name| same_model(name, model));
    let needed = is_among(&jobs.survey.first_choice);
    let embeds = || is_among(&jobs.survey.embedding);
    let consequence = match (needed, instead.is_some()) {
        (_, false) => "using the other servers",
        (true, true) => "its debates will be left unfinished",
        (false, true) if embeds() => "debates will run without retrieval",
        (false, true) => "it will not help as a fallback",
    };
    let verb = if hosts.len() == 1 { "has" } else { "have" };
    let instead = instead.map_or_else(String::new, |there| format!(" ({there})"));
    format!(
        "warning: {} {verb} no model {model}; {consequence}: run `ollama pull {model}`{instead}",
        hosts.join(" and ")
    )
}
