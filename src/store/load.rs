//! Loading a debate: its journal and the snapshot of its inputs, or new ones.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::error::StoreError;
use super::finished::FinishedDebate;
use super::layout::OutputDir;
use crate::clock::Clock;
use crate::digest;
use crate::files::{self, FileError};
use crate::id::DebateId;
use crate::journal::{self, Entry, Header, Journal, JournalError};
use crate::machine;
use crate::plan::{self, Plan};
use crate::templates::Templates;

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
    output: &OutputDir,
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
    output: &OutputDir,
    plan: &Plan,
    templates: &Templates,
    mut journal: Journal,
    clock: &Clock,
) -> Result<Opened, StoreError> {
    let format = plan.format.profile();
    let inputs = Inputs {
        plan: plan.clone(),
        templates: templates.snapshot(format.name, format.folders, plan.rehearsal),
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
        directory: OutputDir::directory_of(plan, started_at),
        started_at,
    };
    journal.append(&Entry::Debate(header.clone()))?;
    Ok(Opened {
        plan: inputs.plan,
        templates: templates.shaping(format.name, format.folders, plan.rehearsal),
        header,
        past: Vec::new(),
        journal,
    })
}

/// The snapshot of a debate's inputs, checked against the digest that names it.
///
/// # Errors
/// Also [`StoreError::OtherPlan`]: what another version of plans means is not for this program to say.
pub fn inputs(output: &OutputDir, header: &Header) -> Result<Inputs, StoreError> {
    let value = snapshot(output, header)?;
    let unusable = |reason| unusable(output, header, reason);
    match value["plan"]["version"].as_u64() {
        Some(version) if version == u64::from(plan::VERSION) => {}
        Some(version) => return Err(StoreError::OtherPlan { version }),
        None => return Err(unusable("its plan has no version".to_owned())),
    }
    let inputs: Inputs = serde_json::from_value(value).map_err(|e| unusable(e.to_string()))?;
    if inputs.plan.id != header.id {
        return Err(unusable("it is another debate's".to_owned()));
    }
    Ok(inputs)
}

fn unusable(output: &OutputDir, header: &Header, reason: String) -> StoreError {
    let path = output.inputs(&header.inputs);
    StoreError::Inputs { path, reason }
}

/// The snapshot as it is written, whatever version of plans it is of.
pub(super) fn snapshot(output: &OutputDir, header: &Header) -> Result<Value, StoreError> {
    let path = output.inputs(&header.inputs);
    let unusable = |reason| unusable(output, header, reason);
    let bytes = files::read_own(&path).map_err(|e| match e.source.kind() {
        ErrorKind::NotFound => unusable("it is missing".to_owned()),
        _ if machine::is_short(&e) => e.into(),
        _ => unusable(e.source.to_string()),
    })?;
    let value = serde_json::from_slice(&bytes).map_err(|e| unusable(e.to_string()))?;
    if digest::of_json(&value) != header.inputs {
        return Err(unusable("its content does not fit its name".to_owned()));
    }
    Ok(value)
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
            reason: "it names a directory that is not this debate's".to_owned(),
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
/// goes on to its end, and to its directory, without asking for anything. One that has begun again is left as it is.
pub fn take_up(output: &OutputDir, id: &DebateId) -> Result<(), FileError> {
    let (running, kept) = (output.running_journal(id), output.finished_journal(id));
    if kept.exists() && !running.exists() {
        files::rename(&kept, &running)?;
    }
    Ok(())
}
