//! Finding job files: files as named, directories walked.

use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

/// Folders beside jobs that hold no jobs.
const SKIPPED: [&str; 2] = ["personas", "background"];

/// A path that names no job.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    /// The path cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The path.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A directory without a job file.
    #[error("{0} contains no job file (.yaml, .yml or .json)")]
    Empty(String),
}

/// The job files that `paths` name: files whatever they are called, and every `.yaml`, `.yml` and `.json` below
/// directories but for hidden ones, output directories and folders called `personas` or `background`. Each once, in order of name.
pub fn job_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, DiscoverError> {
    let mut found: Vec<PathBuf> = Vec::new();
    for path in paths {
        let kind = std::fs::metadata(path).map_err(|source| DiscoverError::Unreadable {
            path: path.display().to_string(),
            source,
        })?;
        let files = if kind.is_dir() {
            below(path)?
        } else {
            vec![path.clone()]
        };
        if files.is_empty() {
            return Err(DiscoverError::Empty(path.display().to_string()));
        }
        files.into_iter().for_each(|file| {
            if !found.contains(&file) {
                found.push(file);
            }
        });
    }
    Ok(found)
}

fn below(dir: &Path) -> Result<Vec<PathBuf>, DiscoverError> {
    let walk = WalkDir::new(dir)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || !is_skipped(entry));
    let mut files = Vec::new();
    for entry in walk {
        let entry = entry.map_err(|e| DiscoverError::Unreadable {
            path: dir.display().to_string(),
            source: e.into(),
        })?;
        if entry.path().is_file() && is_job(entry.path()) {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

fn is_skipped(entry: &DirEntry) -> bool {
    if entry.path().join(".rebut").is_dir() {
        return true;
    }
    let name = entry.file_name().to_string_lossy();
    name.starts_with('.') || (entry.file_type().is_dir() && SKIPPED.contains(&name.as_ref()))
}

fn is_job(path: &Path) -> bool {
    path.extension().is_some_and(|ending| {
        ["yaml", "yml", "json"]
            .iter()
            .any(|e| ending.eq_ignore_ascii_case(e))
    })
}
