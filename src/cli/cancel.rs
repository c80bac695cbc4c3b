//! `rebut cancel`: withdraws the unfinished debates of a run.

use std::process::ExitCode;

use super::failure::Failure;
use super::nats::{NatsArgs, RunNameArg, failed};
use super::print;
use super::runtime::block_on;
use crate::fleet;
use crate::text;

/// Cancel a run on a NATS server: its unfinished debates stop before their next call
///
/// Finished debates can still be collected. `rebut enqueue` continues the run; debates that had begun resume where they stopped.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    nats: NatsArgs,
    #[command(flatten)]
    run: RunNameArg,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    block_on(cancel(args))?
}

async fn cancel(args: &Args) -> Result<ExitCode, Failure> {
    let nats = args.nats.connect().await?;
    let run = &args.run.run;
    let cancelled = fleet::cancel(&nats, run).await.map_err(failed)?;
    let debates = text::count(cancelled, "debate");
    print::out(&format!("cancelled the run `{run}`: {debates} not done"));
    Ok(ExitCode::SUCCESS)
}
