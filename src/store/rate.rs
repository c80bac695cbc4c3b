//! What a user thinks of a finished debate: a reading in its journal, a label in its trace (row T6).
//!
//! The last rating counts; earlier ones stay in the journal. Each step can be done again, so that a rating that was cut off
//! is mended by giving it once more. A debate that is begun anew or gone back in loses its ratings: they were of another
//! course of it.

use std::path::Path;

use serde_json::json;

use super::error::StoreError;
use super::layout::{OutputDir, holder};
use super::publish::{self, Standing};
use super::render;
use crate::clock::Clock;
use crate::id::DebateId;
use crate::journal::{Entry, ExternalEntry, Journal};
use crate::templates::Templates;
use crate::trace::{Label, Trace};

/// What the readings of ratings are called, before their number.
const NAME: &str = "rating/user/";

/// Rates the finished debate in `dir`, which stands in `output`.
pub fn rate(
    output: &OutputDir,
    dir: &Path,
    rating: u8,
    templates: &Templates,
    clock: &Clock,
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
    append(output, &id, rating, clock)?;
    set(&mut trace, rating);
    render::replace_trace(dir, &trace)?;
    render::rewrite(dir, &trace, templates)
}

/// Puts a rating into a finished debate's journal, behind those before it.
fn append(output: &OutputDir, id: &DebateId, rating: u8, clock: &Clock) -> Result<(), StoreError> {
    if publish::settle(output, id, clock)? == Standing::Reopened {
        return Err(StoreError::Retried);
    }
    let kept = output.finished_journal(id);
    let (contents, mut journal) = Journal::open(&kept, id)?;
    if contents.entries.is_empty() {
        return Err(StoreError::NoJournal(kept));
    }
    let before = contents.entries.iter().filter(|entry| is_rating(entry));
    let entry = Entry::External(ExternalEntry {
        name: format!("{NAME}{}", before.count() + 1),
        at: clock.now(),
        value: json!(rating),
    });
    Ok(journal.append(&entry)?)
}

/// The last rating among a journal's entries.
pub(crate) fn last(entries: &[Entry]) -> Option<u8> {
    let rating = |entry: &Entry| match entry {
        Entry::External(reading) if is_rating(entry) => reading.value.as_u64()?.try_into().ok(),
        _ => None,
    };
    entries.iter().rev().find_map(rating)
}

/// Makes a rating the current one in a trace.
pub(crate) fn set(trace: &mut Trace, rating: u8) {
    let is_rating = |label: &Label| label.source == "user" && label.name == "rating";
    trace.labels.retain(|label| !is_rating(label));
    trace.labels.push(Label {
        source: "user".to_owned(),
        name: "rating".to_owned(),
        value: json!(rating),
    });
    // Records that have a place for it.
    if let Some(rated) = trace.record.get_mut("user_rating") {
        *rated = json!(rating);
    }
}

/// Whether a journal's entry is a rating.
pub(super) fn is_rating(entry: &Entry) -> bool {
    matches!(entry, Entry::External(reading) if reading.name.starts_with(NAME))
}
