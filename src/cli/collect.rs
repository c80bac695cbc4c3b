//! `rebut collect`: what workers have finished, in an output directory.

use std::process::ExitCode;
use std::time::Duration;

use super::failure::{Failure, done_if};
use super::merge;
use super::nats::{NatsArgs, RunNameArg, failed};
use super::output::OutputArg;
use super::print;
use super::runtime::block_on;
use super::templates::TemplatesArg;
use crate::clock::Clock;
use crate::fleet::{Collected, Collector, FleetError};
use crate::store::layout::OutputDir;
use crate::store::lists;
use crate::store::merge::Merged;

/// How often results are looked for.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Collect the debates that workers have finished into an output directory
///
/// It waits until all debates of the run are done, unless told otherwise, and can be started again at any time. What is collected leaves the
/// NATS server. One process collects a run at a time.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    nats: NatsArgs,
    #[command(flatten)]
    run: RunNameArg,
    /// Collect what is done by now, and do not wait for the rest
    #[arg(long)]
    now: bool,
    #[command(flatten)]
    output: OutputArg,
    #[command(flatten)]
    templates: TemplatesArg,
}

/// How much was collected.
#[derive(Debug, Default)]
struct Tally {
    taken: u64,
    known: u64,
    left: u64,
    given_up: u64,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let templates = args.templates.load()?;
    let output = OutputDir::at(&args.output.dir);
    output.prepare()?;
    let tally = block_on(collect(args, &output))??;
    lists::rebuild(&output, &templates)?;
    let beside = [
        (tally.known, "already there"),
        (tally.left, "left out"),
        (
            tally.given_up,
            "given up (`rebut enqueue --again` tries them once more)",
        ),
    ];
    merge::tell("collected", tally.taken, &beside, &args.output);
    Ok(done_if(tally.left + tally.given_up == 0))
}

async fn collect(args: &Args, output: &OutputDir) -> Result<Tally, Failure> {
    let nats = args.nats.connect().await?;
    let collector = Collector::new(&nats, &args.run.run, output, &Clock::system()).await;
    let mut collector = collector.map_err(failed)?;
    let mut tally = Tally::default();
    let ended = all(&mut collector, args.now, &mut tally).await;
    collector.end().await;
    ended.map(|()| tally).map_err(failed)
}

/// Collects until nothing more comes. A server that is away is waited for.
async fn all(
    collector: &mut Collector<'_>,
    now: bool,
    tally: &mut Tally,
) -> Result<(), FleetError> {
    let mut told = false;
    loop {
        match look(collector, now, tally).await {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(error @ FleetError::Refused { .. }) if !std::mem::replace(&mut told, true) => {
                print::warn(&format!("{error}; waiting for it"));
            }
            Err(FleetError::Refused { .. }) => {}
            Err(error) => return Err(error),
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Collects what is there; whether nothing more can come.
async fn look(
    collector: &mut Collector<'_>,
    now: bool,
    tally: &mut Tally,
) -> Result<bool, FleetError> {
    // Looked at before the results are: one that comes in between is not missed.
    let is_over = now || collector.is_over().await?;
    let mut is_dry = true;
    while let Some(collected) = collector.next().await? {
        is_dry = false;
        tally.take(&collected);
    }
    Ok(is_over && is_dry)
}

impl Tally {
    fn take(&mut self, collected: &Collected) {
        let (id, why) = match collected {
            Collected::Before => return,
            Collected::Debate(_, Merged::Taken) => return self.taken += 1,
            Collected::Debate(_, Merged::Known) => return self.known += 1,
            Collected::Debate(id, Merged::Left(why)) => {
                self.left += 1;
                (id, format!("is left out: {why}"))
            }
            Collected::GivenUp(id, why) => {
                self.given_up += 1;
                (id, format!("was given up: {why}"))
            }
        };
        print::warn(&format!("{} {why}", id.short()));
    }
}
