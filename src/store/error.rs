//! What can go wrong with an output directory.

use std::path::PathBuf;

use crate::files::FileError;
use crate::id::DebateId;
use crate::journal::JournalError;
use crate::plan;
use crate::templates::TemplateError;
use crate::trace::ReadError;

/// What a step in an output directory comes to.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Why a debate cannot be loaded, committed or rewritten.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] ReadError),
    /// A template of the snapshot or of this run is wrong.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A finished debate's journal is gone.
    #[error("{} is missing: it holds the debate's replies (`rebut clean` removes it)", .0.display())]
    NoJournal(PathBuf),
    /// Another process writes to the debate.
    #[error("debate {} is being written by another rebut ({holder})", id.short())]
    Claimed {
        /// The debate.
        id: DebateId,
        /// The process that writes to it.
        holder: String,
    },
    /// A retry of the debate has begun and is not finished.
    #[error("the debate is being retried")]
    Retried,
    /// The debate's claim was removed, and another process may have taken it.
    #[error(
        "its claim was removed while it ran, so another rebut may be running it; the same command resumes it"
    )]
    Lost,
    /// The output directory or its working state was moved, removed or replaced.
    #[error("{} or its .rebut was moved, removed or replaced while debates were being written to it", .0.display())]
    Gone(PathBuf),
    /// Something else occupies the directory's name.
    #[error("{} is in the way: it is not this debate's directory; move it away and run the same command again", .0.display())]
    Taken(PathBuf),
    /// The debate was planned by a version whose plans differ in meaning.
    #[error(
        "the debate began under plan version {version}, but this rebut uses version {}",
        plan::VERSION
    )]
    OtherPlan {
        /// The version in its snapshot.
        version: u64,
    },
    /// People's labels, or the key of a label sheet, cannot be read.
    #[error("{}: cannot read people's labels: {reason}; the file was not overwritten", path.display())]
    Labels {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The snapshot of inputs cannot be used.
    #[error("{}: cannot use the snapshot of the debate's inputs: {reason}", path.display())]
    Inputs {
        /// The snapshot.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}
