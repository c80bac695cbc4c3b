//! `rebut collect`: fetches the debates that workers finished into an output directory.

use std::process::ExitCode;
use std::time::Duration;

use super::fleet::args::CollectArgs as Args;
use super::fleet::connection::failed;
use super::merge::Tally;
use super::process::failure::{Failure, INTERRUPTED, done_if};
use super::process::invocation::{again, resume_command};
use super::process::runtime::block_on;
use super::process::signals::stop_on_interrupt;
use super::terminal::print;
use crate::clock::Clock;
use crate::fleet::{Collected, Collector, FleetError};
use crate::stop::Stop;
use crate::store::layout::OutputDir;
use crate::store::lists;

/// How often it looks for results.
const LOOK_EVERY: Duration = Duration::from_millis(500);

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let templates = args.templates.load()?;
    let output = OutputDir::at(&args.output.dir);
    output.prepare()?;
    let mut tally = Tally::default();
    let ended = block_on(collect(args, &output, &mut tally))?;
    lists::rebuild(&output, &templates)?;
    let stopped = ended?;
    let given_up = "given up (try again with `rebut enqueue --again`)";
    tally.tell("collected", given_up, &args.output);
    if stopped {
        print::err(&format!("next: {}", resume_command(again())));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(done_if(tally.is_whole() && tally.unended == 0))
}

/// Collects into the tally; returns whether it was interrupted. What was being collected then stays on the server.
async fn collect(args: &Args, output: &OutputDir, tally: &mut Tally) -> Result<bool, Failure> {
    let nats = args.nats.connect().await?;
    let stop = Stop::default();
    stop_on_interrupt(&stop)?;
    let mut collector =
        Collector::new(&nats, &args.run.run, output, &Clock::system()).await.map_err(failed)?;
    let ended = tokio::select! {
        ended = all(&mut collector, args.now, tally) => ended,
        () = stop.requested() => Ok(()),
    };
    collector.end().await;
    ended.map(|()| stop.is_requested()).map_err(failed)
}

/// Collects until nothing more can arrive. If the server is away, it waits.
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
                print::warn(&format!("{error}; waiting"));
            }
            Err(FleetError::Refused { .. }) => {}
            Err(error) => return Err(error),
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Collects what is there; returns whether nothing more can arrive.
async fn look(
    collector: &mut Collector<'_>,
    now: bool,
    tally: &mut Tally,
) -> Result<bool, FleetError> {
    // Checked before the results, so that one arriving in between is not missed.
    let is_over = now || collector.is_over().await?;
    let mut is_dry = true;
    while let Some(collected) = collector.next().await? {
        is_dry = false;
        count(tally, &collected);
    }
    Ok(is_over && is_dry)
}

/// Counts a result, and reports it if no debate came of it.
fn count(tally: &mut Tally, collected: &Collected) {
    let told = match collected {
        Collected::Before => None,
        Collected::Debate(id, merged) => {
            let why = tally.take(merged);
            why.map(|why| (id, format!("skipped: {why}")))
        }
        Collected::GivenUp(id, why) => {
            tally.unended += 1;
            Some((id, format!("given up: {why}")))
        }
    };
    if let Some((id, why)) = told {
        print::warn(&format!("{}: {why}", id.short()));
    }
}
