//! What is noted of a finished debate after its end: a reading in its journal, behind those before it, and what follows from it
//! in the trace. Each step can be done again, so that a note that was cut off is mended by giving it once more.

use std::path::Path;

use serde_json::Value;

use super::error::StoreError;
use super::layout::{OutputDir, holder};
use super::publish::{self, Standing};
use super::render;
use crate::clock::Clock;
use crate::id::DebateId;
use crate::journal::{Entry, ExternalEntry, Journal};
use crate::templates::Templates;
use crate::trace::Trace;

/// A note: what its readings are called before their number, and its value.
pub(super) struct Note {
    pub(super) name: &'static str,
    pub(super) value: Value,
}

/// Notes something of the finished debate in `dir`, which stands in `output`. `change` says what of the trace changes.
pub(super) fn note(
    output: &OutputDir,
    dir: &Path,
    note: Note,
    (templates, clock): (&Templates, &Clock),
    change: impl FnOnce(&mut Trace),
) -> Result<(), StoreError> {
    let path = dir.join("trace.json");
    let id = Trace::read(&path)?.id;
    let kept = output.finished_journal(&id);
    if !kept.exists() && !output.running_journal(&id).exists() {
        return Err(StoreError::NoJournal(kept));
    }
    let claim = output.claim(&id, &holder(clock))?;
    let _claim = claim.map_err(|holder| StoreError::Claimed {
        id: id.clone(),
        holder,
    })?;
    // Only now nobody else can replace it.
    let mut trace = Trace::read(&path)?;
    append(output, &id, note, clock)?;
    change(&mut trace);
    // The trace comes last: as long as it is without the note, the same command does all of this again.
    render::rewrite(dir, &trace, templates)?;
    Ok(render::replace_trace(dir, &trace)?)
}

/// Puts a note into a finished debate's journal, behind those before it.
fn append(output: &OutputDir, id: &DebateId, note: Note, clock: &Clock) -> Result<(), StoreError> {
    if publish::settle(output, id, clock)? == Standing::Reopened {
        return Err(StoreError::Retried);
    }
    let kept = output.finished_journal(id);
    let (contents, mut journal) = Journal::open(&kept, id)?;
    if contents.entries.is_empty() {
        return Err(StoreError::NoJournal(kept));
    }
    let before = contents.entries.iter().filter(|entry| is(entry, note.name));
    let entry = Entry::External(ExternalEntry {
        name: format!("{}{}", note.name, before.count() + 1),
        at: clock.now(),
        value: note.value,
    });
    Ok(journal.append(&entry)?)
}

/// The value of the last note of a name among a journal's entries.
pub(super) fn last<'e>(entries: &'e [Entry], name: &str) -> Option<&'e Value> {
    let value = |entry: &'e Entry| match entry {
        Entry::External(reading) if is(entry, name) => Some(&reading.value),
        _ => None,
    };
    entries.iter().rev().find_map(value)
}

/// Whether a journal's entry is a note of a name.
pub(super) fn is(entry: &Entry, name: &str) -> bool {
    matches!(entry, Entry::External(reading) if reading.name.starts_with(name))
}
