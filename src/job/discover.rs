//! Finding job files: files as named, directories walked.

use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::files::FileError;

/// What a panel's file next to jobs is called.
const PANEL: &str = "panel";
/// Folders next to jobs that hold no jobs.
const SKIPPED: [&str; 3] = ["personas", "background", "panels"];

/// A path that names no job.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    /// The path cannot be read.
    #[error(transparent)]
    Unreadable(FileError),
    /// A directory without a job file.
    #[error("{0} contains no job file (.yaml, .yml or .json)")]
    Empty(String),
}

/// The job files that `paths` name: any file named directly, and every `.yaml`, `.yml` and `.json` below
/// directories except hidden ones, output directories and folders called `personas`, `background` or `panels`, and files called `panel`. Each once, in order of name.
pub fn job_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, DiscoverError> {
    let mut found: Vec<PathBuf> = Vec::new();
    for path in paths {
        let kind = std::fs::metadata(path).map_err(|e| unreadable(path, e))?;
        let files = match kind.is_dir() {
            true => below(path)?,
            false => vec![path.clone()],
        };
        if files.is_empty() {
            return Err(DiscoverError::Empty(path.display().to_string()));
        }
        for file in files {
            if !found.contains(&file) {
                found.push(file);
            }
        }
    }
    Ok(found)
}

fn below(dir: &Path) -> Result<Vec<PathBuf>, DiscoverError> {
    let walk = WalkDir::new(dir).sort_by_file_name().into_iter();
    let mut files = Vec::new();
    for entry in walk.filter_entry(|entry| entry.depth() == 0 || !is_skipped(entry)) {
        let entry = entry.map_err(|e| unreadable(dir, e))?;
        if entry.path().is_file() && is_job(entry.path()) {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

fn unreadable(path: &Path, source: impl Into<std::io::Error>) -> DiscoverError {
    DiscoverError::Unreadable(FileError {
        action: "read",
        path: path.to_path_buf(),
        source: source.into(),
    })
}

fn is_skipped(entry: &DirEntry) -> bool {
    if entry.path().join(".rebut").is_dir() {
        return true;
    }
    let name = entry.file_name().to_string_lossy();
    name.starts_with('.') || (entry.file_type().is_dir() && SKIPPED.contains(&name.as_ref()))
}

fn is_job(path: &Path) -> bool {
    let mut endings = ["yaml", "yml", "json"].into_iter();
    let ending = path.extension().unwrap_or_default();
    let is_panel = path.file_stem().is_some_and(|stem| stem == PANEL);
    !is_panel && endings.any(|known| ending.eq_ignore_ascii_case(known))
}
