//! What a debate needs from where it is kept, in three operations: load its journal, append a reply after the last one
//! known (the [`Journal`] that loading returns), commit the finished directory once.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::finished::{self, Found};
use super::layout::Output;
use super::replace;
use super::retry::RetryError;
use crate::artifacts::Artifact;
use crate::clock::Clock;
use crate::digest;
use crate::facts::{self, Facts, file::FACTS};
use crate::files::{self, Claim, FileError, StagedDir};
use crate::id::DebateId;
use crate::journal::{self, Entry, Header, Journal, JournalError};
use crate::machine;
use crate::plan::Plan;
use crate::templates::{TemplateError, Templates};

/// Why a debate cannot be loaded or committed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system said no.
    #[error(transparent)]
    File(#[from] FileError),
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A finished debate cannot be gone back in.
    #[error(transparent)]
    Retry(#[from] RetryError),
    /// A template of the snapshot is wrong.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// Another process runs the debate.
    #[error("the debate {id} is run by another rebut ({holder})")]
    Claimed {
        /// The debate.
        id: String,
        /// Who runs it.
        holder: String,
    },
    /// Somebody removed the debate's claim, and somebody else may have taken it.
    #[error(
        "its claim was removed while it ran, so another rebut may be running it; the same command goes on with it"
    )]
    Lost,
    /// The output directory is not where it was.
    #[error("{} was moved or removed while debates were written to it", .0.display())]
    Gone(PathBuf),
    /// Something else has the directory's name.
    #[error("{} is in the way: it is no directory of this debate; move it away and run the same command again", .0.display())]
    Taken(PathBuf),
    /// The snapshot of inputs cannot be used.
    #[error("{}: the snapshot of the debate's inputs cannot be used: {reason}", path.display())]
    Inputs {
        /// The snapshot.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// Everything that shapes a debate's requests, as it was when the debate began (row J9b).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Inputs {
    /// The plan, personas included.
    pub plan: Plan,
    /// The templates of prompts and of texts on the record, by name.
    pub templates: BTreeMap<String, String>,
}

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

/// Loads a debate: from its journal, if it has begun, else by beginning one.
pub fn load(
    output: &Output,
    plan: &Plan,
    templates: &Templates,
    clock: &Clock,
) -> Result<Opened, StoreError> {
    let path = output.running_journal(&plan.id);
    let (contents, journal) = Journal::open(&path, &plan.id)?;
    let Some(header) = contents.header().cloned() else {
        return begin(output, plan, templates, journal, clock);
    };
    home(output, &path, &header)?;
    let inputs = inputs(output, &header)?;
    Ok(Opened {
        plan: inputs.plan,
        templates: Templates::from_sources(inputs.templates)?,
        header,
        past: contents.entries,
        journal,
    })
}

fn begin(
    output: &Output,
    plan: &Plan,
    templates: &Templates,
    mut journal: Journal,
    clock: &Clock,
) -> Result<Opened, StoreError> {
    let inputs = Inputs {
        plan: plan.clone(),
        templates: templates.snapshot(plan.format.name(), plan.rehearsal),
    };
    let value = json!(inputs);
    let digest = digest::of_json(&value);
    files::replace(&output.inputs(&digest), value.to_string().as_bytes())?;
    let started_at = clock.now();
    let header = Header {
        journal: journal::VERSION,
        id: plan.id.clone(),
        rebut: env!("CARGO_PKG_VERSION").to_owned(),
        inputs: digest,
        directory: Output::directory_of(plan, started_at),
        started_at,
    };
    journal.append(&Entry::Debate(header.clone()))?;
    Ok(Opened {
        plan: inputs.plan,
        templates: templates.shaping(plan.format.name(), plan.rehearsal),
        header,
        past: Vec::new(),
        journal,
    })
}

/// The snapshot of a debate's inputs, checked against the digest that names it.
pub fn inputs(output: &Output, header: &Header) -> Result<Inputs, StoreError> {
    let path = output.inputs(&header.inputs);
    let unusable = |reason: String| StoreError::Inputs {
        path: path.clone(),
        reason,
    };
    let bytes = files::read_own(&path).map_err(|e| match e.source.kind() {
        ErrorKind::NotFound => unusable("it is missing".to_owned()),
        _ if machine::is_short(&e) => e.into(),
        _ => unusable(e.source.to_string()),
    })?;
    let value: serde_json::Value =
        serde_json::from_slice(&bytes).map_err(|e| unusable(e.to_string()))?;
    if digest::of_json(&value) != header.inputs {
        return Err(unusable("its content does not fit its name".to_owned()));
    }
    let inputs: Inputs = serde_json::from_value(value).map_err(|e| unusable(e.to_string()))?;
    if inputs.plan.id != header.id {
        return Err(unusable("it is another debate's".to_owned()));
    }
    Ok(inputs)
}

/// Where a debate's directory is or will be: what its journal says, if that is a name that the debate would be given.
fn home(output: &Output, journal: &Path, header: &Header) -> Result<PathBuf, StoreError> {
    output.home(header).ok_or_else(|| {
        let damaged = JournalError::Damaged {
            path: journal.to_path_buf(),
            line: 1,
            reason: "it names a directory that is not this debate's".to_owned(),
        };
        damaged.into()
    })
}

/// Publishes a finished debate: its files are staged and synced, then appear under the dated name by one rename (two
/// where they replace an earlier directory of the debate); then the journal moves to those of finished debates. Returns
/// the directory. Who has lost the claim meanwhile publishes nothing.
pub fn commit(
    output: &Output,
    claim: &Claim,
    header: &Header,
    artifacts: &[Artifact],
    facts: Option<&Facts>,
    clock: &Clock,
) -> Result<PathBuf, StoreError> {
    let target = home(output, &output.running_journal(&header.id), header)?;
    let staged = stage(output, &target, artifacts, facts)?;
    let found = finished::found(&target);
    if !claim.is_held() {
        return Err(StoreError::Lost);
    }
    match found {
        None if is_free(&target) => staged.commit(&target)?,
        Some(found) if found.id == header.id => replace::swap(output, staged, &target, clock)?,
        _ => return Err(StoreError::Taken(target)),
    }
    finish_commit(output, &header.id, clock)?;
    Ok(target)
}

/// Whether a directory can take this name: nothing has it, or one that was emptied.
fn is_free(target: &Path) -> bool {
    match target.symlink_metadata() {
        Ok(found) => found.is_dir() && files::list(target).is_ok_and(|inside| inside.is_empty()),
        Err(e) => e.kind() == ErrorKind::NotFound,
    }
}

/// The second half of a commit, for a debate whose directory has its name: its journal moves to the finished ones. One
/// that is kept there already, because the debate was retried, is set aside.
pub fn finish_commit(output: &Output, id: &DebateId, clock: &Clock) -> Result<(), FileError> {
    set_journal_aside(output, id, "finished", &output.finished_journal(id), clock)?;
    files::rename(&output.running_journal(id), &output.finished_journal(id))
}

/// Writes a debate's files where nobody looks for them. Nothing in them is lost by a power cut.
fn stage(
    output: &Output,
    target: &Path,
    artifacts: &[Artifact],
    facts: Option<&Facts>,
) -> Result<StagedDir, FileError> {
    let day = target.parent().unwrap_or(output.root());
    let name = target.file_name().unwrap_or_default();
    let staged = StagedDir::create(&output.staging(name))?;
    files::own_dir(&staged.path().join("messages"))?;
    for artifact in artifacts {
        let path = staged.path().join(&artifact.path);
        files::write_synced(&path, artifact.content.as_bytes())?;
    }
    let trace = staged.path().join("trace.json");
    if let Some(facts) = facts.and_then(|facts| facts::file::content(&trace, facts)) {
        files::write_synced(&staged.path().join(FACTS), &facts)?;
    }
    files::sync_dir(&staged.path().join("messages"))?;
    files::sync_dir(staged.path())?;
    files::own_dir(day)?;
    files::sync_dir(output.root())?;
    Ok(staged)
}

/// A debate that another process finished since this one looked at the dated directories: the journal that is kept of it
/// says where it is.
pub fn finished_since(output: &Output, id: &DebateId) -> Result<Option<Found>, StoreError> {
    let path = output.finished_journal(id);
    let kept = journal::load(&path, id)?;
    let Some(header) = kept.header() else {
        return Ok(None);
    };
    let found = finished::found(&home(output, &path, header)?);
    Ok(found.filter(|found| found.id == *id))
}

/// Takes up a finished debate whose directory is gone: the journal that is kept of it holds all that was answered, so that it
/// goes on to its end, and to its directory, without asking for anything. One that has begun again is left as it is.
pub fn take_up(output: &Output, id: &DebateId) -> Result<(), FileError> {
    let (running, kept) = (output.running_journal(id), output.finished_journal(id));
    if kept.exists() && !running.exists() {
        files::rename(&kept, &running)?;
    }
    Ok(())
}

/// Forgets a debate, so that it begins anew: its directory and journals are set aside, not deleted.
pub fn set_aside(
    output: &Output,
    id: &DebateId,
    directory: Option<&PathBuf>,
    clock: &Clock,
) -> Result<(), FileError> {
    if let Some(directory) = directory {
        replace::set_aside(output, directory, clock)?;
    }
    for (kind, journal) in [
        ("running", output.running_journal(id)),
        ("finished", output.finished_journal(id)),
    ] {
        set_journal_aside(output, id, kind, &journal, clock)?;
    }
    Ok(())
}

/// Keeps a journal aside for good, if there is one.
fn set_journal_aside(
    output: &Output,
    id: &DebateId,
    kind: &str,
    journal: &Path,
    clock: &Clock,
) -> Result<(), FileError> {
    if !journal.exists() {
        return Ok(());
    }
    let stamp = clock.now().format("%Y-%m-%dT%H-%M-%S%.3f");
    let name = format!("{id}_{stamp}_{kind}.jsonl");
    files::rename(journal, &output.replaced(&name))
}
