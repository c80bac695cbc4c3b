//! Merging the finished debates of one output directory into another, for machines that shared a batch (row F3).

use std::io;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::error::Result;
use super::finished::{FinishedDebate, FinishedDebates};
use super::layout::{OutputDir, holder};
use super::snapshot::Snapshots;
use super::{labels, resume};
use crate::clock::Clock;
use crate::files::{self, ContentSync, FileError, Staged, StagedDir, name_of};
use crate::id::DebateId;
use crate::journal;
use crate::trace::{self, Trace};

/// What became of a debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// It was copied into the output directory.
    Taken,
    /// It was already there, with the same record.
    Known {
        /// Whether labels, verdicts or ratings that the other one has are missing here.
        has_more: bool,
    },
    /// It was not copied, for this reason.
    Left(String),
}

/// Copies debates into a prepared output directory.
#[derive(Debug)]
pub struct Merger<'o> {
    output: &'o OutputDir,
    known: FinishedDebates,
    snapshots: Snapshots,
    contents: ContentSync,
    holder: String,
}

impl<'o> Merger<'o> {
    /// Merges into this output directory.
    pub fn new(output: &'o OutputDir, clock: &Clock) -> Result<Self, FileError> {
        Ok(Self {
            output,
            known: FinishedDebates::list(output)?,
            snapshots: Snapshots::new(output),
            contents: ContentSync::new(&[&output.staged()]),
            holder: holder(clock),
        })
    }

    /// Copies the debate in this directory of another output directory, with its journal and its prompts if they are kept.
    /// Nothing is replaced: if two debates have the same id, the one already here stays.
    pub fn take(&mut self, from: &OutputDir, dir: &Path) -> Result<Merged> {
        let left = |why: &str| Ok(Merged::Left(why.to_owned()));
        let Some(found) = FinishedDebate::read(dir) else {
            return left("neither its index.md nor its trace.json identifies it");
        };
        if let Some(damage) = damage(dir) {
            return Ok(Merged::Left(damage));
        }
        let id = &found.id;
        if let Some(known) = self.known.get(id)? {
            return Ok(compared(dir, &known.path));
        }
        let Some(target) = self.output.dated(&name_of(dir)) else {
            return left("its name has no date");
        };
        let Ok(_claim) = self.output.claim(id, &self.holder)? else {
            return left("another rebut is running it here");
        };
        if let Some(known) = resume::finished_since(self.output, id)? {
            return Ok(compared(dir, &known.path));
        }
        if self.output.running_journal(id).exists() {
            return left(
                "it has begun here: finish it here, or give it up (`rebut clean --unfinished --only ID`) and merge again",
            );
        }
        if from.running_journal(id).exists() {
            return left("it is being retried there: merge again when it has ended");
        }
        if target.exists() {
            return left("another debate has the same directory name");
        }
        files::own_dir(target.parent().unwrap_or(self.output.root()))?;
        let staged = self.staged(dir, &target)?;
        self.take_working_state(from, id)?;
        staged.commit(&target)?;
        self.known.add(target);
        Ok(Merged::Taken)
    }

    /// A synced copy of a directory in the staging area.
    fn staged(&self, dir: &Path, target: &Path) -> Result<StagedDir, FileError> {
        let name = target.file_name().unwrap_or_default();
        let staged = StagedDir::create(&self.output.staged().join(name))?;
        for file in own_files(dir) {
            let inside = file.strip_prefix(dir).unwrap_or(&file);
            files::own_dirs(staged.path(), inside.parent().unwrap_or(Path::new("")))?;
            let content = files::read_own(&file)?;
            files::write_new(&staged.path().join(inside), &content)?;
        }
        self.contents.sync(&[staged.path()], self.output.root())?;
        Ok(staged)
    }

    /// Copies what a retry and `rebut show` need. It must be in place before the directory is: without its directory, a debate
    /// is rebuilt from its journal.
    fn take_working_state(&self, from: &OutputDir, id: &DebateId) -> Result<()> {
        let path = from.finished_journal(id);
        let kept = journal::load(&path, id)?;
        let Some(header) = kept.header() else { return Ok(()) };
        self.snapshots.take(from, header)?;
        copy(&from.prompts(id), &self.output.prompts(id))?;
        let judgings = self.output.judgings(id);
        for journal in files::list(&from.judgings(id))? {
            files::own_dir(&judgings)?;
            copy(&journal, &judgings.join(&*name_of(&journal)))?;
        }
        self.take_labels(from, id)?;
        Ok(copy(&path, &self.output.finished_journal(id))?)
    }

    /// Copies people's labels of a debate, and the keys of sheets that may still be returned.
    fn take_labels(&self, from: &OutputDir, id: &DebateId) -> Result<(), FileError> {
        if !from.labels_of(id).exists() {
            return Ok(());
        }
        files::own_dir(&self.output.sheets())?;
        for key in labels::keys(from)? {
            let here = self.output.sheets().join(&*name_of(&key));
            if !here.exists() {
                copy(&key, &here)?;
            }
        }
        copy(&from.labels_of(id), &self.output.labels_of(id))
    }
}

/// Why a debate's trace cannot be read, without the directory.
fn damage(dir: &Path) -> Option<String> {
    let path = dir.join(trace::FILE);
    let error = Trace::read_without_record(&path).err()?;
    Some(error.to_string().replace(&*path.to_string_lossy(), trace::FILE))
}

/// Compares two debates with the same id by what was said in them, and when: either may have been judged, labelled or rated since.
fn compared(there: &Path, here: &Path) -> Merged {
    let trace = |dir: &Path| Trace::read_without_record(&dir.join(trace::FILE)).ok();
    let course = |it: &Trace<_>| (it.started_at, it.ended_at, it.digest_of_answered());
    match trace(there).zip(trace(here)) {
        Some((there, here)) if course(&there) == course(&here) => Merged::Known {
            has_more: there.labels.iter().any(|label| !here.labels.contains(label))
                || there.verdicts.iter().any(|verdict| !here.verdicts.contains(verdict)),
        },
        None if trace(here).is_none() => {
            Merged::Left("it exists here, but its trace cannot be read: move the directory here away and merge again".to_owned())
        }
        both => {
            // A retry has the start of what it retries, and statistics take one of two with the same start.
            let is_retried = both.is_some_and(|(there, here)| there.started_at == here.started_at);
            let counts = if is_retried { "one of the two" } else { "both" };
            Merged::Left(format!("another run of this debate, with other replies, is here and stays; a report on both directories counts {counts}"))
        }
    }
}

/// The files below a directory, without following links.
fn own_files(dir: &Path) -> impl Iterator<Item = PathBuf> {
    let all = WalkDir::new(dir).sort_by_file_name().into_iter();
    let files = all.filter_map(Result::ok).filter(|entry| entry.file_type().is_file());
    files.map(walkdir::DirEntry::into_path)
}

/// Copies a file if it exists.
fn copy(from: &Path, to: &Path) -> Result<(), FileError> {
    if !from.exists() {
        return Ok(());
    }
    let mut staged = Staged::create(to)?;
    let mut file = files::open_own(from)?;
    staged.fill(|to| io::copy(&mut file, to).map(drop))?;
    staged.commit()
}
