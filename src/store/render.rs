//! Rewriting the rendered files of a finished debate from its trace.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use super::error::Result;
use super::finished::FinishedDebate;
use super::layout::OutputDir;
use crate::artifacts;
use crate::facts::{self, Facts, cache::FACTS};
use crate::files::{self, FileError};
use crate::templates::Templates;
use crate::text;
use crate::trace::Trace;

/// Rewrites index, metadata, summary, messages and transcript, but not the trace. The caller must hold the debate's claim.
pub fn rewrite(dir: &Path, trace: &Trace, templates: &Templates) -> Result<()> {
    let artifacts = artifacts::render(trace, &place_of(dir), templates)?;
    let messages = dir.join(artifacts::MESSAGES);
    files::own_dir(&messages)?;
    for begun in [dir, &messages] {
        files::sweep(begun)?;
    }
    for artifact in &artifacts {
        files::replace(&dir.join(&artifact.path), artifact.content.as_bytes())?;
    }
    let written = artifacts.iter().map(|artifact| dir.join(&artifact.path));
    Ok(remove_stale(dir, &written.collect())?)
}

/// Replaces a debate's trace and the facts next to it. The caller must hold the debate's claim.
pub fn replace_trace(dir: &Path, trace: &Trace) -> Result<(), FileError> {
    let path = dir.join("trace.json");
    files::replace(&path, artifacts::trace_json(trace).as_bytes())?;
    let facts = Facts::from_trace(trace).ok();
    let facts = facts.and_then(|facts| facts::cache::content(&path, &facts));
    facts.map_or(Ok(()), |facts| {
        files::replace_unsynced(&dir.join(FACTS), |file| file.write_all(&facts))
    })
}

/// The output directory that contains a debate's directory, if there is one.
pub fn root_of(dir: &Path) -> Option<PathBuf> {
    let whole = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    let root = whole.ancestors().nth(2)?;
    root.join(".rebut/claims").is_dir().then(|| root.to_path_buf())
}

/// Whether the debate with this trace, which may be damaged, can be rebuilt from its journal.
pub fn has_journal(trace: &Path) -> bool {
    let dir = trace.parent().unwrap_or(Path::new(""));
    let found = root_of(dir).zip(FinishedDebate::read(dir));
    found.is_some_and(|(root, it)| OutputDir::at(&root).finished_journal(&it.id).is_file())
}

/// A debate's directory relative to the output directory: its last two parts.
fn place_of(dir: &Path) -> String {
    let whole = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    let day = whole.parent().map(files::name_of).unwrap_or_default();
    text::one_line(&format!("{day}/{}", files::name_of(&whole)))
}

/// Removes messages and transcripts of an earlier rendering in forms no longer wanted.
fn remove_stale(dir: &Path, written: &BTreeSet<PathBuf>) -> Result<(), FileError> {
    let transcripts = ["md", "json", "txt"].map(|ending| dir.join(format!("transcript.{ending}")));
    let messages = files::list(&dir.join(artifacts::MESSAGES))?
        .into_iter()
        .filter(|path| MESSAGE.is_match(&files::name_of(path)));
    for path in messages.chain(transcripts).filter(|path| !written.contains(path)) {
        files::remove_file(&path)?;
    }
    Ok(())
}

/// The name of a message's file, `NNN_<role>_<8 digits>`. Other files are the user's.
static MESSAGE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?s)^[0-9]{3,}_.*_[0-9a-fA-F]{8}\.(md|json|txt)$";
    Regex::new(pattern).expect("a pattern of ours")
});
