//! `rebut show`: a debate in the terminal, or one call with exactly what was asked and replied.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::failure::{Failure, from_error};
use super::{block_on, print};
use crate::artifacts::{brief, index, place};
use crate::event::Statement;
use crate::files;
use crate::id::DebateId;
use crate::journal::{self, Entry};
use crate::model::DoneReason;
use crate::run::finished::{self, Finished};
use crate::run::output::Output;
use crate::run::replay::{self, Exchange};
use crate::run::store;
use crate::templates::Templates;
use crate::text;
use crate::trace::Trace;

/// Print a debate, or one call of it with exactly what a model was asked and what it replied
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A debate's directory, or its id (four digits or more)
    #[arg(value_name = "DEBATE")]
    debate: String,
    /// A call's name, such as round-2/ballot/position_y_3; `calls` lists them
    #[arg(value_name = "CALL")]
    call: Option<String>,
    /// Fit the debate into so many tokens (estimated), for another model, 100 or more: outcome and summaries first, then gists, then texts
    #[arg(long, value_name = "TOKENS", conflicts_with = "call", value_parser = clap::value_parser!(u64).range(brief::LEAST_TOKENS..=10_000_000))]
    budget: Option<u64>,
    /// The output directory
    #[arg(long, value_name = "DIR", default_value = "output")]
    output: PathBuf,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    match &args.call {
        None => {
            let trace = trace_of(&args.output, &args.debate)?;
            print::out(&match args.budget {
                Some(budget) => brief::brief(&trace, budget),
                None => debate(&trace),
            });
        }
        Some(call) => calls(args, call)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn trace_of(output: &Path, debate: &str) -> Result<Trace, Failure> {
    let named = Path::new(debate);
    let dir = if named.join("trace.json").is_file() {
        named.to_path_buf()
    } else {
        directory(output, debate)?
    };
    Trace::read(&dir.join("trace.json")).map_err(from_error)
}

/// The directory of the one finished debate whose id begins so.
pub(super) fn directory(output: &Path, id: &str) -> Result<PathBuf, Failure> {
    let all = finished::directories(&Output::at(output)).map_err(from_error)?;
    let short: String = id.chars().take(12).collect();
    let begins = |path: &&PathBuf| {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let named = name
            .rsplit('_')
            .next()
            .is_some_and(|digits| digits.starts_with(&short));
        named
            && (id.len() <= 12
                || finished::found(path).is_some_and(|found| found.id.starts_with(id)))
    };
    let found: Vec<&PathBuf> = all
        .iter()
        .filter(|_| id.len() >= 4)
        .filter(begins)
        .collect();
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        [] if begun(&Output::at(output), id).is_some() => Err(Failure::input(
            format!("the debate `{id}` is not finished"),
            format!("`rebut show {id} calls` lists what has been answered so far"),
        )),
        [] => Err(Failure::input(
            format!("there is no finished debate `{id}` in {}", output.display()),
            "name its directory, or at least four digits of its id; --output names another output directory",
        )),
        several => Err(Failure::input(
            format!("`{id}` fits {} debates", several.len()),
            "give more digits of the id",
        )),
    }
}

fn debate(trace: &Trace) -> String {
    let mut parts = vec![head(trace)];
    parts.extend(trace.statements.iter().map(|s| statement(trace, s)));
    if let Some(outcome) = &trace.outcome {
        let facts = outcome
            .facts
            .iter()
            .map(|(name, value)| format!("{}: {}", text::one_line(name), text::one_line(value)));
        parts.push(format!("── Outcome: {}", text::one_line(&outcome.line)));
        parts.push(facts.collect::<Vec<_>>().join("\n"));
    }
    parts.join("\n\n")
}

fn head(trace: &Trace) -> String {
    let short = &trace.id[..12.min(trace.id.len())];
    let mut lines = vec![
        text::one_line(&trace.topic),
        format!(
            "Debate {short} in the {} format, {}",
            text::one_line(&trace.format),
            trace.status.word()
        ),
    ];
    if trace.rehearsal {
        lines.push("Rehearsal: no model was asked.".to_owned());
    }
    lines.extend(
        trace
            .cause
            .iter()
            .map(|cause| format!("Cause: {}", text::one_line(cause))),
    );
    lines.join("\n")
}

fn statement(trace: &Trace, s: &Statement) -> String {
    let round = if s.round > 0 {
        format!("round {}, ", s.round)
    } else {
        String::new()
    };
    let (name, position) = (text::one_line(trace.name_of(&s.by)), position(trace, &s.by));
    let said = text::indented(&s.text);
    let note = index::note(s)
        .map(|note| format!("; {note}"))
        .unwrap_or_default();
    format!(
        "── {} {name}{position}, {round}{} ({} tokens{note})\n\n{said}",
        s.n,
        text::one_line(&place::phase(s)),
        s.tokens
    )
}

fn position(trace: &Trace, id: &str) -> String {
    let found = trace
        .participants
        .iter()
        .find(|p| p.id == id && !p.position.is_empty());
    found
        .map(|p| format!(" ({})", text::one_line(&p.position)))
        .unwrap_or_default()
}

fn calls(args: &Args, wanted: &str) -> Result<(), Failure> {
    let output = Output::at(&args.output);
    let id = whole_id(&output, &args.output, &args.debate)?;
    let journal = [output.finished_journal(&id), output.running_journal(&id)]
        .into_iter()
        .find(|path| path.is_file());
    let Some(journal) = journal else {
        return Err(Failure::input(
            format!(
                "there is no journal of {} in {}",
                id.short(),
                args.output.display()
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
    let inputs = store::inputs(&output, header).map_err(from_error)?;
    let templates = Templates::from_sources(inputs.templates).map_err(from_error)?;
    let exchanges =
        block_on(replay::exchanges(inputs.plan, templates, past.entries))?.map_err(from_error)?;
    let chosen: Vec<&Exchange> = exchanges
        .iter()
        .filter(|e| e.request.call == wanted && e.entry.is_some())
        .collect();
    if !chosen.is_empty() {
        chosen
            .iter()
            .for_each(|exchange| print::out(&shown(exchange)));
        return Ok(());
    }
    let mut names: Vec<&str> = exchanges
        .iter()
        .filter(|e| e.entry.is_some())
        .map(|e| e.request.call.as_str())
        .collect();
    names.dedup();
    if wanted == "calls" && !names.is_empty() {
        names.iter().for_each(|name| print::out(name));
        return Ok(());
    }
    Err(no_call(wanted, &names))
}

fn no_call(wanted: &str, names: &[&str]) -> Failure {
    match (names, wanted) {
        ([], "calls") => Failure::input("none of its calls has been answered yet", ""),
        ([], _) => Failure::input(
            format!("this debate made no call `{wanted}`"),
            "none of its calls has been answered yet",
        ),
        (names, _) => Failure::input(
            format!("this debate made no call `{wanted}`"),
            format!("its calls: {}", names.join(", ")),
        ),
    }
}

/// The whole id of the one debate that has begun and whose id begins so.
fn begun(output: &Output, id: &str) -> Option<DebateId> {
    let running = files::list(&output.running()).unwrap_or_default();
    let whole = |path: &PathBuf| path.file_stem()?.to_str()?.parse().ok();
    let begins = |whole: &DebateId| id.len() >= 4 && whole.starts_with(id);
    let begun: Vec<DebateId> = running.iter().filter_map(whole).filter(begins).collect();
    <[DebateId; 1]>::try_from(begun).ok().map(|[id]| id)
}

/// The whole id of a finished debate, or of one that has begun.
fn whole_id(output: &Output, root: &Path, debate: &str) -> Result<DebateId, Failure> {
    if let Some(id) = begun(output, debate) {
        return Ok(id);
    }
    let trace = trace_of(root, debate)?;
    Finished::of(output)
        .map_err(from_error)?
        .get(&trace.id)
        .map(|_| trace.id.clone())
        .ok_or_else(|| {
            Failure::input(
                "that debate is not in this output directory",
                "name it with --output",
            )
        })
}

fn shown(exchange: &Exchange) -> String {
    let r = &exchange.request;
    let sampling = format!(
        "temperature {}, num_predict {}, seed {}, think {}",
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
        Entry::Reading(_) | Entry::Debate(_) => return None,
    };
    let differs = *sent != exchange.request.digest();
    differs.then(|| {
        "── NOT what was asked: another version of rebut sent this request; its digest differs"
            .to_owned()
    })
}

fn reply(exchange: &Exchange) -> Vec<String> {
    match &exchange.entry {
        Some(Entry::Reply(reply)) => {
            let thought = reply
                .thinking
                .iter()
                .flat_map(|t| ["── thought".to_owned(), text::visible(t)]);
            let head = format!(
                "── reply ({} tokens, ended by {})",
                reply.tokens.reply,
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
    }
}
