//! Finding job files: files as named, directories walked.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use super::problem::suggestions::nearest;
use crate::files::FileError;
use crate::text;

/// What a panel's file next to jobs is called.
const PANEL: &str = "panel";
/// Where jobs usually are.
const JOBS: &str = "jobs";
/// What an output directory contains.
const WORKING: &str = ".rebut";
/// Folders next to jobs that hold no jobs.
const SKIPPED: [&str; 3] = ["personas", "background", "panels"];

/// A path that names no job.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    /// The path cannot be read.
    #[error(transparent)]
    Unreadable(FileError),
    /// A path that is not there; a job file with a similar name may be.
    #[error("{} does not exist", .path.display())]
    Absent {
        /// The path.
        path: PathBuf,
        /// The job file.
        near: Option<PathBuf>,
    },
    /// An output directory.
    #[error("{0} holds results, not jobs")]
    Output(String),
    /// A directory without a job file.
    #[error("{0} contains no job file (.yaml, .yml or .json)")]
    Empty(String),
}

/// The job files that `paths` name: any file named directly, and every `.yaml`, `.yml` and `.json` below
/// directories except hidden ones, output directories and folders called `personas`, `background` or `panels`, and files called `panel`. Each once, in order of name.
pub fn job_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, DiscoverError> {
    let mut found: Vec<PathBuf> = Vec::new();
    for path in paths {
        let kind = std::fs::metadata(path).map_err(|e| match e.kind() {
            ErrorKind::NotFound => DiscoverError::Absent { path: path.clone(), near: near(path) },
            _ => unreadable(path, e),
        })?;
        if path.join(WORKING).is_dir() {
            return Err(DiscoverError::Output(path.display().to_string()));
        }
        let files = if kind.is_dir() { below(path)? } else { vec![path.clone()] };
        if files.is_empty() {
            return Err(DiscoverError::Empty(path.display().to_string()));
        }
        found.extend(files);
    }
    Ok(text::distinct(found))
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

/// The job file that has this name, but for its ending or a slip, in the same directory or in `jobs`.
fn near(path: &Path) -> Option<PathBuf> {
    let beside = path.parent().filter(|dir| *dir != Path::new(""));
    let places = [beside.unwrap_or(Path::new(".")), Path::new(JOBS)];
    places.into_iter().filter_map(|dir| near_in(dir, path)).next()
}

fn near_in(dir: &Path, path: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(dir).ok()?.flatten();
    let files = entries.map(|entry| entry.path());
    let jobs: Vec<PathBuf> = files.filter(|it| it.is_file() && is_job(it)).collect();
    let stems: Vec<_> = jobs.iter().map(|job| stem(job)).collect();
    let near = nearest(&stem(path), stems.iter().map(|stem| &**stem))?;
    let found = jobs.iter().find(|job| stem(job) == near)?;
    Some(found.strip_prefix(".").unwrap_or(found).to_path_buf())
}

fn stem(path: &Path) -> Cow<'_, str> {
    path.file_stem().unwrap_or_default().to_string_lossy()
}

fn unreadable(path: &Path, source: impl Into<std::io::Error>) -> DiscoverError {
    DiscoverError::Unreadable(FileError {
        action: "read",
        path: path.to_path_buf(),
        source: source.into(),
    })
}

fn is_skipped(entry: &DirEntry) -> bool {
    if entry.path().join(WORKING).is_dir() {
        return true;
    }
    let name = entry.file_name().to_string_lossy();
    name.starts_with('.') || (entry.file_type().is_dir() && SKIPPED.contains(&name.as_ref()))
}

/// Whether a file's name ends like a job's.
pub fn is_job(path: &Path) -> bool {
    let mut endings = ["yaml", "yml", "json"].into_iter();
    let ending = path.extension().unwrap_or_default();
    let is_panel = path.file_stem().is_some_and(|stem| stem == PANEL);
    !is_panel && endings.any(|known| ending.eq_ignore_ascii_case(known))
}
