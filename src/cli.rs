//! The command line: the only code that prints, and that decides how the program ends.

mod arrivals;
mod check;
mod completions;
mod doctor;
mod export;
mod failure;
mod index;
mod jobs;
mod log;
mod new;
mod output;
mod own_judges;
mod pick;
mod print;
mod progress;
mod rate;
mod render;
mod report;
mod run;
mod schema;
mod server;
mod show;
mod signals;
mod single;
mod stats;
mod tournament;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use self::failure::{BAD_INPUT, Failure};
use crate::job::Format;
use crate::text::shell;

/// Runs debates between language models on Ollama, unattended, and writes them down.
///
/// A job file says who debates what. `rebut run` expands it, runs every debate and writes one dated directory a debate.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "\
Start here:
  rebut duel \"Should zoos be closed?\"       one debate without a job file; -m names the model
  rebut new knockout > jobs/mine.yaml       a commented job to start from
  rebut check jobs/mine.yaml                what it would run, without calling a model
  rebut run --rehearse jobs/mine.yaml       the whole thing without a server
  rebut run jobs/mine.yaml                  the real thing; the same command again does the rest
  rebut stats output                        what came out of it

Exit codes: 0 all done; 1 some debates degraded, failed, unfinished or not begun; 2 bad input, or output that could not be written; 3 no server at the start; 130 interrupted."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Args),
    Check(check::Args),
    /// Run one knockout without a job file: For against a team that judges and replaces its own debater
    Knockout(single::Args),
    /// Run one moderated debate without a job file: For and Against, led and scored by a moderator
    Moderated(single::Args),
    /// Run one duel without a job file: For and Against in turn, and a judge
    Duel(single::Args),
    /// Run one roundtable without a job file: four specialists and a chair on a question
    Roundtable(single::Args),
    /// Run one dialectic without a job file: an answer, its critique over several rounds, and a synthesis
    Dialectic(single::Args),
    Render(render::Args),
    Index(index::Args),
    Show(show::Args),
    Rate(rate::Args),
    Doctor(doctor::Args),
    New(new::Args),
    Schema(schema::Args),
    Stats(stats::Args),
    Report(report::Args),
    Export(export::Args),
    Completions(completions::Args),
}

/// The whole program.
pub fn main() -> ExitCode {
    let code = match Cli::try_parse() {
        Ok(cli) => dispatch(cli.command).unwrap_or_else(|failure| failure.report()),
        Err(said) => {
            print::usage(&said);
            u8::try_from(said.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
        }
    };
    if print::stdout_failed() {
        return ExitCode::from(BAD_INPUT);
    }
    code
}

fn dispatch(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Run(args) => run::main(&args),
        Command::Check(args) => check::main(&args),
        Command::Knockout(args) => single::main(Format::Knockout, &args),
        Command::Moderated(args) => single::main(Format::Moderated, &args),
        Command::Duel(args) => single::main(Format::Duel, &args),
        Command::Roundtable(args) => single::main(Format::Roundtable, &args),
        Command::Dialectic(args) => single::main(Format::Dialectic, &args),
        Command::Render(args) => render::main(&args),
        Command::Index(args) => index::main(&args),
        Command::Show(args) => show::main(&args),
        Command::Rate(args) => rate::main(&args),
        Command::Doctor(args) => doctor::main(&args),
        Command::New(args) => new::main(&args),
        Command::Schema(args) => schema::main(&args),
        Command::Stats(args) => stats::main(&args),
        Command::Report(args) => report::main(&args),
        Command::Export(args) => export::main(&args),
        Command::Completions(args) => completions::main(&args),
    }
}

/// Runs a future to its end on a runtime of its own.
fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|e| Failure::input(format!("cannot start: {e}"), ""))?;
    let value = runtime.block_on(future);
    // What is still running was cut off on purpose: a second Ctrl-C.
    runtime.shutdown_background();
    Ok(value)
}
