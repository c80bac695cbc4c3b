//! `rebut cancel`: takes back the debates of a run that are not done.

use std::process::ExitCode;

use super::failure::Failure;
use super::nats::{NatsArgs, RunNameArg, failed};
use super::print;
use super::runtime::block_on;
use crate::fleet;
use crate::text;

/// Cancel a run on a NATS server: its debates that are not done stop before their next call
///
/// What is done can still be collected. `rebut enqueue` takes the run up again; debates that had begun go on from where they stopped.
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
