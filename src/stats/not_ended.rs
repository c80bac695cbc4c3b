//! Debates that an output directory knows of and that have not ended. They have no trace, and are in no number but how many were planned.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

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

impl NotEnded {
    /// Those of these directories, without debates that `ended` has the ids of; `None` unless each is an output directory that can be
    /// read.
    pub(super) fn of(dirs: &[PathBuf], ended: &HashSet<&str>) -> Option<Self> {
        let mut found = Self::default();
        for dir in dirs {
            found.add(dir, ended)?;
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

    fn add(&mut self, dir: &Path, ended: &HashSet<&str>) -> Option<()> {
        let output = OutputDir::at(dir);
        let last = batches::last(&output).ok()?;
        let (_, last) = last?;
        self.number(is_rehearsed(&last)).not_started += last.debates.not_started;
        let begun = output.begun().ok()?.into_iter();
        for id in begun.filter(|id| !ended.contains(&**id)) {
            self.number(is_rehearsal(&output, &id)).unfinished += 1;
        }
        Some(())
    }

    fn number(&mut self, rehearsal: bool) -> &mut Number {
        match rehearsal {
            true => &mut self.rehearsals,
            false => &mut self.debates,
        }
    }
}

fn is_rehearsed(batch: &BatchSummary) -> bool {
    batch.command.split(' ').any(|word| word == "--rehearse")
}

/// Whether an unfinished debate is a rehearsal; not if that cannot be read.
fn is_rehearsal(output: &OutputDir, id: &DebateId) -> bool {
    let journal = journal::load(&output.running_journal(id), id).ok();
    let snapshot = journal.and_then(|it| snapshot::read(output, it.header()?).ok());
    snapshot.is_some_and(|it| it["plan"]["rehearsal"] == true)
}
