//! Why pages cannot be published.

use std::path::PathBuf;

use crate::files::FileError;
use crate::templates::TemplateError;

/// Why pages cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// A file in the folder cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Something else stands in it.
    #[error("{} is not empty and was not written by `rebut publish`", .0.display())]
    NotOurs(PathBuf),
    /// Another process publishes to it.
    #[error("another `rebut publish` ({}) is writing to {}", .1, .0.display())]
    Claimed(PathBuf, String),
    /// All its debates are others.
    #[error("{} may belong to another output directory: it has pages of other debates only", .0.display())]
    OfOthers(PathBuf),
    /// Its list was written by another version of the program.
    #[error("{} was written by another version of rebut", .0.display())]
    Version(PathBuf),
    /// A template is at fault.
    #[error(transparent)]
    Template(#[from] TemplateError),
}
