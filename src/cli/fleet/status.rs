//! `rebut status --nats`: the progress of the runs on a NATS server, and their workers.

use std::process::ExitCode;

use super::args::StatusArgs;
use super::connection::failed;
use super::status_json::{
    FleetDebates, FleetPool, FleetReport, FleetRun, FleetRunState, FleetWorker, SCHEMA_VERSION,
};
use crate::cli::process::failure::Failure;
use crate::cli::process::runtime::block_on;
use crate::cli::terminal::print;
use crate::fleet::{Overview, Pool, PoolView, RunView, WorkerNote};
use crate::text;

/// Shows the runs on the given server; `None` if none was given.
pub(in crate::cli) fn main(args: &StatusArgs, json: bool) -> Option<Result<ExitCode, Failure>> {
    let url = args.nats.as_deref()?;
    Some(block_on(show(args, url, json)).and_then(|shown| shown))
}

async fn show(args: &StatusArgs, url: &str, json: bool) -> Result<ExitCode, Failure> {
    let address = args.shown.access.address(url)?;
    let nats = args.shown.access.connect(url).await?;
    let overview = Overview::of(&nats, args.shown.run.as_ref()).await.map_err(failed)?;
    if json {
        print::json(&report(&overview, address.to_string()));
    } else {
        lines(&overview).iter().for_each(|line| print::told(line));
    }
    Ok(ExitCode::SUCCESS)
}

fn report(overview: &Overview, nats: String) -> FleetReport {
    FleetReport {
        schema_version: SCHEMA_VERSION.to_owned(),
        nats,
        runs: overview.runs.iter().map(fleet_run).collect(),
        pools: overview.pools.iter().map(fleet_pool).collect(),
        workers: overview.workers.iter().map(fleet_worker).collect(),
        warnings: warnings(overview).collect(),
    }
}

fn fleet_run(run: &RunView) -> FleetRun {
    FleetRun {
        name: run.name.to_string(),
        state: state(run),
        debates: FleetDebates { chosen: run.done + run.left, done: run.done, left: run.left },
    }
}

fn state(run: &RunView) -> FleetRunState {
    match (run.is_cancelled, run.left) {
        (true, _) => FleetRunState::Cancelled,
        (false, 0) => FleetRunState::Finished,
        (false, _) => FleetRunState::Running,
    }
}

fn fleet_pool(view: &PoolView) -> FleetPool {
    FleetPool {
        models: view.pool.models.iter().cloned().collect(),
        queued: view.waiting,
        in_progress: view.in_progress,
        workers: view.workers,
    }
}

fn fleet_worker(note: &WorkerNote) -> FleetWorker {
    FleetWorker {
        host: note.host.clone(),
        pid: note.process,
        rebut: note.rebut.clone(),
        models: note.models.clone(),
        in_progress: note.open,
    }
}

fn lines(overview: &Overview) -> Vec<String> {
    let mut lines: Vec<String> = overview.runs.iter().map(run).collect();
    if lines.is_empty() {
        lines.push("no runs".to_owned());
    }
    lines.extend(overview.pools.iter().map(pool));
    lines.extend(overview.workers.iter().map(worker));
    lines.extend(warnings(overview).map(|line| format!("warning: {line}")));
    lines
}

/// What to do about debates that no worker takes.
pub(in crate::cli) fn warnings(overview: &Overview) -> impl Iterator<Item = String> + '_ {
    let waiting = overview.pools.iter().filter(|it| it.workers == 0);
    waiting.filter_map(|it| unserved(&it.pool, &overview.workers))
}

fn run(run: &RunView) -> String {
    let state = match state(run) {
        FleetRunState::Cancelled => "cancelled, ",
        FleetRunState::Finished => "finished, ",
        FleetRunState::Running => "",
    };
    let (name, done, all) = (&run.name, run.done, run.done + run.left);
    let all = text::count(all, "debate");
    format!("run {name}: {state}{done} of {all} done")
}

fn pool(view: &PoolView) -> String {
    let (pool, waiting, in_progress) = (view.pool.told(), view.waiting, view.in_progress);
    let workers = text::count(view.workers, "worker");
    format!("  {pool}: {waiting} waiting, {in_progress} in progress, {workers}")
}

fn worker(note: &WorkerNote) -> String {
    let (host, process, rebut) = (&note.host, note.process, &note.rebut);
    let open = text::count(note.open, "debate");
    format!("worker on {host} (process {process}, rebut {rebut}): {open} in progress")
}

/// The remedy for debates that no worker takes; `None` if one does.
pub(in crate::cli) fn unserved(pool: &Pool, workers: &[WorkerNote]) -> Option<String> {
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
