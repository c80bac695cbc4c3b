//! Committing a finished debate: its dated directory appears by one rename, then its journal moves to the finished ones.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::{Result, StoreError};
use super::finished::FinishedDebate;
use super::layout::OutputDir;
use super::replace::{self, set_kept_aside};
use super::resume::home;
use crate::artifacts::{Artifact, MESSAGES};
use crate::clock::Clock;
use crate::facts::{self, Facts, cache::FACTS};
use crate::files::{self, Claim, ContentSync, FileError, NameSync, Staged, StagedDir};
use crate::id::DebateId;
use crate::journal::Header;
use crate::sent::SentRequests;

/// The parts of a debate that are committed.
pub struct DebateParts<'a> {
    /// Its journal's first line.
    pub header: &'a Header,
    /// The files of its directory.
    pub artifacts: &'a [Artifact],
    /// The facts for statistics, if the debate can be counted.
    pub facts: Option<&'a Facts>,
    /// The requests sent to models.
    pub sent: &'a SentRequests,
}

/// Commits the debates of a run. Debates that end at about the same time are synced together.
#[derive(Debug)]
pub struct Committer {
    output: OutputDir,
    contents: ContentSync,
    names: NameSync,
}

impl Committer {
    /// A committer for this prepared output directory.
    pub fn new(output: &OutputDir) -> Self {
        let dirs = [output.staged(), output.all_prompts()];
        Self {
            output: output.clone(),
            contents: ContentSync::new(&dirs.each_ref().map(PathBuf::as_path)),
            names: NameSync::default(),
        }
    }

    /// Commits a finished debate. Its files and prompts are staged and synced. Then the prompts get their place, the files
    /// appear under the dated name by one rename (two if they replace an earlier directory of the debate), and the journal
    /// moves to those of finished debates. Returns the directory. Nothing is moved if something else has the dated name or the
    /// claim was lost meanwhile.
    pub fn commit(
        &self,
        claim: &Claim,
        debate: &DebateParts<'_>,
        clock: &Clock,
    ) -> Result<PathBuf> {
        let (output, id) = (&self.output, &debate.header.id);
        let target = home(output, &output.running_journal(id), debate.header)?;
        let (staged, prompts) = self.stage(&target, debate)?;
        let found = FinishedDebate::find(&target)?;
        if !claim.is_held() {
            return Err(StoreError::Lost);
        }
        let replaces = match found {
            Some(found) if found.id == *id => true,
            None if is_free(&target) => false,
            _ => return Err(StoreError::Taken(target)),
        };
        if output.finished_journal(id).exists() {
            // After a retry, the prompts of the earlier course are set aside, as its journal will be.
            set_kept_aside(output, "finished", &output.prompts(id), clock)?;
        }
        prompts.take_its_place()?;
        self.names.sync(&output.all_prompts())?;
        if replaces {
            replace::swap(output, staged, &target, clock)?;
        } else {
            staged.take_its_place(&target)?;
            self.names.sync(day_of(output, &target))?;
        }
        move_journal(output, id, clock)?;
        Ok(target)
    }

    /// Writes a debate's files and prompts to temporary places, safe from power cuts.
    fn stage(
        &self,
        target: &Path,
        debate: &DebateParts<'_>,
    ) -> Result<(StagedDir, Staged), FileError> {
        let (output, id) = (&self.output, &debate.header.id);
        let name = target.file_name().unwrap_or_default();
        output.restore()?;
        let staged = StagedDir::create(&output.staged().join(name))?;
        write_all(staged.path(), debate)?;
        let mut prompts = Staged::create(&output.prompts(id))?;
        prompts.fill(|to| debate.sent.write(id, to))?;
        prompts.flush()?;
        files::own_dir(day_of(output, target))?;
        let written = [staged.path(), prompts.beside()];
        self.contents.sync(&written, output.root())?;
        Ok((staged, prompts))
    }
}

fn day_of<'t>(output: &'t OutputDir, target: &'t Path) -> &'t Path {
    target.parent().unwrap_or(output.root())
}

/// Writes a debate's files into a directory.
fn write_all(dir: &Path, debate: &DebateParts<'_>) -> Result<(), FileError> {
    files::own_dir(&dir.join(MESSAGES))?;
    for artifact in debate.artifacts {
        files::write_new(&dir.join(&artifact.path), artifact.content.as_bytes())?;
    }
    let trace = dir.join("trace.json");
    let facts = debate.facts.and_then(|facts| facts::cache::content(&trace, facts));
    facts.map_or(Ok(()), |facts| files::write_new(&dir.join(FACTS), &facts))
}

/// Whether this name is free for a directory: nothing has it, or only an empty directory.
fn is_free(target: &Path) -> bool {
    match target.symlink_metadata() {
        Ok(found) => found.is_dir() && files::list(target).is_ok_and(|inside| inside.is_empty()),
        Err(e) => e.kind() == ErrorKind::NotFound,
    }
}

/// The state of a debate with a dated directory, according to its journals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is finished.
    Finished,
    /// It was reopened by `--retry` and is not finished again.
    Reopened,
}

/// Determines the state of a debate with a dated directory. A publication that was interrupted between the renaming of the
/// directory and that of the journal is completed.
pub fn settle(output: &OutputDir, id: &DebateId, clock: &Clock) -> Result<Standing, FileError> {
    let running = output.running_journal(id).exists();
    if running && output.finished_journal(id).exists() {
        return Ok(Standing::Reopened);
    }
    if running {
        move_journal(output, id, clock)?;
    }
    Ok(Standing::Finished)
}

/// Moves the journal of a debate whose directory is in place to the finished ones. A journal already kept there, because the
/// debate was retried, is set aside.
fn move_journal(output: &OutputDir, id: &DebateId, clock: &Clock) -> Result<(), FileError> {
    set_kept_aside(output, "finished", &output.finished_journal(id), clock)?;
    files::rename(&output.running_journal(id), &output.finished_journal(id))
}
