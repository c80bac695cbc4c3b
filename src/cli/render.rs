//! `rebut render`: the rendered files of finished debates, anew from their traces.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;

use super::failure::{Failure, from_error};
use super::print;
use crate::artifacts;
use crate::clock::Clock;
use crate::files;
use crate::files::Claim;
use crate::job::{Form, OutputOptions};
use crate::run::output::{Output, holder};
use crate::templates::Templates;
use crate::text;
use crate::trace::Trace;

/// Rewrite index, metadata, summary and messages of finished debates from their traces
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Debate directories
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Forms of messages and transcript, from now on: md, json, text
    #[arg(long, value_name = "FORMS", value_delimiter = ',', value_parser = form)]
    formats: Vec<Form>,
    /// Write the whole debate into one file too, from now on
    #[arg(long)]
    transcript: bool,
    /// A directory whose files take the place of built-in templates of the same name
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,
}

fn form(text: &str) -> Result<Form, String> {
    serde_json::from_value(json!(text)).map_err(|_| "the forms are md, json and text".to_owned())
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let templates = Templates::load(args.templates.as_deref()).map_err(from_error)?;
    for dir in &args.dirs {
        render(args, dir, &templates)?;
        print::out(&format!("rendered {}", dir.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn render(args: &Args, dir: &Path, templates: &Templates) -> Result<(), Failure> {
    let path = dir.join("trace.json");
    let hint = "name a debate's directory, such as output/2026-11-21/…";
    let mut trace = Trace::read(&path).map_err(|e| Failure::input(e, hint))?;
    let _claim = claim(dir, &trace.id)?;
    change_output(args, &mut trace);
    let artifacts = artifacts::render(&trace, &place_of(dir), templates).map_err(from_error)?;
    files::create_dir(&dir.join("messages")).map_err(from_error)?;
    for begun in [dir, &dir.join("messages")] {
        files::sweep(begun).map_err(from_error)?;
    }
    for artifact in &artifacts {
        files::replace(&dir.join(&artifact.path), artifact.content.as_bytes())
            .map_err(from_error)?;
    }
    if trace_changed(args) {
        files::replace(&path, artifacts::trace_json(&trace).as_bytes()).map_err(from_error)?;
    }
    remove_stale(
        dir,
        &artifacts
            .iter()
            .map(|artifact| dir.join(&artifact.path))
            .collect(),
    )
}

/// Claims a debate that stands in an output directory, so that no run replaces it meanwhile.
fn claim(dir: &Path, id: &str) -> Result<Option<Claim>, Failure> {
    let whole = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    let Some(root) = whole
        .ancestors()
        .nth(2)
        .filter(|root| root.join(".rebut/claims").is_dir())
    else {
        return Ok(None);
    };
    let taken = Output::at(root).claim(id, &holder(&Clock::system()));
    match taken.map_err(from_error)? {
        Ok(claim) => Ok(Some(claim)),
        Err(holder) => Err(Failure::input(
            format!(
                "{} is being written by another rebut ({holder})",
                dir.display()
            ),
            "render it when that is done",
        )),
    }
}

fn trace_changed(args: &Args) -> bool {
    args.transcript || !args.formats.is_empty()
}

fn change_output(args: &Args, trace: &mut Trace) {
    let mut options: OutputOptions =
        serde_json::from_value(trace.plan.output.clone()).unwrap_or_default();
    options.transcript |= args.transcript;
    if !args.formats.is_empty() {
        let more = args
            .formats
            .iter()
            .copied()
            .filter(|form| *form != Form::Md);
        options.formats = std::iter::once(Form::Md).chain(more).collect();
    }
    trace.plan.output = json!(options);
}

/// The debate's directory below the output directory: its last two parts.
fn place_of(dir: &Path) -> String {
    let whole = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    let parts: Vec<String> = whole
        .components()
        .rev()
        .take(2)
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    text::one_line(&parts.into_iter().rev().collect::<Vec<_>>().join("/"))
}

/// Removes messages and transcripts that an earlier rendering left in forms that are no longer wanted.
fn remove_stale(dir: &Path, written: &BTreeSet<PathBuf>) -> Result<(), Failure> {
    let transcripts = ["md", "json", "txt"].map(|ending| dir.join(format!("transcript.{ending}")));
    let messages = files::list(&dir.join("messages")).map_err(from_error)?;
    let messages = messages.into_iter().filter(|path| is_message(path));
    for path in messages
        .chain(transcripts)
        .filter(|path| !written.contains(path))
    {
        files::remove_file(&path).map_err(from_error)?;
    }
    Ok(())
}

/// Whether a file has a message's name, `NNN_<role>_<8 digits>`; others are the user's.
fn is_message(path: &Path) -> bool {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return false;
    };
    let parts: Vec<&str> = stem.split('_').collect();
    let number = parts
        .first()
        .is_some_and(|n| n.len() >= 3 && n.bytes().all(|b| b.is_ascii_digit()));
    let digest = parts
        .last()
        .is_some_and(|d| d.len() == 8 && d.bytes().all(|b| b.is_ascii_hexdigit()));
    matches!(ending, "md" | "json" | "txt") && parts.len() >= 3 && number && digest
}
