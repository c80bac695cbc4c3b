//! Rebuilding the lists of debates from their directories.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::error::Result;
use super::finished::FinishedDebate;
use super::layout::OutputDir;
use crate::artifacts::{listing, page};
use crate::files::{self, FileError};
use crate::templates::Templates;

/// The debates listed.
#[derive(Debug, Default)]
pub struct Listed {
    /// Debates in the lists.
    pub debates: usize,
    /// Directories that cannot be identified.
    pub unreadable: Vec<PathBuf>,
    /// Directories of debates that are listed under another path, too.
    pub copies: Vec<PathBuf>,
}

/// Rebuilds `index.md`, each day's index and `index.jsonl` (row A5).
pub fn rebuild(output: &OutputDir, templates: &Templates) -> Result<Listed> {
    let mut listed = Listed::default();
    let mut fronts: Vec<Map<String, Value>> = Vec::new();
    let mut ids = HashSet::new();
    for path in output.debates()? {
        let Some(found) = FinishedDebate::read(&path) else {
            listed.unreadable.push(path);
            continue;
        };
        if !ids.insert(found.id) {
            listed.copies.push(path.clone());
        }
        let mut front = found.front;
        // Its present place counts, not the one it was written for.
        let here =
            path.strip_prefix(output.root()).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        front.insert("path".to_owned(), here.into());
        fronts.push(front);
    }
    listed.debates = fronts.len();
    let mut written = BTreeSet::new();
    let has_page = |path: &str| output.root().join(path).join(page::NAME).is_file();
    for artifact in listing::files(&fronts, has_page, templates)? {
        let path = output.root().join(&artifact.path);
        files::replace(&path, artifact.content.as_bytes())?;
        written.insert(path);
    }
    remove_stale(output, &written)?;
    Ok(listed)
}

/// Removes the index pages of days that have lost debates, and what killed processes left of theirs.
fn remove_stale(output: &OutputDir, written: &BTreeSet<PathBuf>) -> Result<(), FileError> {
    files::sweep(output.root())?;
    for day in output.days()? {
        files::sweep(&day)?;
        let is_page = |path: &PathBuf| {
            let name = files::name_of(path);
            name.starts_with("index") && name.ends_with(".md")
        };
        for page in files::list(&day)?.into_iter().filter(is_page) {
            if !written.contains(&page) {
                files::remove_file(&page)?;
            }
        }
    }
    Ok(())
}
