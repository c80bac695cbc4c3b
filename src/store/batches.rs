//! `batches/`: the summaries of batches, two files each, named after the batch's start.

use std::path::PathBuf;

use super::error::StoreError;
use super::layout::OutputDir;
use crate::artifacts::batch::BatchSummary;
use crate::files::{self, FileError};
use crate::templates::Templates;

/// Maximum bytes of a summary to read.
const MOST_BYTES: u64 = 4 << 20;

/// The summary of the latest batch, with the path of its page for people; an error if it can't be used.
pub fn last(output: &OutputDir) -> Result<Option<(PathBuf, BatchSummary)>, FileError> {
    let all = files::list(&output.batches())?;
    let is_json = |path: &&PathBuf| path.extension().is_some_and(|it| it == "json");
    let Some(path) = all.iter().rev().find(is_json) else {
        return Ok(None);
    };
    let bytes = files::read_at_most(path, MOST_BYTES)?;
    let summary = serde_json::from_slice(&bytes).map_err(|e| FileError {
        action: "read",
        path: path.clone(),
        source: e.into(),
    })?;
    Ok(Some((path.with_extension("md"), summary)))
}

/// Writes a batch's summary under the first free name, and returns the path of its page for people.
pub fn write(
    output: &OutputDir,
    summary: &BatchSummary,
    templates: &Templates,
) -> Result<PathBuf, StoreError> {
    let page = summary.markdown(templates)?;
    let dir = output.batches();
    files::own_dir(&dir)?;
    let started = summary.started_at.format("%Y-%m-%dT%H-%M-%S").to_string();
    let again = (2..).map(|n| format!("{started}_{n}"));
    let mut names = std::iter::once(started.clone()).chain(again);
    let is_free = |name: &String| !dir.join(format!("{name}.md")).exists();
    // The names never run out.
    let name = names.find(is_free).unwrap_or(started);
    let json = dir.join(format!("{name}.json"));
    files::replace(&json, summary.json().as_bytes())?;
    let path = dir.join(format!("{name}.md"));
    files::replace(&path, page.content.as_bytes())?;
    Ok(path)
}
