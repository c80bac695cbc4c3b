//! `rebut status --nats`: the progress of the runs on a NATS server, and their workers.

use std::process::ExitCode;

use super::failure::Failure;
use super::nats::{AccessArgs, failed};
use super::print;
use super::runtime::block_on;
use crate::fleet::{Overview, Pool, PoolView, RunName, RunView, WorkerNote};
use crate::text;

/// The NATS server to ask, and the run.
#[derive(Debug, clap::Args)]
pub(super) struct StatusArgs {
    /// Show the runs on this NATS server and their workers instead
    #[arg(long, value_name = "URL", conflicts_with = "json")]
    nats: Option<String>,
    /// Show only the run with this name
    #[arg(long, value_name = "NAME", requires = "nats")]
    run: Option<RunName>,
    #[command(flatten)]
    access: AccessArgs,
}

/// Shows the runs on the given server; `None` if none was given.
pub(super) fn main(args: &StatusArgs) -> Option<Result<ExitCode, Failure>> {
    let url = args.nats.as_deref()?;
    Some(block_on(show(args, url)).and_then(|shown| shown))
}

async fn show(args: &StatusArgs, url: &str) -> Result<ExitCode, Failure> {
    let nats = args.access.connect(url).await?;
    let overview = Overview::of(&nats, args.run.as_ref()).await;
    let overview = overview.map_err(failed)?;
    lines(&overview).iter().for_each(|line| print::told(line));
    Ok(ExitCode::SUCCESS)
}

fn lines(overview: &Overview) -> Vec<String> {
    let mut lines: Vec<String> = overview.runs.iter().map(run).collect();
    if lines.is_empty() {
        lines.push("no runs".to_owned());
    }
    lines.extend(overview.pools.iter().map(pool));
    lines.extend(overview.workers.iter().map(worker));
    let waiting = overview.pools.iter().filter(|it| it.workers == 0);
    let unserved = waiting.filter_map(|it| unserved(&it.pool, &overview.workers));
    lines.extend(unserved.map(|line| format!("warning: {line}")));
    lines
}

fn run(run: &RunView) -> String {
    let state = match (run.is_cancelled, run.left) {
        (true, _) => "cancelled, ",
        (false, 0) => "finished, ",
        (false, _) => "",
    };
    format!(
        "run {}: {state}{} of {} done",
        run.name,
        run.done,
        text::count(run.done + run.left, "debate")
    )
}

fn pool(view: &PoolView) -> String {
    format!(
        "  {}: {} waiting, {} in progress, {}",
        view.pool.told(),
        view.waiting,
        view.in_progress,
        text::count(view.workers, "worker")
    )
}

fn worker(note: &WorkerNote) -> String {
    format!(
        "worker on {} (process {}, rebut {}): {} in progress",
        note.host,
        note.process,
        note.rebut,
        text::count(note.open, "debate")
    )
}

/// The remedy for debates that no worker takes; `None` if one does.
pub(super) fn unserved(pool: &Pool, workers: &[WorkerNote]) -> Option<String> {
    if workers.iter().any(|worker| worker.serves(pool)) {
        return None;
    }
    let told = pool.told();
    Some(match (workers.is_empty(), pool.models.is_empty()) {
        (true, true) => {
            "no worker is running: start one with `rebut worker --rehearse --nats URL`".to_owned()
        }
        (true, false) => format!(
            "no worker is running: start one with `rebut worker --nats URL` on a machine that has {told}"
        ),
        (false, _) => format!(
            "no worker has pulled {told}: run `ollama pull` on a worker's machine; it is noticed within seconds"
        ),
    })
}
