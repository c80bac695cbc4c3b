//! Debates that an output directory knows of and that have not ended. They have no trace, and are in no number but how many were planned.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::id::{DebateId, short};
use crate::journal;
use crate::store::layout::OutputDir;
use crate::store::running_batches::RunningBatch;
use crate::store::{batches, snapshot};

/// How many debates of output directories have not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotEnded {
    debates: Number,
    rehearsals: Number,
}

/// Debates that have not ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) unfinished: usize,
    /// Those that the last batch did not begin; `None` where there may be others that no summary tells of.
    pub(super) not_started: Option<usize>,
}

impl Number {
    /// All of them, if that is known.
    pub(super) fn all(self) -> Option<usize> {
        Some(self.unfinished + self.not_started?)
    }

    fn and(self, other: Self) -> Self {
        Self {
            unfinished: self.unfinished + other.unfinished,
            not_started: self.not_started.zip(other.not_started).map(|(one, other)| one + other),
        }
    }
}

/// A debate that has ended.
pub(super) struct Ended<'f> {
    pub(super) dir: &'f Path,
    pub(super) id: &'f str,
    pub(super) began: DateTime<Utc>,
}

impl NotEnded {
    /// Those of these directories; `None` where one is not there.
    pub(super) fn of(dirs: &[PathBuf], ended: &[Ended<'_>]) -> Option<Self> {
        let each = dirs.iter().map(|dir| dir.canonicalize().ok());
        let each = each.collect::<Option<BTreeSet<PathBuf>>>()?;
        let found = each.iter().map(|dir| Self::below(dir, ended));
        found.reduce(|one, other| Self {
            debates: one.debates.and(other.debates),
            rehearsals: one.rehearsals.and(other.rehearsals),
        })
    }

    /// Those that count.
    pub(super) fn counting(self, rehearsals: bool) -> Number {
        if rehearsals { self.debates.and(self.rehearsals) } else { self.debates }
    }

    fn below(dir: &Path, ended: &[Ended<'_>]) -> Self {
        let output = OutputDir::at(dir);
        let here: Vec<&Ended<'_>> = ended.iter().filter(|it| it.dir.starts_with(dir)).collect();
        // A copy of the directory may have been continued elsewhere.
        let ended: HashSet<&str> = ended.iter().map(|it| short(it.id)).collect();
        let open = open(&output, &ended);
        let are = |rehearsals: bool| open.iter().filter(|it| **it == rehearsals).count();
        // Where there are more, the batch may count some of them among those that it has not begun.
        let knows_all =
            |left: &Left| here.len() <= left.ended && are(left.are_rehearsals) <= left.begun;
        let left = running(&output).or_else(|| left_by_last(&output, &here)).filter(knows_all);
        let number = |rehearsals: bool| {
            let own = left.as_ref().filter(|left| left.are_rehearsals == rehearsals);
            Number {
                unfinished: are(rehearsals),
                not_started: left.as_ref().map(|_| own.map_or(0, |own| own.debates)),
            }
        };
        Self { debates: number(false), rehearsals: number(true) }
    }
}

/// Of each debate that has not ended, whether it is a rehearsal.
fn open(output: &OutputDir, ended: &HashSet<&str>) -> Vec<bool> {
    let batches = batches::all(output);
    let never_begun = batches::never_begun(output, &batches, |id| ended.contains(id));
    let begun = output.begun().unwrap_or_default().into_iter();
    let begun = begun.filter(|id| !ended.contains(id.short()));
    let never_begun = never_begun.into_values().map(|batch| batch.rehearsal);
    begun.map(|id| is_rehearsal(output, &id)).chain(never_begun).collect()
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
        are_rehearsals: state.rehearsal,
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
        debates: if last.given_up { 0 } else { known.not_started },
        are_rehearsals: last.rehearsal,
    })
}

/// Whether an unfinished debate is a rehearsal; not if that cannot be read.
fn is_rehearsal(output: &OutputDir, id: &DebateId) -> bool {
    let journal = journal::load(&output.running_journal(id), id).ok();
    let snapshot = journal.and_then(|it| snapshot::read(output, it.header()?).ok());
    snapshot.is_some_and(|it| it["plan"]["rehearsal"] == true)
}
