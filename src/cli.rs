//! The command line: the only code that prints and that chooses the exit code. A command is a file here; what commands share is
//! in the folders.

mod args;
#[cfg(feature = "fleet")]
mod cancel;
mod check;
mod clean;
#[cfg(feature = "fleet")]
mod collect;
mod completions;
mod doctor;
#[cfg(feature = "fleet")]
mod enqueue;
mod export;
#[cfg(feature = "fleet")]
mod fleet;
mod grade;
mod index;
mod judge;
mod label;
mod merge;
mod new;
mod new_tournament;
mod process;
mod publish;
mod rate;
mod render;
mod report;
mod run;
mod run_end;
mod schema;
mod servers;
mod show;
mod single_debate;
mod stats;
mod status;
mod stop;
mod terminal;
#[cfg(feature = "view")]
mod view;
mod watch;
#[cfg(feature = "fleet")]
mod worker;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use self::args::usage;
#[cfg(feature = "fleet")]
use self::fleet::args::FleetCommand;
use self::process::failure::{BAD_INPUT, Failure, INTERRUPTED};
use self::terminal::{color, print};
use crate::formats::{self, Playable};
use crate::text::shell;

/// Run debates between language models on Ollama, unattended
///
/// A job file sets up debates: format, topic, participants. `rebut run` runs them and writes one dated directory per debate.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "\
Getting started:
  rebut duel \"Should zoos be closed?\"       run one debate without a job file (-m chooses the model)
  rebut new knockout jobs/mine.yaml         write a commented job
  rebut check jobs/mine.yaml                show what it would run, without calling a model
  rebut run --rehearse jobs/mine.yaml       run all of it without a server
  rebut run jobs/mine.yaml                  run it; the same command again resumes
  rebut show ID                             read a debate
  rebut report                              compare all debates on one page

Exit codes: 0 all done; 1 some debates degraded, failed, unfinished or not started; 2 bad input or unwritable output; 3 no server at the start; 4 time or token limit reached with work left; 130 interrupted."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// When to use colours
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    color: color::When,
}

#[derive(Debug, Subcommand)]
enum Command {
    New(new::Args),
    Check(check::Args),
    Run(run::Args),
    Status(status::Args),
    #[cfg(feature = "view")]
    View(view::Args),
    Watch(watch::Args),
    Stop(stop::Args),
    Show(show::Args),
    Report(report::Args),
    Stats(stats::Args),
    Export(export::Args),
    Publish(publish::Args),
    Judge(judge::Args),
    Label(label::Args),
    Rate(rate::Args),
    Grade(grade::Args),
    Render(render::Args),
    Index(index::Args),
    Clean(clean::Args),
    Doctor(doctor::Args),
    #[command(flatten)]
    Alone(single_debate::Alone),
    Merge(merge::Args),
    #[cfg(feature = "fleet")]
    #[command(flatten)]
    Fleet(FleetCommand),
    Schema(schema::Args),
    Completions(completions::Args),
}

/// The whole program, with additional formats.
pub fn main(more: &[Playable]) -> ExitCode {
    formats::add(more);
    let code = match Cli::try_parse() {
        Ok(cli) => {
            color::choose(cli.color);
            dispatch(cli.command).unwrap_or_else(|failure| failure.report())
        }
        Err(said) => {
            let (code, cli) = (said.exit_code(), Cli::command());
            let commands = cli.get_subcommands().map(clap::Command::get_name);
            print::usage(&usage::with_tip(said, commands));
            u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from)
        }
    };
    print::finish();
    if print::stdout_failed() {
        ExitCode::from(BAD_INPUT)
    } else if print::is_cut_short() {
        ExitCode::from(INTERRUPTED)
    } else {
        code
    }
}

fn dispatch(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Run(args) => run::main(&args),
        Command::Check(args) => check::main(&args),
        Command::Status(args) => status::main(&args),
        #[cfg(feature = "view")]
        Command::View(args) => view::main(&args),
        Command::Watch(args) => watch::main(&args),
        Command::Stop(args) => stop::main(&args),
        Command::Clean(args) => clean::main(&args),
        Command::Alone(args) => single_debate::main(&args),
        Command::Render(args) => render::main(&args),
        Command::Index(args) => index::main(&args),
        Command::Show(args) => show::main(&args),
        Command::Judge(args) => judge::main(&args),
        Command::Label(args) => label::main(&args),
        Command::Rate(args) => rate::main(&args),
        Command::Grade(args) => grade::main(&args),
        Command::Doctor(args) => doctor::main(&args),
        Command::New(args) => new::main(&args),
        Command::Schema(args) => schema::main(&args),
        Command::Stats(args) => stats::main(&args),
        Command::Report(args) => report::main(&args),
        Command::Export(args) => export::main(&args),
        Command::Publish(args) => publish::main(&args),
        Command::Merge(args) => merge::main(&args),
        #[cfg(feature = "fleet")]
        Command::Fleet(command) => fleet(&command),
        Command::Completions(args) => completions::main(&args, &mut Cli::command()),
    }
}

#[cfg(feature = "fleet")]
fn fleet(command: &FleetCommand) -> Result<ExitCode, Failure> {
    match command {
        FleetCommand::Enqueue(args) => enqueue::main(args),
        FleetCommand::Worker(args) => worker::main(args),
        FleetCommand::Collect(args) => collect::main(args),
        FleetCommand::Cancel(args) => cancel::main(args),
    }
}
