//! `rebut doctor`: whether a server is ready for an overnight run.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use futures_util::future::join_all;

use super::args::jobs::JobArgs;
use super::args::survey::Survey;
use super::process::failure::{Failure, done_if};
use super::process::runtime::block_on;
use super::servers::addresses::{ServerArgs, WITHOUT_EMBEDDINGS, lack, missing};
use super::servers::roll_call::{Present, RollCall};
use super::terminal::print::say;
use crate::job::models::model_name::same_on_server;
use crate::model::contexts::Contexts;
use crate::model::server::{Installed, Server};
use crate::model::{Message, NoReply, Request, Role};

/// Maximum calls tried at once.
const MAX_CONCURRENCY: usize = 8;
/// Tokens of a trial reply.
const TRIAL_TOKENS: u32 = 24;

/// Check that servers are ready: connection, models, contexts, memory, best concurrency
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Job files or directories, to check only their models [default: all pulled models]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    server: ServerArgs,
    /// Measure the best --concurrency for each model with short calls (loads the models)
    #[arg(long)]
    probe: bool,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let jobs = JobArgs { paths: args.paths.clone(), ..JobArgs::default() };
    let wanted = if args.paths.is_empty() { Survey::default() } else { jobs.load(|_| {})?.survey };
    block_on(doctor(args, &wanted))?
}

async fn doctor(args: &Args, wanted: &Survey) -> Result<ExitCode, Failure> {
    let servers = args.server.servers(&wanted.contexts)?;
    let roll_call = RollCall::of(&servers).await;
    let mut well = true;
    for present in roll_call.present() {
        let (name, version) = (present.server.name(), &present.version);
        say("ok", &format!("{name} answers, {version}"));
        well &= examine(args, present, wanted).await;
    }
    roll_call.any(servers[0].start_command(), false)?;
    let lines = roll_call.differing(&wanted.contexts.models());
    lines.iter().for_each(|line| say("note", line));
    for error in roll_call.absent() {
        say("fails", &error.to_string());
        well = false;
    }
    if !args.probe {
        say("note", "--probe measures the best --concurrency");
    }
    Ok(done_if(well))
}

/// Reports on one server; returns whether it can serve the jobs.
async fn examine(args: &Args, present: &Present<'_>, wanted: &Survey) -> bool {
    let server = present.server;
    let installed = match &present.models {
        Ok(installed) => installed,
        Err(error) => {
            say("lacks", &format!("a list of models: {error}"));
            return false;
        }
    };
    retrieval(server, &wanted.embedding, installed).await;
    let missing = missing(&wanted.contexts.models(), installed);
    let (contexts, wanted) = (&wanted.contexts, wanted.contexts.list());
    for model in &missing {
        say("lacks", &format!("{model}: {}", lack(model, server, installed)));
    }
    let all = installed.iter().map(|p| (p.name.clone(), None));
    let looked_at: Vec<(String, Option<u32>)> = if wanted.is_empty() {
        all.collect()
    } else {
        wanted.into_iter().map(|(it, n)| (it, Some(n))).collect()
    };
    let mut well = missing.is_empty();
    for (name, context) in looked_at.iter().filter(|(name, _)| !missing.contains(name)) {
        well &= model(server, name, *context, installed).await;
        if args.probe {
            // Nobody asks for a chat with every model that is pulled, such as one for embeddings.
            well &= probe(server, name).await || context.is_none();
        }
    }
    memory(server, contexts, args.probe).await && well
}

/// One line per model for retrieval. A missing one does not make a server unfit.
async fn retrieval(server: &dyn Server, optional: &BTreeSet<String>, installed: &[Installed]) {
    let missing = missing(optional, installed);
    for name in optional {
        if missing.contains(name) {
            let command = server.install_command(name);
            say("note", &format!("no {name}: {WITHOUT_EMBEDDINGS}; to pull it, run {command}"));
        } else {
            model(server, name, None, installed).await;
        }
    }
}

/// One line on a model; returns whether it can serve the jobs.
async fn model(
    server: &dyn Server,
    name: &str,
    context: Option<u32>,
    installed: &[Installed],
) -> bool {
    let card = match server.card(name).await {
        Ok(card) => card,
        Err(e) => {
            say("fails", &format!("{name}: {e}"));
            return false;
        }
    };
    let size = installed
        .iter()
        .find(|p| same_on_server(&p.name, name))
        .map_or(0.0, |p| p.size as f64 / 1e9);
    let word = |value: Option<String>| value.unwrap_or_else(|| "?".to_owned());
    let trained = match card.context_length {
        Some(n) => format!("a context of {n} tokens"),
        None => "an unknown context".to_owned(),
    };
    let (parameters, quantization) = (word(card.parameters), word(card.quantization));
    let about = format!(
        "{name}: {parameters} parameters, {quantization}, {size:.1} GB, trained for {trained}"
    );
    match (card.context_length, context) {
        (Some(trained), Some(asked)) if trained < u64::from(asked) => {
            say("short", &format!("{about}; the jobs need {asked}"));
            false
        }
        _ => {
            say("ok", &about);
            true
        }
    }
}

/// One line per model in memory. Returns whether each has the context that the jobs need, if the probe has just asked for it: before
/// that, another program may have loaded it.
async fn memory(server: &dyn Server, contexts: &Contexts, is_probed: bool) -> bool {
    let mut well = true;
    for loaded in server.memory().await.unwrap_or_default() {
        let (size, vram) = (loaded.size as f64 / 1e9, loaded.size_vram as f64 / 1e9);
        let place = if loaded.size_vram >= loaded.size {
            "fully on the GPU".to_owned()
        } else if loaded.size_vram == 0 {
            "on the CPU (slower)".to_owned()
        } else {
            format!("{vram:.1} GB on the GPU, the rest on the CPU (slower)")
        };
        let context = loaded.context_length;
        let needed = contexts.of(&loaded.name).map(u64::from);
        let is_short = context < needed && context.is_some();
        let short = needed.filter(|_| is_short).map_or(String::new(), |needed| {
            format!("; the jobs need {needed}, {}", too_short(is_probed))
        });
        let context = context.map_or(String::new(), |n| format!(", context {n} per slot"));
        let name = loaded.name;
        let about = format!("{name} is loaded: {size:.1} GB, {place}{context}{short}");
        well &= !(is_short && is_probed);
        say(if is_short { "short" } else { "note" }, &about);
    }
    well
}

/// What a model in memory with too small a context means.
fn too_short(is_probed: bool) -> &'static str {
    if is_probed {
        "but this server loads it with less and would cut prompts short"
    } else {
        "with which it should be loaded again: --probe shows whether it is"
    }
}

/// Doubles the concurrent calls as long as that yields at least a fifth more tokens per second; returns whether there was a
/// reply.
async fn probe(server: &dyn Server, model: &str) -> bool {
    let (mut best, mut concurrency, mut best_speed) = (1, 1, 0.0_f64);
    // The first call loads the model, so it is not measured.
    let mut tried = trial(server, model, 1).await;
    while tried.is_ok() && concurrency <= MAX_CONCURRENCY {
        tried = trial(server, model, concurrency).await;
        let Ok(speed) = tried else { break };
        let about = format!("{model}: {concurrency} concurrent, {speed:.1} tokens/s in total");
        say("note", &about);
        if speed < best_speed * 1.2 {
            break;
        }
        (best, best_speed, concurrency) = (concurrency, speed, concurrency * 2);
    }
    let replied = best_speed > 0.0;
    if replied {
        say("ok", &format!("{model}: --concurrency {best}"));
    } else {
        let why = tried.err().map(|error| format!(": {error}")).unwrap_or_default();
        say("fails", &format!("{model}: no reply to a short prompt{why}"));
    }
    replied
}

async fn trial(server: &dyn Server, model: &str, concurrency: usize) -> Result<f64, NoReply> {
    let requests: Vec<Request> = (0..concurrency).map(|n| trial_request(model, n)).collect();
    let begun = Instant::now();
    let replies =
        join_all(requests.iter().map(|request| server.chat(request, &|_| {}))).await.into_iter();
    let tokens: u64 = replies.map(|reply| Ok(reply?.tokens.reply)).sum::<Result<_, NoReply>>()?;
    Ok(tokens as f64 / begun.elapsed().max(Duration::from_millis(1)).as_secs_f64())
}

fn trial_request(model: &str, n: usize) -> Request {
    let content = format!("Count upwards in words, beginning with {}.", n * 7 + 1);
    Request {
        call: format!("probe/{n}"),
        attempt: 1,
        model: model.to_owned(),
        messages: vec![Message { role: Role::User, content }],
        num_predict: TRIAL_TOKENS,
        seed: 1,
        ..Request::default()
    }
}
