//! `rebut show`: a debate in the terminal, or one call with exactly what was asked and replied.

use std::process::ExitCode;

use super::failure::{Failure, from_error};
use super::output::{Debate, OutputArg};
use super::print;
use super::runtime::block_on;
use crate::artifacts::{brief, whole};
use crate::id::DebateId;
use crate::journal::{self, Entry};
use crate::model::DoneReason;
use crate::store::finished::FinishedDebates;
use crate::store::layout::OutputDir;
use crate::store::load;
use crate::store::replay::{self, Exchange};
use crate::templates::Templates;
use crate::text;
use crate::trace::Trace;

/// Print a debate, or one of its calls exactly as asked and answered
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Debate: its id (4 digits or more), its directory, or a file in it
    #[arg(value_name = "DEBATE")]
    debate: String,
    /// Call, such as round-2/ballot/position_y_3; `calls` lists them
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
            print::out(&match args.budget {
                Some(budget) => brief::brief(&trace, budget, &all),
                None => whole::whole(&trace),
            });
        }
        Some(call) => calls(args, call)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn trace_of(debate: &Debate) -> Result<Trace, Failure> {
    Trace::read(&debate.dir.join("trace.json")).map_err(from_error)
}

fn calls(args: &Args, wanted: &str) -> Result<(), Failure> {
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
    let past = journal::load(&journal, &id).map_err(from_error)?;
    let Some(header) = past.header() else {
        return Err(Failure::input(
            format!("{} is empty", journal.display()),
            "",
        ));
    };
    let inputs = load::inputs(&output, header).map_err(from_error)?;
    let templates = Templates::from_sources(inputs.templates).map_err(from_error)?;
    let exchanges =
        block_on(replay::exchanges(inputs.plan, templates, past.entries))?.map_err(from_error)?;
    let answered = || exchanges.iter().filter(|e| e.entry.is_some());
    let mut names: Vec<&str> = answered().map(|e| e.request.call.as_str()).collect();
    names.dedup();
    if names.contains(&wanted) {
        let attempts = answered().filter(|e| e.request.call == wanted);
        attempts.for_each(|exchange| print::out(&shown(exchange)));
    } else if wanted == "calls" && !names.is_empty() {
        names.iter().for_each(|name| print::out(name));
    } else {
        return Err(no_call(wanted, &names));
    }
    Ok(())
}

fn no_call(wanted: &str, names: &[&str]) -> Failure {
    let none = "no call has been answered yet";
    let cause = format!("no call `{wanted}` in this debate");
    match (names, wanted) {
        ([], "calls") => Failure::input(none, ""),
        ([], _) => Failure::input(cause, none),
        (names, _) => Failure::input(cause, format!("its calls: {}", names.join(", "))),
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
    let is_here = FinishedDebates::list(&output)
        .map_err(from_error)?
        .get(&id)
        .is_some();
    is_here.then_some((output, id)).ok_or_else(|| {
        Failure::input(
            "the debate is not in this output directory",
            "name it with --output",
        )
    })
}

fn shown(exchange: &Exchange) -> String {
    let r = &exchange.request;
    let options = r.options.iter();
    let options: String = options
        .map(|(name, value)| format!(", {name} {value}"))
        .collect();
    let sampling = format!(
        "temperature {}, num_predict {}, seed {}, think {}{options}",
        r.temperature, r.num_predict, r.seed, r.think
    );
    let mut parts = vec![format!(
        "── {} attempt {}: {} ({sampling})",
        r.call, r.attempt, r.model
    )];
    for message in &r.messages {
        parts.push(format!(
            "── {}",
            format!("{:?}", message.role).to_lowercase()
        ));
        parts.push(text::visible(&message.content));
    }
    if let Some(warning) = other_request(exchange) {
        parts.push(warning);
    }
    if let Some(schema) = &r.schema {
        parts.push("── format".to_owned());
        parts.push(schema.to_string());
    }
    parts.extend(reply(exchange));
    parts.join("\n\n") + "\n"
}

/// A warning where this program builds another request than the one that was sent.
fn other_request(exchange: &Exchange) -> Option<String> {
    let sent = match exchange.entry.as_ref()? {
        Entry::Reply(reply) => &reply.digest,
        Entry::Failure(failure) => &failure.digest,
        Entry::External(_) | Entry::Debate(_) => return None,
    };
    let differs = *sent != exchange.request.digest();
    differs.then(|| {
        "── NOT the request that was sent: another version of rebut sent it, and its digest differs"
            .to_owned()
    })
}

fn reply(exchange: &Exchange) -> Vec<String> {
    match &exchange.entry {
        Some(Entry::Reply(entry)) => {
            let reply = &entry.reply;
            let thought = reply
                .thinking
                .iter()
                .flat_map(|t| ["── thought".to_owned(), text::visible(t)]);
            let head = format!(
                "── reply ({}, ended by {})",
                text::count(reply.tokens.reply, "token"),
                ended(reply.done_reason)
            );
            thought.chain([head, text::visible(&reply.text)]).collect()
        }
        Some(Entry::Failure(failure)) => vec![format!(
            "── failed: {} ({})",
            failure.error.name(),
            text::one_line(&failure.message)
        )],
        _ => vec!["── not answered".to_owned()],
    }
}

fn ended(reason: DoneReason) -> &'static str {
    match reason {
        DoneReason::Stop => "the model",
        DoneReason::Length => "its limit",
        DoneReason::Overrun => "rebut: it went on beyond its limit",
    }
}
