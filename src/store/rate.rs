//! What a user thinks of a finished debate: a reading in its journal, a label in its trace (row T6).
//!
//! The last rating counts; earlier ones stay in the journal. A debate that is begun anew or gone back in loses its ratings: they
//! were of another course of it.

use std::path::Path;

use serde_json::json;

use super::error::StoreError;
use super::layout::OutputDir;
use super::noted::{self, Note};
use crate::clock::Clock;
use crate::journal::Entry;
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
    let note = Note {
        name: NAME,
        value: json!(rating),
    };
    noted::note(output, dir, note, (templates, clock), |trace| {
        set(trace, rating);
    })
}

/// The last rating among a journal's entries.
pub(crate) fn last(entries: &[Entry]) -> Option<u8> {
    noted::last(entries, NAME)?.as_u64()?.try_into().ok()
}

/// Makes a rating the current one in a trace.
pub(crate) fn set(trace: &mut Trace, rating: u8) {
    trace.labels.retain(|label| !label.is_rating());
    trace.labels.push(Label {
        source: "user".to_owned(),
        name: "rating".to_owned(),
        value: json!(rating),
        preference: None,
    });
    // Records that have a place for it.
    if let Some(rated) = trace.record.get_mut("user_rating") {
        *rated = json!(rating);
    }
}

/// Whether a journal's entry is a rating.
pub(super) fn is_rating(entry: &Entry) -> bool {
    noted::is(entry, NAME)
}
