//! `rebut show`: a debate in the terminal, or one call exactly as sent and answered.

use std::process::ExitCode;

use super::args::output_directory::{self, OutputArg};
use super::args::values::number;
use super::process::failure::Failure;
use super::process::runtime::block_on;
use super::shell;
use super::terminal::color::Paint;
use super::terminal::print;
use crate::artifacts::{brief, calls, show};
use crate::id::DebateId;
use crate::journal::{self, Entry};
use crate::store::finished::FinishedDebates;
use crate::store::layout::OutputDir;
use crate::store::sent_requests::{self, Sent};
use crate::templates::Templates;
use crate::text::{one_line, separated};
use crate::trace::Trace;

/// Print a debate, or one of its calls exactly as sent and answered
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Debate: its id (at least 4 digits), its directory or a file in it; a job's name selects its newest debate, `last` the newest of all
    #[arg(value_name = "DEBATE")]
    debate: String,
    /// Message number, or call such as round-2/ballot/position_y_3; `calls` lists all calls
    #[arg(value_name = "CALL")]
    call: Option<String>,
    /// Fit the debate into this many tokens (estimated; at least 100) for another model: outcome, answer, reasons, story and arguments first, then claims, then statements
    #[arg(long, value_name = "TOKENS", conflicts_with = "call", value_parser = number::<u64>(brief::LEAST_TOKENS..=10_000_000))]
    budget: Option<u64>,
    #[command(flatten)]
    output: OutputArg,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    if let Some(call) = &args.call {
        one_call(args, call)?;
        return Ok(ExitCode::SUCCESS);
    }
    let found = args.output.debate(&args.debate)?;
    let trace = Trace::in_dir(&found.dir)?;
    let all = format!("rebut show {}", found.again(&trace.id));
    match args.budget {
        Some(budget) => {
            let brief = brief::brief(&trace, budget, &all, &Templates::load(None)?)?;
            print::read(&brief, |_, line| line);
        }
        None => read(&trace)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a whole debate: its topic, its status and the rest.
fn read(trace: &Trace) -> Result<(), Failure> {
    let paint = Paint::on(&std::io::stdout());
    print::read(&show::whole(trace, &Templates::load(None)?)?, |n, line| match n {
        0 => paint.bold(&line),
        1 => paint.status(trace.status.word(), &line),
        _ => line,
    });
    Ok(())
}

fn one_call(args: &Args, wanted: &str) -> Result<(), Failure> {
    let (output, id) = begun_or_finished(args)?;
    let journals = [output.finished_journal(&id), output.running_journal(&id)];
    let journal = journals.into_iter().find(|path| path.is_file()).ok_or_else(|| {
        let (id, named) = (id.short(), &args.debate);
        let cause = format!("the calls of {id} can no longer be shown: their record is gone");
        let show = format!(
            "rebut show {}{}",
            shell::quoted(named),
            output_directory::flag(&args.output.dir)
        );
        let hint = format!("`rebut clean` removes it; `{show}` still shows the debate");
        Failure::input(cause, hint)
    })?;
    let numbered = numbered(args, wanted)?;
    if let Some((message, None)) = &numbered {
        // Nobody was asked for it, so it is all there is.
        print::read(message, |_, line| line);
        return Ok(());
    }
    let past = journal::load(&journal, &id)?;
    let empty = || Failure::input(format!("{} is empty", journal.display()), "");
    let header = past.header().ok_or_else(empty)?;
    let names = past.calls();
    let of_message = numbered.and_then(|(_, call)| call);
    let wanted = of_message.as_deref().unwrap_or(wanted);
    if names.contains(&wanted) {
        let sent = sent_requests::of_call(&output, header, &past.entries, wanted);
        attempts(&past.entries, wanted, &block_on(sent)?);
    } else if wanted == "calls" && !names.is_empty() {
        names.iter().for_each(|name| print::told(name));
    } else {
        return Err(no_call(wanted, &names));
    }
    Ok(())
}

/// The message of a finished debate whose number was given, and the call behind it.
fn numbered(args: &Args, wanted: &str) -> Result<Option<(String, Option<String>)>, Failure> {
    let Ok(number) = wanted.parse::<u32>() else { return Ok(None) };
    let trace = Trace::in_dir(&args.output.debate(&args.debate)?.dir)?;
    let Some(said) = trace.statements.iter().find(|s| s.n == number) else {
        let last = trace.statements.last().map_or(0, |last| last.n);
        let cause = format!("no message {number} in this debate");
        return Err(Failure::input(cause, format!("its messages are 1 to {last}")));
    };
    Ok(Some((show::statement(&trace, said), said.call.clone())))
}

/// Prints the attempts of a call.
fn attempts(past: &[Entry], call: &str, sent: &Sent) {
    if let Some(finding) = &sent.finding {
        print::warn(&format!("{finding}; reconstructed from the journal"));
    }
    for entry in past.iter().filter(|entry| entry.call() == Some(call)) {
        let request = sent.requests.get(&entry.attempt().unwrap_or_default());
        let missing = sent.missing.as_deref().unwrap_or_default();
        print::out(&(calls::attempt(entry, request.ok_or(missing)) + "\n"));
    }
}

fn no_call(wanted: &str, names: &[&str]) -> Failure {
    let none = "no call has been answered yet";
    let cause = format!("no call `{wanted}` in this debate");
    match (names, wanted) {
        ([], "calls") => Failure::input(none, ""),
        ([], _) => Failure::input(cause, none),
        (names, _) => {
            let names = separated(names.iter().map(|name| one_line(name)), "\n  ");
            Failure::input(cause, format!("its calls are\n  {names}"))
        }
    }
}

/// The output directory and the whole id of a debate that has begun, or of a finished one.
fn begun_or_finished(args: &Args) -> Result<(OutputDir, DebateId), Failure> {
    let named = &args.debate;
    let found = match (args.output.begun(named), args.output.debate(named)) {
        // A job's name means its newest finished debate, if it has one.
        (Some(id), found) if output_directory::is_id(named) || found.is_err() => {
            return Ok((OutputDir::at(&args.output.dir), id));
        }
        (_, found) => found?,
    };
    let output = OutputDir::at(found.root(&args.output));
    let id = Trace::in_dir(&found.dir)?.id;
    let is_here = FinishedDebates::list(&output)?.get(&id)?.is_some();
    let elsewhere = "the debate is not in this output directory";
    let found = is_here.then_some((output, id));
    found.ok_or_else(|| Failure::input(elsewhere, "give its directory with --output"))
}
