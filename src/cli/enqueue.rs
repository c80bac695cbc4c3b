//! `rebut enqueue`: enqueues the debates of jobs for workers on any machine.

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
/// Start workers with `rebut worker`, and fetch their results with `rebut collect`. Running it again enqueues only debates that
/// are neither done nor waiting.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    jobs: JobArgs,
    #[command(flatten)]
    nats: NatsArgs,
    #[command(flatten)]
    run: RunNameArg,
    /// Enqueue debates again that were given up
    #[arg(long)]
    again: bool,
    /// Time without a sign of life after which a worker's debate goes to another worker
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = humantime::parse_duration, hide_short_help = true)]
    ack_wait: Duration,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let jobs = args.jobs.load(|_| {})?;
    refuse_loads(&jobs)?;
    let controls = jobs.chosen().filter(|plan| plan.control.is_some()).count();
    if jobs.survey.debates == controls {
        return Err(Failure::input(
            "none of the selected debates can be run by workers",
            "`rebut check` lists them; run controls with `rebut run` after collecting their debates",
        ));
    }
    block_on(enqueue(args, &jobs, controls))?
}

/// Workers leave the loading of models to their servers.
fn refuse_loads(jobs: &Jobs) -> Result<(), Failure> {
    let Some(job) = jobs.jobs.iter().find(|job| !job.loads().is_empty()) else {
        return Ok(());
    };
    Err(Failure::input(
        format!(
            "{}: workers do not support `models`, which sets how models are loaded",
            job.path.display()
        ),
        "remove it and configure the servers instead (for example OLLAMA_KEEP_ALIVE), or share the batch with `rebut run --shard`",
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

/// Reports the parts of the jobs that workers do not do.
fn tell_of_the_rest(jobs: &Jobs, controls: usize) {
    if controls > 0 {
        print::err(&format!(
            "note: {} not enqueued: collect their debates, then run the jobs with `rebut run`",
            text::count(controls, "control")
        ));
    }
    if jobs.chosen().any(|plan| plan.panel.is_some()) {
        print::err(
            "note: workers do not judge: collect the debates, then run the jobs with `rebut run` to have the panel judge them",
        );
    }
}

/// Warns of debates that no present worker can run.
async fn warn_of_pools(nats: &Nats, enqueued: &Enqueued) -> Result<(), Failure> {
    let overview = Overview::of(nats, None).await.map_err(failed)?;
    for pool in &enqueued.pools {
        if let Some(warning) = super::fleet_status::unserved(pool, &overview.workers) {
            print::warn(&warning);
        }
    }
    Ok(())
}
