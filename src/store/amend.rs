//! Additions to a finished debate. A note is an external at the end of its journal, together with its consequences in the
//! trace. Each step can be repeated, so an interruption is fixed by doing the same again.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::commit::{self, Standing};
use super::error::{Result, StoreError};
use super::layout::{OutputDir, holder};
use super::render;
use crate::clock::Clock;
use crate::id::DebateId;
use crate::journal::{Entry, ExternalEntry, Journal};
use crate::templates::Templates;
use crate::trace::Trace;

/// Something that can be noted about a finished debate. The last note of its kind counts; earlier ones stay in the journal.
pub trait Note: Serialize + DeserializeOwned {
    /// The name of its externals, before their number.
    const NAME: &'static str;

    /// Makes the changes to a trace that follow from it.
    fn put_into(&self, trace: &mut Trace);
}

/// Notes something about the finished debate in `dir`, within `output`.
pub fn note(
    output: &OutputDir,
    dir: &Path,
    note: &impl Note,
    (templates, clock): (&Templates, &Clock),
) -> Result<()> {
    amend(output, dir, (templates, clock), |trace| {
        append(output, &trace.id, note, clock)?;
        note.put_into(trace);
        Ok(true)
    })
}

/// Changes the trace of the finished debate in `dir` under its claim, and rewrites its files if `change` reports a change. The
/// trace is written last: as long as it is unchanged, the same command does all of this again.
pub(super) fn amend(
    output: &OutputDir,
    dir: &Path,
    (templates, clock): (&Templates, &Clock),
    change: impl FnOnce(&mut Trace) -> Result<bool>,
) -> Result<()> {
    let path = dir.join("trace.json");
    let id = Trace::read(&path)?.id;
    let claim = output.claim(&id, &holder(clock))?;
    let _claim = claim.map_err(|holder| StoreError::Claimed { id: id.clone(), holder })?;
    if commit::settle(output, &id, clock)? == Standing::Reopened {
        return Err(StoreError::Retried);
    }
    // Read again, because only now can nobody else replace it.
    let mut trace = Trace::read(&path)?;
    if change(&mut trace)? {
        render::rewrite(dir, &trace, templates)?;
        render::replace_trace(dir, &trace)?;
    }
    Ok(())
}

/// Appends a note to a finished debate's journal.
fn append<N: Note>(output: &OutputDir, id: &DebateId, note: &N, clock: &Clock) -> Result<()> {
    let kept = output.finished_journal(id);
    if !kept.exists() {
        return Err(StoreError::NoJournal(kept));
    }
    let (contents, mut journal) = Journal::open(&kept, id)?;
    if contents.entries.is_empty() {
        return Err(StoreError::NoJournal(kept));
    }
    let before = contents.entries.iter().filter(|entry| is::<N>(entry));
    let entry = Entry::External(ExternalEntry {
        name: format!("{}{}", N::NAME, before.count() + 1),
        at: clock.now(),
        value: json!(note),
    });
    Ok(journal.append(&entry)?)
}

/// The last note of a kind among a journal's entries.
pub(crate) fn last<N: Note>(entries: &[Entry]) -> Option<N> {
    let note = entries.iter().rfind(|entry| is::<N>(entry))?.external()?;
    serde_json::from_value(note.value.clone()).ok()
}

/// Whether a journal's entry is a note of a kind.
pub(super) fn is<N: Note>(entry: &Entry) -> bool {
    entry.external().is_some_and(|it| it.name.starts_with(N::NAME))
}
