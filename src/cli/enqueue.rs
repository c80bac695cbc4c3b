//! `rebut enqueue`: the debates of jobs, for workers on any machine.

use std::process::ExitCode;
use std::time::Duration;

use super::failure::Failure;
use super::jobs::{JobArgs, Jobs};
use super::nats::{NatsArgs, RunNameArg, failed};
use super::print;
use super::runtime::block_on;
use crate::fleet::{Enqueued, Enqueuer, Nats, Overview};
use crate::plan::Plan;
use crate::text;

/// Enqueue the debates of job files on a NATS server, for workers on any machine
///
/// Start workers with `rebut worker`, and fetch what they finish with `rebut collect`. The same command again enqueues only what is
/// neither done nor waiting.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    jobs: JobArgs,
    #[command(flatten)]
    nats: NatsArgs,
    #[command(flatten)]
    run: RunNameArg,
    /// Enqueue debates that were given up once more
    #[arg(long)]
    again: bool,
    /// Give a debate to another worker when its own is silent for so long
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = humantime::parse_duration, hide_short_help = true)]
    ack_wait: Duration,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let jobs = args.jobs.load(|_| {})?;
    refuse_loads(&jobs)?;
    let controls = jobs.chosen().filter(|plan| plan.control.is_some()).count();
    if jobs.survey.debates == controls {
        return Err(Failure::input(
            "no debate was selected that workers can run",
            "`rebut check` lists them; controls run with `rebut run` once their debates are collected",
        ));
    }
    block_on(enqueue(args, &jobs, controls))?
}

/// Workers load models as their servers do by themselves.
fn refuse_loads(jobs: &Jobs) -> Result<(), Failure> {
    let Some(job) = jobs.jobs.iter().find(|job| !job.loads().is_empty()) else {
        return Ok(());
    };
    Err(Failure::input(
        format!(
            "{}: workers do not take `models`, which says how models are loaded",
            job.path.display()
        ),
        "remove it and set the same on the servers (such as OLLAMA_KEEP_ALIVE), or share the batch with `rebut run --shard`",
    ))
}

async fn enqueue(args: &Args, jobs: &Jobs, controls: usize) -> Result<ExitCode, Failure> {
    let nats = args.nats.connect().await?;
    let run = &args.run.run;
    let enqueuer = Enqueuer::begin(&nats, run, &jobs.templates, args.ack_wait, args.again).await;
    let enqueuer = enqueuer.map_err(failed)?;
    let plans = jobs.chosen().filter(|plan: &Plan| plan.control.is_none());
    let enqueued = enqueuer.all(plans).await.map_err(failed)?;
    tell(&enqueued, args);
    tell_of_the_rest(jobs, controls);
    warn_of_pools(&nats, &enqueued).await?;
    Ok(ExitCode::SUCCESS)
}

fn tell(enqueued: &Enqueued, args: &Args) {
    let (new, run) = (text::count(enqueued.new, "debate"), &args.run.run);
    let others = text::further_counts(&[
        (enqueued.waiting, "already waiting or in progress"),
        (enqueued.done, "already done"),
    ]);
    print::out(&format!("enqueued {new} for the run `{run}`{others}"));
}

/// Says what of the jobs no worker does.
fn tell_of_the_rest(jobs: &Jobs, controls: usize) {
    if controls > 0 {
        print::err(&format!(
            "note: {} left out: collect their debates, then run the jobs with `rebut run`",
            text::count(controls, "control")
        ));
    }
    if jobs.chosen().any(|plan| plan.panel.is_some()) {
        print::err(
            "note: workers do not judge: collect the debates, then run the jobs with `rebut run`, and the panel reads them",
        );
    }
}

/// Warns of debates that nobody can run as it is.
async fn warn_of_pools(nats: &Nats, enqueued: &Enqueued) -> Result<(), Failure> {
    let overview = Overview::of(nats, None).await.map_err(failed)?;
    for pool in &enqueued.pools {
        if let Some(warning) = super::fleet_status::unserved(pool, &overview.workers) {
            print::warn(&warning);
        }
    }
    Ok(())
}
