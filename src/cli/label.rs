//! `rebut label`: people judge blind which side is ahead in finished debates.

mod export;
mod import;
mod sampled;
mod vote;

use std::process::ExitCode;

use super::process::failure::Failure;

/// Let people judge, blind, which side is ahead in finished debates
///
/// `export` writes a page that works offline, even on a phone; `import` reads the answers it saves; `vote` asks in this terminal. Labels are
/// added to the debates, whose own outcomes stay. Statistics compare judges with people and correct the judges' rates
/// (`rebut stats`, `rebut report`).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rebut label export --sample 200 --seed 1 -o ballot.html
  rebut label import labels-*.json
  rebut label vote --disputed 10
  rebut stats --verdicts human")]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Export(export::Args),
    Import(import::Args),
    Vote(vote::Args),
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    match &args.what {
        What::Export(args) => export::main(args),
        What::Import(args) => import::main(args),
        What::Vote(args) => vote::main(args),
    }
}
