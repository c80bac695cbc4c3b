//! The error of every file operation.

use std::io;
use std::path::{Path, PathBuf};

/// What a file operation comes to.
pub type Result<T, E = FileError> = std::result::Result<T, E>;

/// A file operation that failed, with what was tried and where.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}", path.display())]
pub struct FileError {
    /// What was tried, as a verb: `read`, `write`, `rename`…
    pub action: &'static str,
    /// The path it was tried on.
    pub path: PathBuf,
    /// The operating system's answer.
    pub source: io::Error,
}

impl FileError {
    /// Whether the file may be there and sound: the system failed, rather than find nothing.
    pub fn may_be_sound(&self) -> bool {
        let is_missing =
            matches!(self.source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
        self.source.raw_os_error().is_some() && !is_missing
    }
}

/// Nothing where an operation fails in this way.
pub(super) fn unless<T>(kind: io::ErrorKind, result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(e) if e.kind() == kind => Ok(None),
        other => other.map(Some),
    }
}

/// Turns an [`io::Error`] into a [`FileError`] that says what was tried on which path.
pub(super) fn naming<'a>(
    action: &'static str,
    path: &'a Path,
) -> impl FnOnce(io::Error) -> FileError + 'a {
    move |source| FileError { action, path: path.to_path_buf(), source }
}
