//! `rebut enqueue`: enqueues the debates of jobs for workers on any machine.

use std::process::ExitCode;

use super::args::debate_selection::Bar;
use super::args::jobs::Jobs;
use super::fleet::args::EnqueueArgs as Args;
use super::fleet::connection::failed;
use super::process::failure::Failure;
use super::process::runtime::block_on;
use super::terminal::print;
use crate::fleet::{self, Enqueued, Enqueuer, Nats};
use crate::plan::Plan;
use crate::text;

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let jobs = args.jobs.load(|_| {})?;
    refuse_loads(&jobs)?;
    jobs.any()?;
    if jobs.chosen().all(|plan| plan.control.is_some()) {
        let cause = "none of the selected debates can be run by workers";
        let hint = "`rebut check --all` lists them; run controls with `rebut run` after collecting their debates";
        return Err(Failure::input(cause, hint));
    }
    block_on(enqueue(args, &jobs))?
}

/// Workers leave the loading of models to their servers.
fn refuse_loads(jobs: &Jobs) -> Result<(), Failure> {
    let Some(job) = jobs.jobs.iter().find(|job| !job.loads.is_empty()) else { return Ok(()) };
    Err(Failure::input(
        format!(
            "{}: workers do not support `models`, which sets how models are loaded",
            job.path.display()
        ),
        "remove it and configure the servers instead (for example OLLAMA_KEEP_ALIVE), or share the batch with `rebut run --shard`",
    ))
}

async fn enqueue(args: &Args, jobs: &Jobs) -> Result<ExitCode, Failure> {
    let nats = args.nats.connect().await?;
    let run = &args.run.run;
    let enqueuer = Enqueuer::begin(&nats, run, &jobs.templates, args.ack_wait, args.again)
        .await
        .map_err(failed)?;
    let mut passing = Passing::new(jobs);
    let plans = jobs.chosen().filter(|plan| passing.is_for_workers(plan));
    let enqueued = enqueuer.all(plans).await.map_err(failed)?;
    let Passing { rest, bar, .. } = passing;
    drop(bar);
    tell(&enqueued, args);
    rest.tell();
    warn_of_pools(&nats, &enqueued).await?;
    Ok(ExitCode::SUCCESS)
}

/// The chosen debates as they pass by, with a progress bar.
struct Passing {
    all: usize,
    seen: usize,
    bar: Bar,
    rest: Rest,
}

/// The parts of the jobs that workers do not do.
#[derive(Default)]
struct Rest {
    controls: usize,
    is_judged: bool,
}

impl Passing {
    fn new(jobs: &Jobs) -> Self {
        Self { all: jobs.survey.debates, seen: 0, bar: Bar::new("debates"), rest: Rest::default() }
    }

    fn is_for_workers(&mut self, plan: &Plan) -> bool {
        self.seen += 1;
        self.bar.at(self.seen, self.all);
        self.rest.is_judged |= plan.panel.is_some();
        self.rest.controls += usize::from(plan.control.is_some());
        plan.control.is_none()
    }
}

impl Rest {
    fn tell(&self) {
        if self.controls > 0 {
            let controls = text::count(self.controls, "control");
            let next = "collect their debates, then run the jobs with `rebut run`";
            print::remark(&format!("note: {controls} not enqueued: {next}"));
        }
        if self.is_judged {
            print::err(
                "note: workers do not judge: collect the debates, then run the jobs with `rebut run` to have the panel judge them",
            );
        }
    }
}

fn tell(enqueued: &Enqueued, args: &Args) {
    let (new, run) = (text::count(enqueued.new, "debate"), &args.run.run);
    let others = text::further_counts(&[
        (enqueued.waiting, "already waiting or in progress"),
        (enqueued.done, "already done"),
    ]);
    print::told(&format!("enqueued {new} for the run `{run}`{others}"));
}

/// Warns of debates that no present worker can run.
async fn warn_of_pools(nats: &Nats, enqueued: &Enqueued) -> Result<(), Failure> {
    let workers = fleet::workers(nats).await.map_err(failed)?;
    for pool in &enqueued.pools {
        if let Some(warning) = super::fleet::status::unserved(pool, &workers) {
            print::warn(&warning);
        }
    }
    Ok(())
}
