//! `rebut status`: the progress of running batches, from another terminal.

mod lines;
pub(in crate::cli) mod report;

use std::process::ExitCode;

use super::args::output_directory::{self, OutputDirArg};
#[cfg(feature = "fleet")]
use super::fleet::args::StatusArgs;
use super::process::failure::Failure;
use super::terminal::color::Paint;
use super::terminal::{print, screen};
use crate::clock::Clock;
use lines::View;

/// Show running batches: progress, open debates, servers
///
/// It only reads and does not slow down a run. If nothing is running, it shows the result of the last batch.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    output: OutputDirArg,
    /// Print JSON (see `rebut schema status`, with --nats `rebut schema fleet`)
    #[arg(long)]
    json: bool,
    #[cfg(feature = "fleet")]
    #[command(flatten)]
    fleet: StatusArgs,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    #[cfg(feature = "fleet")]
    if let Some(shown) = super::fleet::status::main(&args.fleet, args.json) {
        return shown;
    }
    let dir = &args.output.dir();
    let report = report::look(&output_directory::existing(dir)?, dir)?;
    if args.json {
        print::json(&report);
    } else {
        let view = View {
            width: screen::width_of_stdout(),
            paint: Paint::on(&std::io::stdout()),
            now: Clock::system().now(),
        };
        print::whole(&(view.lines(&report).join("\n") + "\n"));
    }
    Ok(ExitCode::SUCCESS)
}
