//! `rebut run`: every debate of the jobs that is not finished yet.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use super::arrivals::Arrivals;
use super::failure::{BAD_INPUT, Failure, INTERRUPTED, SOME_NOT_DONE, from_error};
use super::jobs::{JobArgs, Jobs};
use super::output::OutputArg;
use super::progress::Progress;
use super::server::{ServerArgs, missing, models_there, names};
use super::signals::listen;
use super::{block_on, print, shell};
use crate::clock::Clock;
use crate::event::Status;
use crate::id::DebateId;
use crate::job::model_name::same_model;
use crate::machine;
use crate::model::ollama::{Ollama, Pulled};
use crate::model::{CallError, Model};
use crate::plan::Plan;
use crate::run::batch::{Batch, Fate, Totals};
use crate::run::debate::{End, Stage};
use crate::servers::embedding_cache::EmbeddingCache;
use crate::servers::{OnNotice, PoolConfig, ServerPool};
use crate::stop::Stop;
use crate::store::error::StoreError;
use crate::store::layout::{Output, holder};
use crate::store::orphans::{Orphans, Search};
use crate::text;

/// Run every debate of the jobs that is not finished yet
///
/// The same command again does the rest: finished debates are skipped, interrupted ones go on where they stopped.
/// Ctrl-C finishes the calls in flight and stops; twice stops at once. Nothing is lost either way.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    jobs: JobArgs,
    #[command(flatten)]
    how: How,
}

/// How debates are run.
#[derive(Debug, clap::Args)]
pub(super) struct How {
    #[command(flatten)]
    output: OutputArg,
    #[command(flatten)]
    server: ServerArgs,
    /// Calls in flight on each server at a time; more than the server's OLLAMA_NUM_PARALLEL wait there
    #[arg(long, short = 'j', value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=1024))]
    at_once: u16,
    /// Debates begun at a time [default: --at-once for each server]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    max_open: Option<u16>,
    /// Begin all debates anew, finished ones too; what was there is kept in OUTPUT/.rebut/replaced
    #[arg(long)]
    restart: bool,
    /// Go back in finished debates of this status (`failed,degraded` for both): what was missing is asked again, and the
    /// directory is replaced; the old one is kept in OUTPUT/.rebut/replaced. The other debates run as usual
    #[arg(
        long,
        value_name = "STATUS",
        value_delimiter = ',',
        conflicts_with = "restart"
    )]
    retry: Vec<Retry>,
    /// Print every event as a line of JSON to stdout
    #[arg(long)]
    json: bool,
    /// Tell each stage on stderr
    #[arg(short, long)]
    verbose: bool,
    /// How long to wait for a server that is gone before its debates are left unfinished: `never` waits until it is back.
    /// While another server works, no debate is left for that before all other work is done
    #[arg(long, value_name = "TIME", default_value = "never", value_parser = outage_timeout)]
    outage_timeout: OutageTimeout,
    /// How long to wait for a model that its server cannot serve (it does not load, the queue is full) before its debates
    /// are left unfinished
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = humantime::parse_duration)]
    model_wait: Duration,
    /// The pause before a call's second attempt; it doubles with each further one
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = humantime::parse_duration, hide_short_help = true)]
    retry_delay: Duration,
}

/// A status that a debate can be retried from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Retry {
    /// Debates that did not come to their end
    Failed,
    /// Debates in which something that matters is missing
    Degraded,
}

impl Retry {
    fn status(self) -> Status {
        match self {
            Self::Failed => Status::Failed,
            Self::Degraded => Status::Degraded,
        }
    }
}

/// How long a server that is gone is waited for; `None` without limit.
#[derive(Debug, Clone, Copy)]
struct OutageTimeout(Option<Duration>);

fn outage_timeout(text: &str) -> Result<OutageTimeout, String> {
    if text == "never" {
        return Ok(OutageTimeout(None));
    }
    let time = humantime::parse_duration(text);
    time.map(|time| OutageTimeout(Some(time)))
        .map_err(|e| format!("{e}; a time such as `30m`, or `never`"))
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let mut known = Search::of(&Output::at(&args.how.output.dir)).map_err(from_error)?;
    let jobs = args.jobs.load(|plan| known.planned(plan))?;
    start(&args.how, &jobs, &known.orphans())
}

/// Runs the chosen debates of these jobs.
pub(super) fn start(args: &How, jobs: &Jobs, orphans: &Orphans) -> Result<ExitCode, Failure> {
    if jobs.survey.debates == 0 {
        return Err(Failure::input(
            "no debate of these jobs was chosen",
            "`rebut check` lists their ids and cells; see --only and --limit",
        ));
    }
    block_on(run(args, jobs, orphans))?
}

async fn run(args: &How, jobs: &Jobs, orphans: &Orphans) -> Result<ExitCode, Failure> {
    let stop = Stop::default();
    let clients = if jobs.options.rehearse {
        Vec::new()
    } else {
        connect(args, jobs).await?
    };
    let output = Output::at(&args.output.dir);
    output.prepare().map_err(from_error)?;
    let (chosen, apart) = (jobs.survey.debates, jobs.survey.apart.clone());
    let progress = Arc::new(Progress::new(chosen, apart, args.json, args.verbose));
    tell_orphans(orphans, &progress);
    let batch = batch(args, jobs, &output, clients, &stop, &progress);
    prepare(args, jobs, &batch).map_err(from_error)?;
    listen(&stop, &progress)?;

    let mut only_one = None;
    let mut on_fate = |plan: &Plan, fate: &Fate| {
        progress.fate(plan, fate);
        if let Fate::Ran(End::Published { trace, .. }) = fate
            && progress.is_of_one()
        {
            only_one = Some(trace.clone());
        }
    };
    let mut arrivals = Arrivals::new(jobs, &progress);
    let totals = tokio::select! {
        () = stop.insisted() => None,
        totals = batch.run(jobs.chosen(), || arrivals.look(), &mut on_fate) => {
            Some(totals)
        }
    };
    progress.finish();
    let totals = totals.transpose().map_err(ended)?;
    if let Some(trace) = only_one.filter(|_| progress.is_of_one()) {
        progress.table(&trace);
    }
    let refused = arrivals.refused();
    if !refused.is_empty() {
        progress.note(&format!("not run, as told above: {}", refused.join(", ")));
    }
    let code = conclude(args, totals, stop.is_requested(), &progress);
    Ok(if refused.is_empty() || stop.is_requested() {
        code
    } else {
        ExitCode::from(BAD_INPUT)
    })
}

/// Why a run ended before its debates did.
fn ended(error: StoreError) -> Failure {
    let hint = match error {
        StoreError::Gone(_) => {
            "nothing that was answered before is lost where it was moved: name that directory with --output and run the same command again"
        }
        _ => "",
    };
    Failure::input(error, hint)
}

/// Mends what a kill left, then does what `--restart` and `--retry` ask for.
fn prepare(args: &How, jobs: &Jobs, batch: &Batch) -> Result<(), StoreError> {
    batch.put_back()?;
    if args.restart {
        batch.set_aside(jobs.chosen())?;
    }
    if !args.retry.is_empty() {
        let states: Vec<Status> = args.retry.iter().map(|retry| retry.status()).collect();
        batch.reopen(jobs.chosen(), &states)?;
    }
    Ok(())
}

fn batch(
    args: &How,
    jobs: &Jobs,
    output: &Output,
    clients: Vec<Ollama>,
    stop: &Stop,
    progress: &Arc<Progress>,
) -> Batch {
    let teller = Arc::clone(progress);
    let tell: OnNotice = Arc::new(move |line: &str| teller.tell(line));
    let in_flight = usize::from(args.at_once) * clients.len().max(1);
    let config = PoolConfig {
        concurrency: usize::from(args.at_once),
        model_timeout: args.model_wait,
        outage_timeout: args.outage_timeout.0,
        stop: stop.clone(),
        on_notice: Arc::clone(&tell),
    };
    let pool = (!clients.is_empty())
        .then(|| Arc::new(pool(clients, &EmbeddingCache::new(output.root()), config)));
    Batch {
        stage: stage(args, jobs, output, pool, progress),
        max_open: args.max_open.map_or(in_flight, usize::from),
        most_open: most_open(args, in_flight, &tell),
        contexts: jobs.survey.contexts.clone(),
        stop: stop.clone(),
        tell,
    }
}

/// How many debates may be open with the files that this process may have.
fn most_open(args: &How, in_flight: usize, tell: &OnNotice) -> usize {
    let files = machine::raise_file_limit();
    let most = machine::most_debates(files, in_flight);
    if args
        .max_open
        .is_some_and(|wanted| usize::from(wanted) > most)
    {
        tell(&format!(
            "at most {most} debates are begun at a time: this process may open {files} files (`ulimit -n`)"
        ));
    }
    most
}

fn pool(clients: Vec<Ollama>, cache: &Arc<EmbeddingCache>, config: PoolConfig) -> ServerPool {
    let servers = clients.into_iter().map(|client| {
        let name = client.host().to_string();
        let server = cache.wrap(Arc::new(client));
        (name, Arc::new(server) as Arc<dyn Model>)
    });
    ServerPool::new(servers.collect(), config)
}

/// The servers' clients, if at least one server answers.
async fn connect(args: &How, jobs: &Jobs) -> Result<Vec<Ollama>, Failure> {
    let contexts = &jobs.survey.contexts;
    let clients = args.server.clients(contexts)?;
    let mut wanted = jobs.survey.embedding.clone();
    wanted.extend(names(&contexts.list()).cloned());
    let mut missing_on: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut absent, mut there) = (Vec::new(), Vec::new());
    let found = join_all(clients.iter().map(pulled)).await;
    for (client, found) in clients.iter().zip(found) {
        match found {
            Ok(Ok(pulled)) => {
                for model in missing(&wanted, &pulled) {
                    let hosts = missing_on.entry(model).or_default();
                    hosts.push(client.host().to_string());
                }
                there.extend(pulled);
            }
            Ok(Err(error)) => print::err(&format!(
                "warning: which models {} has is not known: {error}",
                client.host()
            )),
            Err(error) => absent.push(error),
        }
    }
    if absent.len() == clients.len() {
        return Err(Failure::no_servers(&absent));
    }
    for error in &absent {
        print::err(&format!(
            "warning: {error}; the other servers do its work until it answers"
        ));
    }
    let present = clients.len() - absent.len();
    for (model, hosts) in missing_on {
        let everywhere = hosts.len() == present && absent.is_empty();
        let instead = everywhere.then(|| models_there(&there));
        print::err(&text::one_line(&lacking(jobs, &model, &hosts, instead)));
    }
    Ok(clients)
}

/// The models that a server has; that it does not tell them is no reason to go without it.
async fn pulled(client: &Ollama) -> Result<Result<Vec<Pulled>, CallError>, CallError> {
    client.version().await?;
    Ok(client.tags().await)
}

/// The warning that these servers lack a model; `instead` says what there is, if no server has it.
fn lacking(jobs: &Jobs, model: &str, hosts: &[String], instead: Option<String>) -> String {
    let is_among = |models: &BTreeSet<String>| models.iter().any(|name| same_model(name, model));
    let needed = is_among(&jobs.survey.first_choice);
    let embeds = || is_among(&jobs.survey.embedding);
    let so = match (needed, instead.is_some()) {
        (_, false) => "its calls go to the other servers",
        (true, true) => "its debates will be left unfinished",
        (false, true) if embeds() => "nothing will be retrieved",
        (false, true) => "as a fallback it will not help",
    };
    let verb = if hosts.len() == 1 { "has" } else { "have" };
    let instead = instead.map_or_else(String::new, |there| format!(" ({there})"));
    format!(
        "warning: {} {verb} no model {model}; {so}: run `ollama pull {model}`{instead}",
        hosts.join(" and ")
    )
}

fn stage(
    args: &How,
    jobs: &Jobs,
    output: &Output,
    servers: Option<Arc<ServerPool>>,
    progress: &Arc<Progress>,
) -> Stage {
    let watcher = Arc::clone(progress);
    let clock = Clock::system();
    Stage {
        output: output.clone(),
        holder: holder(&clock),
        templates: Arc::new(jobs.templates.clone()),
        servers,
        clock,
        retry_delay: args.retry_delay,
        watch: Arc::new(move |event| watcher.event(event)),
    }
}

fn conclude(
    args: &How,
    totals: Option<Totals>,
    interrupted: bool,
    progress: &Progress,
) -> ExitCode {
    let left = totals.is_none_or(|totals| totals.left() > 0);
    if let Some(totals) = totals {
        progress.note(&summary(&totals));
    }
    if left {
        progress.result(&format!(
            "go on with: {}",
            resume_command(std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()))
        ));
    }
    let index = args.output.dir.join("index.md");
    if index.is_file() {
        progress.result(&format!("open {}", index.display()));
    }
    match totals {
        _ if interrupted && left => ExitCode::from(INTERRUPTED),
        Some(totals) if totals.all_done() => ExitCode::SUCCESS,
        _ => ExitCode::from(SOME_NOT_DONE),
    }
}

fn summary(totals: &Totals) -> String {
    let parts = [
        ("done", totals.done),
        ("degraded", totals.degraded),
        ("failed", totals.failed),
        ("left unfinished", totals.parked + totals.stopped),
        ("not begun", totals.not_begun),
    ];
    let counted: Vec<String> = parts
        .iter()
        .filter(|(_, n)| *n > 0)
        .map(|(word, n)| format!("{n} {word}"))
        .collect();
    let others = [
        (totals.skipped, "finished before"),
        (totals.shared, "by another rebut"),
    ];
    let others: Vec<String> = others
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, how)| format!("{n} of them {how}"))
        .collect();
    let before = if others.is_empty() {
        String::new()
    } else {
        format!(" ({})", others.join(", "))
    };
    let repeated = if totals.repeated > 0 {
        format!("; {} named twice, run once", totals.repeated)
    } else {
        String::new()
    };
    format!("{}{before}{repeated}", counted.join(", "))
}

/// The command that goes on: every flag but `--restart` and `--retry`, which would begin or go back again.
fn resume_command(args: impl Iterator<Item = String>) -> String {
    let mut is_value = false;
    let kept = args.filter(|arg| {
        let of_retry = std::mem::replace(&mut is_value, arg == "--retry");
        !of_retry && arg != "--retry" && arg != "--restart" && !arg.starts_with("--retry=")
    });
    kept.map(|arg| shell::quoted(&arg))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Finished orphans that are named; the others are counted.
const ORPHANS: usize = 6;

/// Debates of these jobs that no longer come out of them (row J9b).
fn tell_orphans(orphans: &Orphans, progress: &Progress) {
    if !orphans.unfinished.is_empty() {
        let names: Vec<String> = orphans
            .unfinished
            .iter()
            .map(|(job, id)| format!("{} ({job})", id.short()))
            .collect();
        progress.tell(&format!(
            "{} of another version of these jobs {} unfinished: {}",
            text::count(names.len() as u64, "debate"),
            if names.len() == 1 { "stays" } else { "stay" },
            names.join(", ")
        ));
    }
    if !orphans.finished.is_empty() {
        let count = text::count(orphans.finished.len() as u64, "finished debate");
        let finished = orphans.finished.iter().take(ORPHANS);
        let shown: Vec<&str> = finished.map(DebateId::short).collect();
        let more = if orphans.finished.len() > ORPHANS {
            ", …"
        } else {
            ""
        };
        progress.tell(&format!(
            "{count} of these jobs came from other settings or an earlier version: {}{more}",
            shown.join(", ")
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j9c_the_resume_command_repeats_every_flag_but_restart_and_retry() {
        let args = [
            "rebut",
            "run",
            "--restart",
            "--retry=failed",
            "--retry",
            "degraded",
            "jobs/a b.yaml",
            "--set",
            "topic=It's so, is it?",
            "--seed",
            "7",
        ];
        let command = resume_command(args.into_iter().map(str::to_owned));
        assert_eq!(
            command,
            r"rebut run 'jobs/a b.yaml' --set 'topic=It'\''s so, is it?' --seed 7"
        );
    }
}
