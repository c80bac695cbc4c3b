//! `batches/`: the summaries of batches, a pair of files each, named after their start.

use std::path::PathBuf;

use super::error::StoreError;
use super::layout::OutputDir;
use crate::artifacts::batch::BatchSummary;
use crate::files;
use crate::templates::Templates;

/// The most bytes of a summary that are read.
const MOST_BYTES: u64 = 4 << 20;

/// Writes a batch's summary under the first free name; returns the path of the page for people.
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
    // The names do not end.
    let name = names.find(is_free).unwrap_or(started);
    let json = dir.join(format!("{name}.json"));
    files::replace(&json, summary.json().as_bytes())?;
    let path = dir.join(format!("{name}.md"));
    files::replace(&path, page.content.as_bytes())?;
    Ok(path)
}

/// The summary of the last batch that left one that can be read.
pub fn last(output: &OutputDir) -> Option<BatchSummary> {
    let all = files::list(&output.batches()).ok()?;
    let is_json = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "json");
    let mut newest = all.iter().rev().filter(is_json);
    newest.find_map(|path| {
        let bytes = files::read_at_most(path, MOST_BYTES).ok()?;
        serde_json::from_slice(&bytes).ok()
    })
}
