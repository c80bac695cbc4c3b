//! Which unfinished debates no run has open. A run that continues with others says so in the live file of one that it leaves; asking
//! for the debate's claim would mean holding it for a moment in which a run could not take it.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::place::{ShortId, path};
use super::tail::LiveTail;
use crate::files::{self, Result};
use crate::id::DebateId;
use crate::store::layout::OutputDir;
use crate::store::next_command;
use crate::store::running_batches::{CutOffRun, RunningBatch};
use crate::store::state::RunState;

/// What a run writes behind the events of a debate that it leaves unfinished.
pub(super) const LEFT: &str = "{\"type\":\"debate_event\",\"event\":\"left\"}\n";

/// The unfinished debates that no run has open. `states` are those of the runs in progress.
pub fn left(output: &OutputDir, states: &[RunState]) -> Result<Vec<DebateId>> {
    let runs = RunningBatch::seen(output)?;
    // A live file that cannot be written is given up; the run's state still names the debate.
    let is_named = |id: &DebateId| {
        let mut open = states.iter().flat_map(|state| &state.open);
        open.any(|debate| debate.id == id.short())
    };
    let mut begun = output.begun()?;
    begun.retain(|id| !is_open(output, &runs, &ShortId::of(id)) && !is_named(id));
    Ok(begun)
}

/// Whether a run has this debate open.
pub fn is_open(output: &OutputDir, runs: &[RunningBatch], id: &ShortId) -> bool {
    let path = path(output, id);
    let runs_on = |writer: &str| runs.iter().any(|run| run.holder == writer);
    let opened = LiveTail::open(&path);
    opened.is_some_and(|(_, header)| runs_on(&header.run)) && !is_left(&path)
}

/// The run in progress that has this debate open, or has left it.
pub fn left_by(output: &OutputDir, id: &ShortId) -> Option<RunState> {
    let (_, header) = LiveTail::open(&path(output, id))?;
    let mut runs = RunningBatch::seen(output).ok()?.into_iter();
    let state = runs.find(|run| run.holder == header.run)?.state()?.ok()?;
    Some(next_command::of_run(output, state))
}

/// The unfinished debates that a run which was cut off had begun or continued, and no other has since, by the first twelve digits of
/// their ids.
pub fn left_of(output: &OutputDir, run: &CutOffRun) -> Result<Vec<String>> {
    let is_open = |id: &DebateId| run.state.open.iter().any(|open| open.id == id.short());
    let is_its = |id: &DebateId| {
        let opened = LiveTail::open(&path(output, &ShortId::of(id)));
        opened.map_or_else(|| is_open(id), |(_, header)| header.run == run.holder)
    };
    let begun = output.begun()?.into_iter().filter(is_its);
    Ok(begun.map(|id| id.short().to_owned()).collect())
}

/// Whether the run that wrote this file has left the debate.
fn is_left(path: &Path) -> bool {
    let mut end = [0; LEFT.len()];
    let read = files::open_own(path).ok().and_then(|mut file| {
        file.seek(SeekFrom::End(-(LEFT.len() as i64))).ok()?;
        file.read_exact(&mut end).ok()
    });
    read.is_some() && end == *LEFT.as_bytes()
}
