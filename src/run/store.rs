//! What a debate needs from where it is kept, in three operations: load its journal, append a reply after the last one
//! known (the [`Journal`] that loading returns), commit the finished directory once.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::finished::{self, Found};
use super::output::Output;
use super::replacing;
use super::retry::RetryError;
use crate::artifacts::Artifact;
use crate::clock::Clock;
use crate::digest;
use crate::files::{self, FileError};
use crate::journal::{self, Entry, Header, Journal, JournalError};
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
    /// Something else has the directory's name.
    #[error("{} is in the way: it is no directory of this debate; move it away and run the same command again", .0.display())]
    Taken(PathBuf),
    /// The snapshot of inputs is damaged.
    #[error("{}: the snapshot of inputs is damaged: {reason}", path.display())]
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
    let contents = journal::load(&path)?;
    let Some(Entry::Debate(header)) = contents.entries.first().cloned() else {
        return begin(output, plan, templates, clock);
    };
    let inputs = inputs(output, &header.inputs)?;
    let journal = Journal::open(&path, contents.whole_bytes)?;
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
    let mut journal = Journal::open(&output.running_journal(&plan.id), 0)?;
    journal.append(&Entry::Debate(header.clone()))?;
    Ok(Opened {
        plan: inputs.plan,
        templates: templates.shaping(plan.format.name(), plan.rehearsal),
        header,
        past: Vec::new(),
        journal,
    })
}

/// A snapshot of inputs, checked against the digest that names it.
pub fn inputs(output: &Output, digest: &str) -> Result<Inputs, StoreError> {
    let path = output.inputs(digest);
    let damaged = |reason: String| StoreError::Inputs {
        path: path.clone(),
        reason,
    };
    let value: serde_json::Value =
        serde_json::from_slice(&files::read(&path)?).map_err(|e| damaged(e.to_string()))?;
    if digest::of_json(&value) != digest {
        return Err(damaged("its content does not fit its name".to_owned()));
    }
    serde_json::from_value(value).map_err(|e| damaged(e.to_string()))
}

/// Publishes a finished debate: its files are staged and synced, then appear under the dated name by one rename (two
/// where they replace an earlier directory of the debate); then the journal moves to those of finished debates. Returns
/// the directory.
pub fn commit(
    output: &Output,
    header: &Header,
    artifacts: &[Artifact],
    clock: &Clock,
) -> Result<PathBuf, StoreError> {
    let target = output.root().join(&header.directory);
    let staged = stage(output, header, artifacts)?;
    match finished::found(&target) {
        None if !target.exists() => files::rename(&staged, &target)?,
        Some(found) if found.id() == Some(&header.id) => {
            replacing::swap(output, &staged, &target, clock)?;
        }
        _ => return Err(StoreError::Taken(target)),
    }
    finish_commit(output, &header.id)?;
    Ok(target)
}

/// The second half of a commit, for a debate whose directory has its name: its journal moves to the finished ones.
pub fn finish_commit(output: &Output, id: &str) -> Result<(), FileError> {
    files::rename(&output.running_journal(id), &output.finished_journal(id))
}

/// Writes a debate's files where nobody looks for them, and returns the directory. Nothing in it is lost by a power cut.
fn stage(output: &Output, header: &Header, artifacts: &[Artifact]) -> Result<PathBuf, FileError> {
    let (day, name) = header
        .directory
        .split_once('/')
        .unwrap_or(("", &header.directory));
    let staging = output.staging(name);
    files::remove_dir(&staging)?;
    files::create_dir(&staging.join("messages"))?;
    for artifact in artifacts {
        files::write_synced(&staging.join(&artifact.path), artifact.content.as_bytes())?;
    }
    files::sync_dir(&staging.join("messages"))?;
    files::sync_dir(&staging)?;
    files::create_dir(&output.root().join(day))?;
    files::sync_dir(output.root())?;
    Ok(staging)
}

/// A debate that another process finished since this one looked at the dated directories: the journal that is kept of it
/// says where it is.
pub fn finished_since(output: &Output, id: &str) -> Option<Found> {
    let contents = journal::load(&output.finished_journal(id)).ok()?;
    let Some(Entry::Debate(header)) = contents.entries.first() else {
        return None;
    };
    finished::found(&output.root().join(&header.directory)).filter(|found| found.id() == Some(id))
}

/// Forgets a debate, so that it begins anew: its directory and journals are set aside, not deleted.
pub fn set_aside(
    output: &Output,
    id: &str,
    directory: Option<&PathBuf>,
    clock: &Clock,
) -> Result<(), FileError> {
    if let Some(directory) = directory {
        replacing::set_aside(output, directory, clock)?;
    }
    let stamp = clock.now().format("%Y-%m-%dT%H-%M-%S%.3f");
    for (kind, journal) in [
        ("running", output.running_journal(id)),
        ("finished", output.finished_journal(id)),
    ] {
        if journal.exists() {
            let name = format!("{id}_{stamp}_{kind}.jsonl");
            files::rename(&journal, &output.replaced(&name))?;
        }
    }
    Ok(())
}
