//! People's labels (row C5). The keys of label sheets and the labels themselves are below `.rebut/labels/`; their commit puts
//! them into the debate's trace. The same command completes an interrupted import, and a trace rebuilt from its debate's
//! journal takes its labels from here.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::amend;
use super::error::{Result, StoreError};
use super::layout::OutputDir;
use crate::clock::Clock;
use crate::event::{IncidentKind, Preference};
use crate::files::{self, FileError};
use crate::id::DebateId;
use crate::labels::sheet::{Sheet, is_id};
use crate::templates::Templates;
use crate::text;
use crate::trace::{Label, Trace};

/// Maximum bytes of a key or file of labels to read.
const MOST_BYTES: u64 = 64 << 20;

/// What became of labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Given {
    /// Labels that were added to the debate.
    pub added: u64,
    /// Labels among these that replaced an earlier one by the same rater.
    pub replaced: u64,
    /// Labels that the debate already had, or for which it had later ones.
    pub known: u64,
    /// Labels asked for before the debate's record changed.
    pub stale: u64,
}

impl Given {
    /// Adds another count.
    pub fn add(&mut self, other: &Self) {
        self.added += other.added;
        self.replaced += other.replaced;
        self.known += other.known;
        self.stale += other.stale;
    }
}

/// Stores the key of a sheet.
pub fn keep_sheet(output: &OutputDir, sheet: &Sheet) -> Result<(), FileError> {
    files::own_dir(&output.labels())?;
    files::own_dir(&output.sheets())?;
    files::replace(&output.sheet(&sheet.id), &json(sheet))
}

/// The key of a sheet; `None` if this output directory has none with this id.
pub fn sheet(output: &OutputDir, id: &str) -> Result<Option<Sheet>> {
    let path = output.sheet(id);
    if is_id(id) && path.exists() { parsed(&path).map(Some) } else { Ok(None) }
}

/// The keys of all sheets in this output directory.
pub fn sheets(output: &OutputDir) -> Result<Vec<Sheet>> {
    keys(output)?.iter().map(|path| parsed(path)).collect()
}

/// The files with the keys of sheets. A kill may have left others beside them.
pub(super) fn keys(output: &OutputDir) -> Result<Vec<PathBuf>, FileError> {
    let mut paths = files::list(&output.sheets())?;
    paths.retain(|path| files::name_of(path).strip_suffix(".json").is_some_and(is_id));
    Ok(paths)
}

/// The content of one of these files.
fn parsed<T: DeserializeOwned>(path: &Path) -> Result<T> {
    serde_json::from_slice(&files::read_own_at_most(path, MOST_BYTES)?)
        .map_err(|e| StoreError::Labels { path: path.to_owned(), reason: e.to_string() })
}

/// The labels stored for a debate.
fn kept(output: &OutputDir, debate: &DebateId) -> Result<Vec<Label>> {
    let path = output.labels_of(debate);
    if path.exists() { parsed(&path) } else { Ok(Vec::new()) }
}

/// Stores labels, then puts them into the trace of the debate in `dir` and rewrites the debate's files.
pub fn give(
    output: &OutputDir,
    dir: &Path,
    labels: &[Label],
    with: (&Templates, &Clock),
) -> Result<Given> {
    let mut given = Given::default();
    amend::amend(output, dir, with, |trace| {
        // An unreadable file may be the only copy, so it is never replaced.
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

/// Stores the labels of a trace.
fn keep(output: &OutputDir, trace: &Trace) -> Result<(), FileError> {
    files::own_dir(&output.labels())?;
    let all: Vec<&Label> = trace.preferences().map(|(label, _)| label).collect();
    files::replace(&output.labels_of(&trace.id), &json(&all))
}

fn json(value: &impl serde::Serialize) -> Vec<u8> {
    let text = serde_json::to_string_pretty(value).expect("labels are JSON");
    (text + "\n").into_bytes()
}

/// Adds a label, or replaces an earlier one by the same rater for the same item of a sheet; returns whether the trace changed.
/// A repeated answer replaces the earlier one too; otherwise an answer given between the two could do so if imported last.
fn add(trace: &mut Trace, label: &Label, given: &mut Given) -> bool {
    let Some(new) = &label.preference else { return false };
    if new.record_digest != trace.digest_of_record() {
        given.stale += 1;
        return false;
    }
    let is_it = |own: &Preference| own.id == new.id;
    let old = trace.labels.iter_mut().find(|own| own.preference.as_ref().is_some_and(is_it));
    match old {
        Some(old) if old.preference.as_ref().is_some_and(|own| own.at < new.at) => {
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

/// Puts the labels of a debate into a trace that was rebuilt. Labels on another record are dropped, which is reported.
pub fn restore(output: &OutputDir, trace: &mut Trace) -> Result<()> {
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
