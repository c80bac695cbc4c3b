//! `rebut cancel`: withdraws the unfinished debates of a run.

use std::process::ExitCode;

use super::fleet::args::CancelArgs as Args;
use super::fleet::connection::failed;
use super::process::failure::Failure;
use super::process::runtime::block_on;
use super::terminal::print;
use crate::fleet;
use crate::text;

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
