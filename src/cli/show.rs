//! `rebut show`: a debate in the terminal, or one call with exactly what was asked and replied.

use std::collections::HashSet;
use std::process::ExitCode;

use super::color::Paint;
use super::failure::{Failure, from_error};
use super::output::{Debate, OutputArg};
use super::print;
use super::runtime::block_on;
use crate::artifacts::{brief, calls, whole};
use crate::id::DebateId;
use crate::journal::{self, Entry};
use crate::store::finished::FinishedDebates;
use crate::store::layout::OutputDir;
use crate::store::prompts::{self, Sent};
use crate::text;
use crate::trace::Trace;

/// Print a debate, or one of its calls exactly as asked and answered
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Debate: its id (4 digits or more), its directory, or a file in it; a job's name means its newest debate, `last` the newest of all
    #[arg(value_name = "DEBATE")]
    debate: String,
    /// Message by its number, or call, such as round-2/ballot/position_y_3; `calls` lists them
    #[arg(value_name = "CALL")]
    call: Option<String>,
    /// Fit the debate into this many tokens (estimated, 100 or more), for another model: outcome, reasons and arguments first, then summaries and claims, then texts
    #[arg(long, value_name = "TOKENS", conflicts_with = "call", value_parser = clap::value_parser!(u64).range(brief::LEAST_TOKENS..=10_000_000))]
    budget: Option<u64>,
    #[command(flatten)]
    output: OutputArg,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    match &args.call {
        None => {
            let found = args.output.debate(&args.debate)?;
            let trace = trace_of(&found)?;
            let all = format!("rebut show {}", found.again(&trace.id));
            match args.budget {
                Some(budget) => print::out(&brief::brief(&trace, budget, &all)),
                None => read(&trace),
            }
        }
        Some(call) => one_call(args, call)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints all of a debate: its topic, how it stands, and the rest.
fn read(trace: &Trace) {
    let paint = Paint::on(&std::io::stdout());
    print::read(&whole::whole(trace), |n, line| match n {
        0 => paint.bold(&line),
        1 => paint.status(trace.status.word(), &line),
        _ => line,
    });
}

fn trace_of(debate: &Debate) -> Result<Trace, Failure> {
    Trace::read(&debate.dir.join("trace.json")).map_err(from_error)
}

fn one_call(args: &Args, wanted: &str) -> Result<(), Failure> {
    let (output, id) = begun_or_finished(args)?;
    let journal = [output.finished_journal(&id), output.running_journal(&id)]
        .into_iter()
        .find(|path| path.is_file());
    let Some(journal) = journal else {
        return Err(Failure::input(
            format!(
                "no journal of {} in {}",
                id.short(),
                output.root().display()
            ),
            "journals are kept in OUTPUT/.rebut/journals",
        ));
    };
    let past = journal::load(&journal, &id)?;
    let Some(header) = past.header() else {
        return Err(Failure::input(
            format!("{} is empty", journal.display()),
            "",
        ));
    };
    let mut seen = HashSet::new();
    let names = past.entries.iter().filter_map(Entry::call);
    let names: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
    let of_message = call_of(args, wanted)?;
    let wanted = of_message.as_deref().unwrap_or(wanted);
    if names.contains(&wanted) {
        let sent = block_on(prompts::of_call(&output, header, &past.entries, wanted))?;
        attempts(&past.entries, wanted, &sent);
    } else if wanted == "calls" && !names.is_empty() {
        names.iter().for_each(|name| print::told(name));
    } else {
        return Err(no_call(wanted, &names));
    }
    Ok(())
}

/// The call that a message of a finished debate came from, if its number was given.
fn call_of(args: &Args, wanted: &str) -> Result<Option<String>, Failure> {
    let Ok(number) = wanted.parse::<u32>() else {
        return Ok(None);
    };
    let trace = trace_of(&args.output.debate(&args.debate)?)?;
    match trace.statements.into_iter().find(|s| s.n == number) {
        Some(message) if message.call.is_none() => Err(Failure::input(
            format!("message {number} was asked of no model"),
            "omit the number to read it",
        )),
        found => Ok(found.and_then(|message| message.call)),
    }
}

/// Prints the attempts of a call.
fn attempts(past: &[Entry], call: &str, sent: &Sent) {
    if let Some(finding) = &sent.finding {
        let warning = format!("warning: {finding}; reconstructed from the journal");
        print::err(&text::one_line(&warning));
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
        (names, _) => Failure::input(cause, format!("its calls are\n  {}", names.join("\n  "))),
    }
}

/// The output directory and the whole id of a debate that has begun, or of a finished one.
fn begun_or_finished(args: &Args) -> Result<(OutputDir, DebateId), Failure> {
    if let Some(id) = args.output.begun(&args.debate) {
        return Ok((OutputDir::at(&args.output.dir), id));
    }
    let found = args.output.debate(&args.debate)?;
    let output = OutputDir::at(found.root(&args.output));
    let id = trace_of(&found)?.id;
    let is_here = FinishedDebates::list(&output)?.get(&id).is_some();
    is_here.then_some((output, id)).ok_or_else(|| {
        Failure::input(
            "the debate is not in this output directory",
            "name it with --output",
        )
    })
}
