//! `batches/`: the summaries of batches, two files each, named after the batch's start.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::error::Result;
use super::layout::OutputDir;
use super::state::RunState;
use crate::artifacts::batch::BatchSummary;
use crate::files::{self, FileError};
use crate::id::DebateId;
use crate::templates::Templates;

/// Maximum bytes of a summary to read.
const MOST_BYTES: u64 = 4 << 20;
/// Maximum summaries that are read.
const LOOKED_UP: usize = 50;

/// The summary of the latest batch, with the path of its page for people; an error if it can't be used.
pub fn last(output: &OutputDir) -> Result<Option<(PathBuf, BatchSummary)>, FileError> {
    let newest = newest_first(output)?.into_iter().next();
    newest.map(|(path, summary)| Ok((path.with_extension("md"), summary?))).transpose()
}

/// The summaries of the latest batches that can be read, the last first.
pub fn all(output: &OutputDir) -> Vec<BatchSummary> {
    last_and_all(output).1
}

/// The same, with the last one, unless it can't be read.
pub fn last_and_all(output: &OutputDir) -> (Option<BatchSummary>, Vec<BatchSummary>) {
    let found = newest_first(output).unwrap_or_default();
    let last = found.first().and_then(|(_, summary)| summary.as_ref().ok().cloned());
    (last, found.into_iter().filter_map(|(_, summary)| summary.ok()).collect())
}

/// The latest batches that ended while this one, the last, was running: a reader of that one alone would miss them.
pub fn beside(output: &OutputDir, last: &BatchSummary) -> Vec<BatchSummary> {
    let mut others = all(output);
    others.retain(|it| it.number != last.number && it.ended_at > last.started_at);
    others
}

/// What batches left unfinished: of each the debates that it names, by the first twelve digits of their ids, and that no later one
/// names. Not of those whose command, or the one that they say to run next, was run again, or is `running`; nor those whose journals
/// are gone, as they are once they end or are given up. `batches` are all, the last first.
pub fn left<'b>(
    output: &OutputDir,
    batches: &'b [BatchSummary],
    running: &[RunState],
) -> Vec<(&'b BatchSummary, Vec<&'b str>)> {
    let begun = output.begun().unwrap_or_default();
    let begun: BTreeSet<&str> = begun.iter().map(DebateId::short).collect();
    let mut since: BTreeSet<&str> = running.iter().map(|run| run.command.as_str()).collect();
    let (mut seen, mut left) = (BTreeSet::new(), Vec::new());
    for batch in batches {
        let had_journals: BTreeSet<&str> = batch.left.iter().map(String::as_str).collect();
        let mut named: Vec<&str> = batch.named_as_left().into_iter().collect();
        named.retain(|id| seen.insert(*id));
        named.retain(|id| begun.contains(*id) || !had_journals.contains(*id));
        if !since.contains(batch.next.as_str()) && !since.contains(batch.command.as_str()) {
            left.push((batch, named));
        }
        since.insert(batch.command.as_str());
    }
    left
}

/// The commands that continue these debates: of each, the one of the newest batch that names it as left unfinished. Each command
/// once; none for debates that only older batches name, or none. `batches` are all, the last first.
pub fn continuing(batches: &[BatchSummary], ids: &[DebateId]) -> Vec<String> {
    let mut left: Vec<&str> = ids.iter().map(DebateId::short).collect();
    let mut commands = BTreeSet::new();
    for summary in batches {
        let before = left.len();
        left.retain(|id| !summary.has_left(id));
        let command = summary.continues().filter(|_| left.len() < before);
        commands.extend(command.map(str::to_owned));
    }
    commands.into_iter().collect()
}

/// A summary for programs.
type Found = (PathBuf, Result<BatchSummary, FileError>);

/// The summaries for programs, the last written first. The dates in their names do not tell that if the clock was set.
fn newest_first(output: &OutputDir) -> Result<Vec<Found>, FileError> {
    let mut all = files::list(&output.batches())?;
    all.retain(|path| path.extension().is_some_and(|it| it == "json"));
    let newest = all.split_off(all.len().saturating_sub(LOOKED_UP));
    let mut highest = 0;
    let numbered = newest.into_iter().map(|path| {
        let summary = read(&path);
        let number = summary.as_ref().ok().map(|it| it.number);
        highest = highest.max(number.unwrap_or(0));
        // One that can't be read stays where its name puts it.
        (number.unwrap_or(highest), (path, summary))
    });
    let mut numbered: Vec<(u64, Found)> = numbered.collect();
    numbered.sort_by_key(|(number, _)| *number);
    Ok(numbered.into_iter().rev().map(|(_, found)| found).collect())
}

/// The number of the next summary.
fn next_number(output: &OutputDir) -> Result<u64, FileError> {
    let all = newest_first(output)?.into_iter();
    let numbers = all.filter_map(|(_, summary)| Some(summary.ok()?.number));
    Ok(numbers.max().unwrap_or(0).saturating_add(1))
}

fn read(path: &Path) -> Result<BatchSummary, FileError> {
    let bytes = files::read_at_most(path, MOST_BYTES)?;
    serde_json::from_slice(&bytes).map_err(|e| FileError {
        action: "read",
        path: path.to_path_buf(),
        source: e.into(),
    })
}

/// Writes a batch's summary under the first free name, and returns the path of its page for people.
pub fn write(output: &OutputDir, summary: &BatchSummary, templates: &Templates) -> Result<PathBuf> {
    let page = summary.markdown(templates)?;
    let dir = output.batches();
    files::own_dir(&dir)?;
    let numbered = BatchSummary { number: next_number(output)?, ..summary.clone() };
    let started = summary.started_at.format("%Y-%m-%dT%H-%M-%S").to_string();
    let again = (2..).map(|n| format!("{started}_{n}"));
    let mut names = std::iter::once(started.clone()).chain(again);
    let is_free = |name: &String| !dir.join(format!("{name}.md")).exists();
    // The names never run out.
    let name = names.find(is_free).unwrap_or(started);
    let json = dir.join(format!("{name}.json"));
    files::replace(&json, numbered.json().as_bytes())?;
    let path = dir.join(format!("{name}.md"));
    files::replace(&path, page.content.as_bytes())?;
    Ok(path)
}
