//! `batches/`: the summaries of batches, two files each, named after the batch's start.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::cut_off;
use super::error::Result;
use super::finished::FinishedDebates;
use super::layout::OutputDir;
use super::running_batches::{self, CutOffRun, RunningBatch};
use super::state::RunState;
use crate::artifacts::batch::{BatchSummary, SCHEMA_VERSION};
use crate::files::{self, FileError};
use crate::id::DebateId;
use crate::templates::Templates;
use crate::trace::major;

/// Maximum bytes of a summary to read.
const MOST_BYTES: u64 = 4 << 20;
/// Maximum summaries that are read.
const LOOKED_UP: usize = 50;

/// The summary of the latest batch, with the path of its page for people; an error if it can't be used.
pub fn last(output: &OutputDir) -> Result<Option<(PathBuf, BatchSummary)>, FileError> {
    let newest = newest_first(output)?.into_iter().next();
    newest.map(|(path, summary)| Ok((path.with_extension("md"), summary?))).transpose()
}

/// The summaries of the latest batches that can be read, the last first. A run that was cut off stands among them as the batch that
/// it will be summed up as: before all that are written, whenever it was cut off.
pub fn all(output: &OutputDir) -> Vec<BatchSummary> {
    all_and_last(output).0
}

/// The same, and whether the last that is written is among them.
pub fn all_and_last(output: &OutputDir) -> (Vec<BatchSummary>, bool) {
    let found = newest_first(output);
    let is_read = found.as_ref().is_ok_and(|it| it.first().is_none_or(|(_, last)| last.is_ok()));
    let mut all = usable(found.unwrap_or_default());
    for run in RunningBatch::all_cut_off(output).unwrap_or_default() {
        if is_summed_up(&run, &all) {
            continue;
        }
        let number = all.iter().map(|it| it.number).max().unwrap_or(0).saturating_add(1);
        let new = cut_off::summary(output, &run).ok().flatten();
        all.splice(0..0, new.map(|it| BatchSummary { number, ..it }));
    }
    (all, is_read)
}

/// Whether a run that was killed is among these batches: it may have written its own summary before.
fn is_summed_up(run: &CutOffRun, batches: &[BatchSummary]) -> bool {
    batches.iter().any(|batch| batch.run == run.holder)
}

/// Writes the summaries of runs that were killed before they could do that, and removes what they left of themselves.
pub fn sum_up(output: &OutputDir, templates: &Templates) -> Result<()> {
    for run in RunningBatch::all_cut_off(output)? {
        let is_new = !is_summed_up(&run, &usable(newest_first(output)?));
        if is_new && let Some(summary) = cut_off::summary(output, &run)? {
            write(output, &summary, templates)?;
        }
        run.forget()?;
    }
    Ok(running_batches::sweep(output)?)
}

/// The latest batches that ended while this one, the last, was running: a reader of that one alone would miss them.
pub fn beside(output: &OutputDir, last: &BatchSummary) -> Vec<BatchSummary> {
    let mut others = usable(newest_first(output).unwrap_or_default());
    others.retain(|it| {
        // The dates do not tell if the clock was set.
        let is_beside = match last.begun_after {
            Some(before) => it.number > before,
            None => it.ended_at > last.started_at,
        };
        it.number != last.number && is_beside
    });
    others
}

/// The unfinished debates besides those that were begun, by the first twelve digits of their ids, each with the batch that left it.
pub fn never_begun<'b>(
    output: &OutputDir,
    batches: &'b [BatchSummary],
    is_finished: impl Fn(&str) -> bool,
) -> BTreeMap<&'b str, &'b BatchSummary> {
    let all = left(output, batches, &RunningBatch::states(output), is_finished).into_iter();
    all.flat_map(|it| it.never_begun.into_iter().map(move |id| (id, it.batch))).collect()
}

/// What a batch left unfinished and no later one did, by the first twelve digits of the ids.
pub struct Left<'b> {
    /// The batch.
    pub batch: &'b BatchSummary,
    /// Those with journals, but for orphans, or if its command, or the one that it says to run next, is running.
    pub begun: Vec<&'b str>,
    /// Those that never began, until they are given up or planned no longer: a later batch has run their job whole, or one runs it.
    pub never_begun: Vec<&'b str>,
}

/// What is left of each of these batches, which are all, the last first.
pub fn left<'b>(
    output: &OutputDir,
    batches: &'b [BatchSummary],
    running: &[RunState],
    is_finished: impl Fn(&str) -> bool,
) -> Vec<Left<'b>> {
    let open = output.begun().unwrap_or_default();
    let open: BTreeSet<&str> = open.iter().map(DebateId::short).collect();
    // Before it may stand where to run it.
    let running_now = |next: &String| running.iter().any(|run| next.ends_with(&run.command));
    let (mut seen, mut whole) = (BTreeSet::new(), BTreeSet::new());
    let is_run = |job: &str| {
        let mut jobs = running.iter().flat_map(|run| &run.jobs);
        jobs.any(|run| job.split_once(" (").is_some_and(|(job, _)| job == run))
    };
    let left = batches.iter().enumerate().map(|(newer, batch)| {
        let is_again = running_now(&batch.next) || running_now(&batch.command);
        let is_orphaned = |id: &str| is_orphaned(id, batch, &batches[..newer]);
        let (begun, rehearsal) = (batch.left.iter().map(String::as_str), batch.rehearsal);
        let mut begun: Vec<&str> = begun.filter(|id| seen.insert(*id)).collect();
        begun.retain(|id| open.contains(id) && !is_again && !is_orphaned(id) && !is_finished(id));
        let is_planned = |job: &String| !is_run(job) && !whole.contains(&(rehearsal, job));
        let mut never_begun = Vec::new();
        for (job, ids) in &batch.never_begun {
            let new = ids.iter().map(String::as_str).filter(|id| seen.insert(*id));
            never_begun.extend(new.filter(|_| is_planned(job) && !batch.given_up));
        }
        never_begun.retain(|id| !open.contains(id) && !is_finished(id));
        whole.extend(batch.whole.iter().map(|job| (rehearsal, job)));
        Left { batch, begun, never_begun }
    });
    left.collect()
}

/// Gives up what batches that ended before this time did not begin, if it is not only counted. Returns how many debates, and how many
/// of later batches stay.
pub(super) fn give_up(output: &OutputDir, before: DateTime<Utc>, dry: bool) -> Result<[u64; 2]> {
    let finished = FinishedDebates::list(output)?;
    let usable = newest_first(output)?.into_iter();
    let usable = usable.filter_map(|(path, summary)| Some((path, summary.ok()?)));
    let (paths, batches): (Vec<PathBuf>, Vec<BatchSummary>) = usable.unzip();
    let mut counts = [0, 0];
    let left = left(output, &batches, &[], |id| finished.may_have(id));
    for (path, Left { batch, never_begun, .. }) in paths.iter().zip(left) {
        let is_older = batch.ended_at < before;
        counts[usize::from(!is_older)] += never_begun.len() as u64;
        let has_some = batch.debates.not_started > 0 || !batch.never_begun.is_empty();
        if is_older && has_some && !dry {
            let given_up = BatchSummary { given_up: true, ..batch.clone() };
            files::replace(path, given_up.json().as_bytes())?;
        }
    }
    Ok(counts)
}

/// The newest batch that names a debate as left unfinished, unless the debate was orphaned since. `batches` are all, the last first.
pub fn left_by<'b>(batches: &'b [BatchSummary], id: &DebateId) -> Option<&'b BatchSummary> {
    let at = batches.iter().position(|batch| batch.has_left(id.short()))?;
    let batch = &batches[at];
    (!is_orphaned(id.short(), batch, &batches[..at])).then_some(batch)
}

/// Of debates that the jobs of a new batch no longer contain, those that a batch of the same origin has left.
pub fn orphaned(output: &OutputDir, made_from: &str, gone: &[DebateId]) -> Vec<DebateId> {
    if gone.is_empty() {
        return Vec::new();
    }
    let batches = all(output);
    let left = |id: &&DebateId| left_by(&batches, id).is_some_and(|it| it.made_from == made_from);
    gone.iter().filter(left).cloned().collect()
}

/// Whether a newer batch of the same jobs with the same settings found that the jobs no longer contain a debate that this one left.
fn is_orphaned(id: &str, batch: &BatchSummary, newer: &[BatchSummary]) -> bool {
    let mut same = newer.iter().filter(|it| it.made_from == batch.made_from);
    same.any(|it| it.orphaned.iter().any(|orphan| orphan == id))
}

/// The command that continues a debate, if the batch that left it says one.
pub fn continues<'b>(batches: &'b [BatchSummary], id: &DebateId) -> Option<&'b str> {
    left_by(batches, id)?.continues()
}

/// The commands that continue these debates, each once.
pub fn continuing(batches: &[BatchSummary], ids: &[DebateId]) -> BTreeSet<String> {
    ids.iter().filter_map(|id| continues(batches, id)).map(str::to_owned).collect()
}

/// A summary for programs.
type Found = (PathBuf, Result<BatchSummary, FileError>);

/// Those that can be read.
fn usable(found: Vec<Found>) -> Vec<BatchSummary> {
    found.into_iter().filter_map(|(_, summary)| summary.ok()).collect()
}

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

/// The number of the last summary that was written; 0 without any.
pub fn last_number(output: &OutputDir) -> Result<u64, FileError> {
    let numbers = usable(newest_first(output)?).into_iter().map(|summary| summary.number);
    Ok(numbers.max().unwrap_or(0))
}

fn read(path: &Path) -> Result<BatchSummary, FileError> {
    let bytes = files::read_at_most(path, MOST_BYTES)?;
    let unreadable = |source| FileError { action: "read", path: path.to_path_buf(), source };
    let summary: BatchSummary = serde_json::from_slice(&bytes).map_err(|e| unreadable(e.into()))?;
    let version = &summary.schema_version;
    if major(version) == major(SCHEMA_VERSION) {
        return Ok(summary);
    }
    Err(unreadable(io::Error::other(format!(
        "it has version {version}, but this rebut reads {SCHEMA_VERSION}"
    ))))
}

/// Writes a batch's summary under the first free name, and returns the path of its page for people.
pub fn write(output: &OutputDir, summary: &BatchSummary, templates: &Templates) -> Result<PathBuf> {
    let page = summary.markdown(templates)?;
    let dir = output.batches();
    files::own_dir(&dir)?;
    let numbered =
        BatchSummary { number: last_number(output)?.saturating_add(1), ..summary.clone() };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_a_batch_that_ended_before_the_last_one_began_is_not_beside_it_whatever_the_dates_say() {
        let dir = tempfile::tempdir().unwrap();
        let output = OutputDir::at(dir.path());
        let templates = Templates::load(None).unwrap();
        let batch = |from: i64, begun_after| BatchSummary {
            schema_version: SCHEMA_VERSION.to_owned(),
            started_at: DateTime::from_timestamp(from, 0).unwrap(),
            ended_at: DateTime::from_timestamp(from + 10, 0).unwrap(),
            begun_after,
            ..BatchSummary::default()
        };
        // The second began after the first had ended, when the clock had been set back.
        write(&output, &batch(90_000, Some(0)), &templates).unwrap();
        write(&output, &batch(1_000, Some(1)), &templates).unwrap();
        let (_, last) = last(&output).unwrap().unwrap();
        assert_eq!(last.number, 2);
        assert_eq!(beside(&output, &last), []);
        let numbers = |begun_after| {
            let others = beside(&output, &BatchSummary { begun_after, ..last.clone() });
            others.iter().map(|it| it.number).collect::<Vec<_>>()
        };
        assert_eq!(numbers(Some(0)), [1], "the first ended while the second ran");
        assert_eq!(numbers(None), [1], "of older batches the dates are all there is");
    }
}
