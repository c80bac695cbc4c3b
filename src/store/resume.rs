//! Opening a debate in order to run it: resumed from its journal and the snapshot of its inputs, or begun.

use std::path::{Path, PathBuf};

use super::error::Result;
use super::finished::FinishedDebate;
use super::layout::OutputDir;
use super::snapshot::{self, Inputs, Snapshots};
use crate::clock::Clock;
use crate::files::{self, FileError};
use crate::id::DebateId;
use crate::journal::{self, Entry, Header, Journal, JournalError};
use crate::plan::Plan;
use crate::templates::Templates;

/// A debate that was opened in order to run it.
pub struct Opened {
    /// The plan as it was when the debate began.
    pub plan: Plan,
    /// The templates as they were when the debate began.
    pub templates: Templates,
    /// The journal's first line.
    pub header: Header,
    /// The journal's entries.
    pub past: Vec<Entry>,
    /// For new entries.
    pub journal: Journal,
}

/// Opens a debate: resumes it from its journal if it has begun, or else begins it.
pub fn open(
    snapshots: &Snapshots,
    plan: &Plan,
    templates: &Templates,
    clock: &Clock,
) -> Result<Opened> {
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
) -> Result<Opened> {
    let format = plan.format.profile;
    let inputs = Inputs::of(plan, templates);
    let divided = inputs.divided();
    // Held until the journal refers to the snapshot.
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

/// The debate's directory according to its journal, existing or not, if that is a name the debate could have been given.
pub(super) fn home(output: &OutputDir, journal: &Path, header: &Header) -> Result<PathBuf> {
    let reason = "its directory is not this debate's".to_owned();
    let damaged = || JournalError::Damaged { path: journal.to_path_buf(), line: 1, reason };
    Ok(output.home(header).ok_or_else(damaged)?)
}

/// A debate that another process has finished since this one listed the dated directories. Its kept journal says where it is.
pub fn finished_since(output: &OutputDir, id: &DebateId) -> Result<Option<FinishedDebate>> {
    let path = output.finished_journal(id);
    let kept = journal::load(&path, id)?;
    let Some(header) = kept.header() else { return Ok(None) };
    let found = FinishedDebate::find(&home(output, &path, header)?)?;
    Ok(found.filter(|found| found.id == *id))
}

/// Forgets a debate that was begun and in which no model was asked: nothing of it would be lost. One that was finished before stays.
pub fn forget(output: &OutputDir, id: &DebateId) -> Result<()> {
    let running = output.running_journal(id);
    let begun = journal::load(&running, id)?.entries;
    let was_asked = begun.iter().any(|entry| entry.call().is_some());
    if was_asked || output.finished_journal(id).exists() {
        return Ok(());
    }
    Ok(files::remove_file(&running)?)
}

/// Takes up a finished debate whose directory is gone. Its kept journal has all of its answers, so it runs to its end, and gets
/// its directory, without asking for anything. A debate that has begun again is left as it is. Returns whether it took one up.
pub fn take_up(output: &OutputDir, id: &DebateId) -> Result<bool, FileError> {
    let (running, kept) = (output.running_journal(id), output.finished_journal(id));
    let is_kept = kept.exists() && !running.exists();
    if is_kept {
        files::rename(&kept, &running)?;
    }
    Ok(is_kept)
}
