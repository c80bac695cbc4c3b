//! People's labels (row C5): the keys of label sheets and the labels themselves are below `.rebut/labels/`; their commit puts them
//! into the debate's trace. An interrupted import is completed by the same command, and a trace that is rebuilt from its
//! debate's journal takes its labels from here.

use std::path::Path;

use serde::de::DeserializeOwned;

use super::error::StoreError;
use super::layout::OutputDir;
use super::noted;
use crate::clock::Clock;
use crate::event::{IncidentKind, Preference};
use crate::files::{self, FileError};
use crate::id::DebateId;
use crate::labels::sheet::{Sheet, is_id};
use crate::templates::Templates;
use crate::text;
use crate::trace::{Label, Trace};

/// The largest key or file of labels that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// What became of labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Given {
    /// The debate has them now.
    pub added: u64,
    /// Of these, those in whose place an earlier one of the same rater stood.
    pub replaced: u64,
    /// The debate had them, or later ones, before.
    pub known: u64,
    /// The debate's record has changed since they were asked for.
    pub stale: u64,
}

impl Given {
    /// Adds what became of others.
    pub fn add(&mut self, other: &Self) {
        self.added += other.added;
        self.replaced += other.replaced;
        self.known += other.known;
        self.stale += other.stale;
    }
}

/// Keeps the key of a sheet.
pub fn keep_sheet(output: &OutputDir, sheet: &Sheet) -> Result<(), FileError> {
    files::own_dir(&output.labels())?;
    files::own_dir(&output.sheets())?;
    files::replace(&output.sheet(&sheet.id), &json(sheet))
}

/// The key of a sheet; none if this output directory has none of this id.
pub fn sheet(output: &OutputDir, id: &str) -> Result<Option<Sheet>, StoreError> {
    let path = output.sheet(id);
    if !is_id(id) || !path.exists() {
        return Ok(None);
    }
    parsed(&path).map(Some)
}

/// What a file here says.
fn parsed<T: DeserializeOwned>(path: &Path) -> Result<T, StoreError> {
    let bytes = files::read_own_at_most(path, MOST_BYTES)?;
    serde_json::from_slice(&bytes).map_err(|e| StoreError::Labels {
        path: path.to_owned(),
        reason: e.to_string(),
    })
}

/// The labels that are kept beside a debate.
fn kept(output: &OutputDir, debate: &DebateId) -> Result<Vec<Label>, StoreError> {
    let path = output.labels_of(debate);
    match path.exists() {
        true => parsed(&path),
        false => Ok(Vec::new()),
    }
}

/// Puts labels into the trace of the debate in `dir`, and writes its files again. The labels are kept before that.
pub fn give(
    output: &OutputDir,
    dir: &Path,
    labels: &[Label],
    with: (&Templates, &Clock),
) -> Result<Given, StoreError> {
    let mut given = Given::default();
    noted::amend(output, dir, with, |trace| {
        // A file that cannot be read may be the only copy: it is never replaced.
        kept(output, &trace.id)?;
        let mut changed = false;
        for label in labels {
            changed |= add(trace, label, &mut given);
        }
        if changed {
            keep(output, trace)?;
        }
        Ok(changed)
    })?;
    Ok(given)
}

/// Keeps the labels of a trace next to it.
fn keep(output: &OutputDir, trace: &Trace) -> Result<(), FileError> {
    files::own_dir(&output.labels())?;
    let all: Vec<&Label> = trace.preferences().map(|(label, _)| label).collect();
    files::replace(&output.labels_of(&trace.id), &json(&all))
}

fn json(value: &impl serde::Serialize) -> Vec<u8> {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    (text + "\n").into_bytes()
}

/// Adds a label, in the place of an earlier one of the same rater on the same place of a sheet; whether the trace changed. The same
/// word said again later takes the place too: else one said in between could, if it came after.
fn add(trace: &mut Trace, label: &Label, given: &mut Given) -> bool {
    let Some(new) = &label.preference else {
        return false;
    };
    if new.record_digest != trace.digest_of_record() {
        given.stale += 1;
        return false;
    }
    let is_it = |own: &Preference| own.id == new.id;
    let mut all = trace.labels.iter_mut();
    let old = all.find(|own| own.preference.as_ref().is_some_and(is_it));
    match old {
        Some(old) if is_later(new, old) => {
            let is_known = label.value == old.value;
            old.clone_from(label);
            given.known += u64::from(is_known);
            given.replaced += u64::from(!is_known);
            given.added += u64::from(!is_known);
            true
        }
        Some(_) => {
            given.known += 1;
            false
        }
        None => {
            trace.labels.push(label.clone());
            given.added += 1;
            true
        }
    }
}

/// Whether a label was said later than the one before it.
fn is_later(new: &Preference, old: &Label) -> bool {
    old.preference.as_ref().is_some_and(|own| own.at < new.at)
}

/// Puts the labels that were given to a debate into a trace that was made again. Those on another record are dropped, and that is told.
pub fn restore(output: &OutputDir, trace: &mut Trace) -> Result<(), StoreError> {
    let mut given = Given::default();
    for label in &kept(output, &trace.id)? {
        add(trace, label, &mut given);
    }
    if given.stale > 0 {
        let labels = text::count(given.stale, "label");
        let message = format!(
            "dropped {labels} by people because the debate has changed since; run `rebut label export` to ask again"
        );
        trace.report(IncidentKind::StaleLabels, message);
    }
    Ok(())
}
