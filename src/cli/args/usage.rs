//! Command lines that are refused: clap's message, with our tip where clap has none or a useless one.

use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::cli::process::invocation::arguments;
use crate::job::AnyFormat;
use crate::job::discover::is_job;
use crate::job::problem::suggestions::nearest;

/// Words that are no commands, and what does what they mean.
const MEANT: [(&str, &str); 6] = [
    (
        "compare",
        "'rebut new tournament' writes a job that compares models, and 'rebut report' compares debates",
    ),
    ("debate", "'rebut duel TOPIC' runs one; each other format is a command, too"),
    ("list", LISTS),
    ("ls", LISTS),
    ("rehearse", "'rebut run --rehearse FILE' rehearses a job"),
    ("resume", "the same 'rebut run' again resumes"),
];
/// What lists debates.
const LISTS: &str = "'rebut status' lists running debates, output/index.md the finished ones";
/// Flags that a command lacks, and what does what they mean.
const MEANT_FLAGS: [(&str, &str, &str); 14] = [
    ("run", "--budget", "--max-tokens, --max-time and --until limit a run"),
    ("run", "--resume", "the same 'rebut run' again resumes"),
    ("run", "--yes", "leave it out: 'rebut run' asks nothing"),
    ("view", "--port", "'--listen 127.0.0.1:8080' chooses the port"),
    ("run", "--repeat", REPEAT),
    ("run", "--seeds", REPEAT),
    (ALONE, "--repeat", REPEAT),
    (ALONE, "--seeds", REPEAT),
    ("run", "--temperature", TEMPERATURE),
    (ALONE, "--temperature", TEMPERATURE),
    (
        ALONE,
        "--dry-run",
        "'rebut new FORMAT FILE' writes its job, and 'rebut check FILE' shows what that runs",
    ),
    ("report", "--format", "the extension of the file decides the format: '-o report.md'"),
    ("stats", "-o", STATS),
    ("stats", "--output", STATS),
];
/// Any command that is a format's name.
const ALONE: &str = "FORMAT";
const TEMPERATURE: &str = "'--set defaults.temperature=VALUE' sets it for all participants";
const REPEAT: &str = "'--set repeat=3' runs each debate with three seeds";
const STATS: &str =
    "name the directory, or a debate's directory, without a flag: 'rebut stats DIR'";

/// The error with a fitting tip; `commands` are the names of all commands.
pub(in crate::cli) fn with_tip<'c>(
    mut error: clap::Error,
    commands: impl Iterator<Item = &'c str>,
) -> clap::Error {
    match (error.kind(), written(&error)) {
        (ErrorKind::InvalidSubcommand, Some(word)) => command_tip(&mut error, &word, commands),
        (ErrorKind::UnknownArgument, Some(flag)) => flag_tip(&mut error, &flag),
        (ErrorKind::MissingRequiredArgument, _) => example_tip(&mut error),
        _ => {}
    }
    error
}

/// The word that is at fault.
fn written(error: &clap::Error) -> Option<String> {
    let kinds = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg];
    let mut values = kinds.into_iter().filter_map(|kind| error.get(kind));
    match values.next()? {
        ContextValue::String(word) => Some(word.clone()),
        _ => None,
    }
}

/// An example of a command that needs jobs and was given none.
fn example_tip(error: &mut clap::Error) {
    let command = arguments().nth(1).unwrap_or_default();
    let lacks_jobs = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(missing)) => missing.iter().any(|it| it.starts_with("<PATH>")),
        _ => false,
    };
    if lacks_jobs && ["run", "check"].contains(&&*command) {
        let tip = format!("for example 'rebut {command} jobs/mine.yaml'");
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
}

fn command_tip<'c>(error: &mut clap::Error, word: &str, commands: impl Iterator<Item = &'c str>) {
    if let Some((_, tip)) = MEANT.iter().find(|(meant, _)| *meant == word) {
        error.remove(ContextKind::SuggestedSubcommand);
        tell(error, tip);
    } else if is_job(Path::new(word)) {
        error.remove(ContextKind::SuggestedSubcommand);
        tell(error, &format!("'rebut run {word}' runs a job"));
    } else if let Some(near) = nearest(word, commands) {
        let near = ContextValue::Strings(vec![near.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, near);
    }
}

fn flag_tip(error: &mut clap::Error, flag: &str) {
    // That a flag could be passed as a value: no path or id begins like one.
    error.remove(ContextKind::Suggested);
    let command = arguments().nth(1).unwrap_or_default();
    if AnyFormat::named(&command).is_some() && !flag.starts_with('-') {
        return tell(error, "put the topic in quotes");
    }
    let key = flag.trim_start_matches('-').replace('-', "_");
    let is_key = match AnyFormat::named(&command) {
        Some(format) => format.has_key(&key),
        None if !["run", "check"].contains(&&*command) => false,
        None => AnyFormat::all().any(|format| format.has_key(&key)),
    };
    if is_key {
        return tell(error, &format!("'--set {key}=VALUE' sets that key of a job"));
    }
    let of = match &*command {
        "check" => "run",
        format if AnyFormat::named(format).is_some() => ALONE,
        other => other,
    };
    let mut its = MEANT_FLAGS.iter();
    if let Some((.., tip)) = its.find(|(its, meant, _)| *its == of && *meant == flag) {
        tell(error, tip);
    }
}

fn tell(error: &mut clap::Error, tip: &str) {
    // What is only spelt alike, and the usage with it.
    error.remove(ContextKind::SuggestedArg);
    error.remove(ContextKind::Usage);
    let tips = ContextValue::StyledStrs(vec![tip.to_owned().into()]);
    error.insert(ContextKind::Suggested, tips);
}
