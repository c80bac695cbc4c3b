//! Debates that an output directory knows of and that have not ended. They have no trace, and are in no number but how many were planned.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::id::DebateId;
use crate::journal;
use crate::store::layout::OutputDir;
use crate::store::running_batches::RunningBatch;
use crate::store::{batches, snapshot};

/// How many debates of output directories have not ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NotEnded {
    debates: Number,
    rehearsals: Number,
}

/// Debates that have not ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) unfinished: usize,
    /// Those that the last batch did not begin.
    pub(super) not_started: usize,
}

impl Number {
    /// Whether there are any.
    pub(super) fn is_any(self) -> bool {
        self.unfinished + self.not_started > 0
    }
}

/// A debate that has ended.
pub(super) struct Ended<'f> {
    pub(super) dir: &'f Path,
    pub(super) id: &'f str,
    pub(super) began: DateTime<Utc>,
}

impl NotEnded {
    /// Those of these directories; `None` unless each is an output directory whose summaries of batches tell how many there are.
    pub(super) fn of(dirs: &[PathBuf], ended: &[Ended<'_>]) -> Option<Self> {
        let mut found = Self::default();
        let each = dirs.iter().map(|dir| dir.canonicalize().ok());
        for dir in each.collect::<Option<BTreeSet<PathBuf>>>()? {
            found.add(&dir, ended)?;
        }
        Some(found)
    }

    /// Those that count.
    pub(super) fn counting(self, rehearsals: bool) -> Number {
        let mut all = self.debates;
        if rehearsals {
            all.unfinished += self.rehearsals.unfinished;
            all.not_started += self.rehearsals.not_started;
        }
        all
    }

    fn add(&mut self, dir: &Path, ended: &[Ended<'_>]) -> Option<()> {
        let output = OutputDir::at(dir);
        let here: Vec<&Ended<'_>> = ended.iter().filter(|it| it.dir.starts_with(dir)).collect();
        // A copy of the directory may have been continued elsewhere.
        let ids: HashSet<&str> = ended.iter().map(|it| it.id).collect();
        let mut begun = output.begun().ok()?;
        begun.retain(|id| !ids.contains(&**id));
        let (rehearsals, debates): (Vec<_>, Vec<_>) =
            begun.iter().partition(|id| is_rehearsal(&output, id));
        // Where there are more, the batch may count some of them among those that it has not begun.
        let knows_all = |left: &Left| {
            let begun = if left.are_rehearsals { &rehearsals } else { &debates };
            here.len() <= left.ended && begun.len() <= left.begun
        };
        let left = running(&output).or_else(|| left_by_last(&output, &here)).filter(knows_all)?;
        self.number(left.are_rehearsals).not_started += left.debates;
        self.rehearsals.unfinished += rehearsals.len();
        self.debates.unfinished += debates.len();
        Some(())
    }

    fn number(&mut self, rehearsal: bool) -> &mut Number {
        if rehearsal { &mut self.rehearsals } else { &mut self.debates }
    }
}

/// Debates that a batch has not begun.
struct Left {
    /// How many have ended, as far as it knows.
    ended: usize,
    /// How many it has begun that have not.
    begun: usize,
    debates: usize,
    are_rehearsals: bool,
}

/// Those that the one batch in progress here has still to begin. Several do not tell which of theirs are the same.
fn running(output: &OutputDir) -> Option<Left> {
    let mut all = RunningBatch::seen(output).ok()?.into_iter();
    let only = all.next().filter(|_| all.next().is_none())?;
    let state = only.state()?.ok()?;
    Some(Left {
        ended: state.debates.ended(),
        begun: state.debates.in_progress.saturating_add(state.debates.parked),
        debates: state.debates.queued,
        are_rehearsals: state.is_of_rehearsals(),
    })
}

/// Those that the last batch that ended here did not begin; `None` if another one has begun debates since, as one that was killed.
fn left_by_last(output: &OutputDir, ended: &[&Ended<'_>]) -> Option<Left> {
    let (_, last) = batches::last(output).ok()??;
    let is_last = ended.iter().all(|it| it.began <= last.ended_at);
    let known = &last.debates;
    is_last.then(|| Left {
        ended: known.done
            + known.degraded
            + known.failed
            + known.finished_before
            + known.finished_elsewhere,
        begun: known.unfinished,
        debates: known.not_started,
        are_rehearsals: last.is_of_rehearsals(),
    })
}

/// Whether an unfinished debate is a rehearsal; not if that cannot be read.
fn is_rehearsal(output: &OutputDir, id: &DebateId) -> bool {
    let journal = journal::load(&output.running_journal(id), id).ok();
    let snapshot = journal.and_then(|it| snapshot::read(output, it.header()?).ok());
    snapshot.is_some_and(|it| it["plan"]["rehearsal"] == true)
}
