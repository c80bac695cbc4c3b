//! Removing the working state of old finished debates (row B3): journals, prompts, snapshots and replaced directories; on request,
//! that of unfinished ones too. Dated directories stay.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use chrono::{DateTime, NaiveDateTime, Utc};

use super::batches;
use super::error::Result;
use super::finished::FinishedDebate;
use super::layout::{OutputDir, debate_of, holder};
use super::replace::STAMP;
use super::snapshot;
use crate::clock::Clock;
use crate::digest;
use crate::event::Verdict;
use crate::files::{self, Claim, DirLock, FileError, name_of};
use crate::id::DebateId;
use crate::journal::header_of;
use crate::trace::Trace;

/// What was removed, or would be.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Cleaned {
    /// Debates whose journals or prompts were removed.
    pub debates: u64,
    /// Unfinished debates, with all their replies.
    pub unfinished: u64,
    /// Unfinished debates that stay, although such were to be given up.
    pub kept: u64,
    /// Those that stay because their journals do not say which directories are theirs.
    pub damaged: u64,
    /// Snapshot files that no debate needs.
    pub snapshots: u64,
    /// Directories and files that had been replaced.
    pub replaced: u64,
    /// Total size in bytes.
    pub bytes: u64,
}

/// What is removed.
#[derive(Debug, Clone)]
pub struct Scope {
    /// Only what is older.
    pub before: DateTime<Utc>,
    /// These unfinished debates only, whatever their age; if there are none, all.
    pub only: Vec<DebateId>,
    /// Whether unfinished debates and judgings are given up, too.
    pub unfinished: bool,
    /// Whether it is only counted.
    pub dry: bool,
}

/// Removes what is only needed by debates that ended before that time, and on request unfinished debates that have not got on since.
/// Nothing is removed of a debate that a run is working on.
pub fn clean(output: &OutputDir, scope: Scope, clock: &Clock) -> Result<Cleaned> {
    let mut sweep = Sweep {
        output,
        scope,
        holder: holder(clock),
        gone: HashSet::new(),
        cleaned: Cleaned::default(),
    };
    if sweep.scope.only.is_empty() {
        sweep.all()?;
    } else {
        let named = sweep.scope.only.clone();
        named.iter().try_for_each(|id| sweep.unfinished(id))?;
        sweep.snapshots()?;
    }
    Ok(sweep.cleaned)
}

fn ended_before(debate: &FinishedDebate, before: DateTime<Utc>) -> bool {
    let at = debate.front.get("ended_at").and_then(|at| at.as_str()).unwrap_or_default();
    DateTime::parse_from_rfc3339(at).is_ok_and(|ended| ended < before)
}

struct Sweep<'o> {
    output: &'o OutputDir,
    scope: Scope,
    holder: String,
    /// Journals that are removed.
    gone: HashSet<PathBuf>,
    cleaned: Cleaned,
}

impl Sweep<'_> {
    /// Removes all that is old enough, and snapshots.
    fn all(&mut self) -> Result<()> {
        let before = self.scope.before;
        for path in self.output.debates()? {
            let found = FinishedDebate::read(&path).filter(|it| ended_before(it, before));
            found.iter().try_for_each(|found| self.debate(found))?;
        }
        if self.scope.unfinished {
            self.output.begun()?.iter().try_for_each(|id| self.unfinished(id))?;
            let [given_up, kept] = batches::give_up(self.output, before, self.scope.dry)?;
            self.cleaned.unfinished += given_up;
            self.cleaned.kept += kept;
        }
        self.snapshots()?;
        self.replaced()
    }

    fn debate(&mut self, found: &FinishedDebate) -> Result<()> {
        let id = &found.id;
        let journal = self.output.finished_journal(id);
        let prompts = self.output.prompts(id);
        let judgings = files::list(&self.output.judgings(id))?;
        if !journal.exists() && !prompts.exists() && judgings.is_empty() {
            return Ok(());
        }
        let Ok(_claim) = self.claim(id)? else { return Ok(()) };
        // It is being retried, or a kill interrupted its publication.
        if self.output.running_journal(id).exists() {
            return Ok(());
        }
        self.gone.insert(journal.clone());
        let before = self.cleaned.bytes;
        // The journal after the prompts, which can be rebuilt from it, and before the verdicts, which a rebuilt trace takes from
        // their own journals.
        self.remove(&prompts)?;
        self.remove(&journal)?;
        self.judgings(found, &judgings)?;
        self.cleaned.debates += u64::from(self.cleaned.bytes > before);
        Ok(())
    }

    /// Claims a debate, unless another process does. What is only counted is not claimed, so that nothing is written.
    fn claim(&self, id: &DebateId) -> Result<Result<Option<Claim>, String>, FileError> {
        if self.scope.dry {
            return Ok(self.output.holder_of(id)?.map_or(Ok(None), Err));
        }
        Ok(self.output.claim(id, &self.holder)?.map(Some))
    }

    /// Gives up a debate that was begun and not finished, unless it had been finished before: that is for `--retry`.
    fn unfinished(&mut self, id: &DebateId) -> Result<()> {
        let journal = self.output.running_journal(id);
        let claim = self.claim(id)?;
        let was_finished = self.output.finished_journal(id).exists();
        if claim.is_err() || was_finished || !self.is_given_up(&journal) {
            self.cleaned.kept += 1;
            return Ok(());
        }
        let home = header_of(&journal).and_then(|header| self.output.home(&header));
        let Some(home) = home else {
            self.cleaned.damaged += 1;
            return Ok(());
        };
        if home.exists() {
            self.cleaned.kept += 1;
            return Ok(());
        }
        self.remove(&journal)?;
        self.gone.insert(journal);
        self.cleaned.unfinished += 1;
        Ok(())
    }

    /// Whether an unfinished journal is given up: on request, if it is named or nothing was appended to it since.
    fn is_given_up(&self, journal: &Path) -> bool {
        if !self.scope.only.is_empty() {
            return true;
        }
        let changed = journal.metadata().and_then(|found| found.modified());
        let is_older = changed.is_ok_and(|at| DateTime::<Utc>::from(at) < self.scope.before);
        self.scope.unfinished && is_older
    }

    /// Removes the journals of those judgings whose whole verdicts are in the debate's trace. The others have readings that
    /// `rebut judge` would ask for again.
    fn judgings(&mut self, found: &FinishedDebate, all: &[PathBuf]) -> Result<()> {
        let dir = self.output.judgings(&found.id);
        if all.is_empty() || !files::is_own_dir(&dir) {
            return Ok(());
        }
        let Ok(trace) = Trace::in_dir(&found.path) else { return Ok(()) };
        for (path, id) in all.iter().filter_map(|path| Some((path, debate_of(path)?))) {
            let is_committed = trace.judging(&id).is_some_and(Verdict::is_whole);
            if (is_committed || self.is_given_up(path))
                && let Ok(_claim) = self.claim(&id)?
            {
                self.remove(path)?;
            }
        }
        if !self.scope.dry {
            files::sweep(&dir)?;
            files::remove_empty_dir(&dir);
        }
        Ok(())
    }

    /// Removes the snapshots that no journal refers to. The lock keeps debates from beginning meanwhile.
    fn snapshots(&mut self) -> Result<()> {
        let all = self.output.snapshots();
        if !files::is_own_dir(&all) {
            return Ok(());
        }
        let _lock = DirLock::exclusive(&all)?;
        let Some(needed) = self.needed()? else { return Ok(()) };
        let snapshots = files::list(&all)?.into_iter();
        for path in snapshots.filter(|path| is_unneeded(path, &needed)) {
            self.remove(&path)?;
            self.cleaned.snapshots += 1;
        }
        Ok(())
    }

    /// The digests of snapshots referred to by journals that stay; `None` if a journal cannot be read.
    fn needed(&self) -> Result<Option<HashSet<String>>> {
        let mut needed = HashSet::new();
        for path in self.output.journals()? {
            if self.gone.contains(&path) {
                continue;
            }
            let Some(header) = header_of(&path) else { return Ok(None) };
            needed.extend(snapshot::files_of(&header).map(str::to_owned));
        }
        Ok(Some(needed))
    }

    /// Removes what was replaced before that time.
    fn replaced(&mut self) -> Result<()> {
        for path in files::list(&self.output.replaced(""))? {
            if replaced_at(&name_of(&path)).is_some_and(|at| at < self.scope.before) {
                self.remove(&path)?;
                self.cleaned.replaced += 1;
            }
        }
        Ok(())
    }

    fn remove(&mut self, path: &Path) -> Result<(), FileError> {
        self.cleaned.bytes += files::bytes_below(path);
        match (self.scope.dry, files::is_own_dir(path)) {
            (true, _) => Ok(()),
            (false, true) => files::remove_dir(path),
            (false, false) => files::remove_file(path),
        }
    }
}

/// When something was replaced, from the last part of its name that is a time.
fn replaced_at(name: &str) -> Option<DateTime<Utc>> {
    let time = |part: &str| NaiveDateTime::parse_from_str(part, STAMP).ok();
    name.rsplit('_').find_map(time).map(|at| at.and_utc())
}

/// Whether this is a snapshot that is not needed.
fn is_unneeded(path: &Path, needed: &HashSet<String>) -> bool {
    let name = name_of(path);
    let digest = name.strip_suffix(".json");
    digest.is_some_and(|digest| digest::is_one(digest) && !needed.contains(digest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_a_journal_that_does_not_say_which_directory_is_its_debates_stays() {
        let dir = tempfile::tempdir().unwrap();
        let output = OutputDir::at(dir.path());
        output.make().unwrap();
        let id: DebateId = "a".repeat(64).parse().unwrap();
        std::fs::write(output.running_journal(&id), "damaged\n").unwrap();
        let before = DateTime::UNIX_EPOCH;
        let scope = Scope { before, only: vec![id.clone()], unfinished: true, dry: false };
        let cleaned = clean(&output, scope, &Clock::fixed(before)).unwrap();
        assert_eq!(cleaned, Cleaned { damaged: 1, ..Cleaned::default() });
        assert!(output.running_journal(&id).exists());
    }
}
