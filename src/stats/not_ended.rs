//! Debates that an output directory knows of and that have not ended. They have no trace, and are in no number but how many were planned.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::artifacts::batch::BatchSummary;
use crate::id::DebateId;
use crate::journal;
use crate::store::layout::OutputDir;
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
        let (_, last) = batches::last(&output).ok()??;
        let here = ended.iter().filter(|it| it.dir.starts_with(dir));
        let here: Vec<&Ended<'_>> = here.collect();
        tells_all(&last, &here).then_some(())?;
        self.number(last.is_of_rehearsals()).not_started += last.debates.not_started;
        let ids: HashSet<&str> = here.iter().map(|it| it.id).collect();
        let begun = output.begun().ok()?.into_iter();
        for id in begun.filter(|id| !ids.contains(&**id)) {
            self.number(is_rehearsal(&output, &id)).unfinished += 1;
        }
        Some(())
    }

    fn number(&mut self, rehearsal: bool) -> &mut Number {
        if rehearsal {
            &mut self.rehearsals
        } else {
            &mut self.debates
        }
    }
}

/// Whether the summary of the last batch tells what is left: it knew all debates that have ended here, and none was begun since, as by a
/// batch that was killed.
fn tells_all(last: &BatchSummary, ended: &[&Ended<'_>]) -> bool {
    let is_last = ended.iter().all(|it| it.began <= last.ended_at);
    let known = &last.debates;
    let known = known.done
        + known.degraded
        + known.failed
        + known.finished_before
        + known.finished_elsewhere;
    is_last && ended.len() <= known
}

/// Whether an unfinished debate is a rehearsal; not if that cannot be read.
fn is_rehearsal(output: &OutputDir, id: &DebateId) -> bool {
    let journal = journal::load(&output.running_journal(id), id).ok();
    let snapshot = journal.and_then(|it| snapshot::read(output, it.header()?).ok());
    snapshot.is_some_and(|it| it["plan"]["rehearsal"] == true)
}
