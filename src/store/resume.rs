//! Opening a debate to run it: resumed from its journal and the snapshot of its inputs, or begun.

use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::finished::FinishedDebate;
use super::layout::OutputDir;
use super::snapshot::{self, Inputs, Snapshots};
use crate::clock::Clock;
use crate::files::{self, FileError};
use crate::id::DebateId;
use crate::journal::{self, Entry, Header, Journal, JournalError};
use crate::plan::Plan;
use crate::templates::Templates;

/// A debate that is open for going on.
pub struct Opened {
    /// The plan as it was when the debate began.
    pub plan: Plan,
    /// The templates as they were then.
    pub templates: Templates,
    /// The journal's first line.
    pub header: Header,
    /// What the journal holds.
    pub past: Vec<Entry>,
    /// For what comes next.
    pub journal: Journal,
}

/// Opens a debate: resumed from its journal, if it has begun, otherwise begun.
pub fn open(
    snapshots: &Snapshots,
    plan: &Plan,
    templates: &Templates,
    clock: &Clock,
) -> Result<Opened, StoreError> {
    let output = snapshots.output();
    let path = output.running_journal(&plan.id);
    let (contents, journal) = Journal::open(&path, &plan.id)?;
    let Some(header) = contents.header().cloned() else {
        return begin(snapshots, plan, templates, journal, clock);
    };
    home(output, &path, &header)?;
    let inputs = snapshot::inputs(output, &header)?;
    Ok(Opened {
        plan: inputs.plan,
        templates: Templates::from_sources(inputs.templates)?,
        header,
        past: contents.entries,
        journal,
    })
}

fn begin(
    snapshots: &Snapshots,
    plan: &Plan,
    templates: &Templates,
    mut journal: Journal,
    clock: &Clock,
) -> Result<Opened, StoreError> {
    let format = plan.format.profile();
    let inputs = Inputs::of(plan, templates);
    let divided = inputs.divided();
    // Held until the journal refers to them.
    let kept = snapshots.keep(&divided)?;
    let (digest, parts) = (divided.digest, Some(divided.parts));
    let started_at = clock.now();
    let directory = OutputDir::directory_of(plan, started_at);
    let header = Header::new(&plan.id, digest, parts, directory, started_at);
    journal.append(&Entry::Debate(header.clone()))?;
    drop(kept);
    Ok(Opened {
        plan: inputs.plan,
        templates: templates.shaping(format.name, &plan.folders(), plan.rehearsal),
        header,
        past: Vec::new(),
        journal,
    })
}

/// Where a debate's directory is or will be: what its journal says, if that is a name that the debate would be given.
pub(super) fn home(
    output: &OutputDir,
    journal: &Path,
    header: &Header,
) -> Result<PathBuf, StoreError> {
    output.home(header).ok_or_else(|| {
        let damaged = JournalError::Damaged {
            path: journal.to_path_buf(),
            line: 1,
            reason: "its directory is not this debate's".to_owned(),
        };
        damaged.into()
    })
}

/// A debate that another process finished since this one looked at the dated directories: the journal that is kept of it
/// says where it is.
pub fn finished_since(
    output: &OutputDir,
    id: &DebateId,
) -> Result<Option<FinishedDebate>, StoreError> {
    let path = output.finished_journal(id);
    let kept = journal::load(&path, id)?;
    let Some(header) = kept.header() else {
        return Ok(None);
    };
    let found = FinishedDebate::read(&home(output, &path, header)?);
    Ok(found.filter(|found| found.id == *id))
}

/// Takes up a finished debate whose directory is gone: the journal that is kept of it holds all that was answered, so that it
/// continues to its end, and to its directory, without asking for anything. One that has begun again is left as it is.
pub fn take_up(output: &OutputDir, id: &DebateId) -> Result<(), FileError> {
    let (running, kept) = (output.running_journal(id), output.finished_journal(id));
    if kept.exists() && !running.exists() {
        files::rename(&kept, &running)?;
    }
    Ok(())
}
