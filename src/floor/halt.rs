//! Why a debate stops.

use crate::files::FileError;
use crate::journal::JournalError;
use crate::model::NoReply;
use crate::templates::TemplateError;

/// What a step of a debate comes to.
pub type Result<T, E = Halt> = std::result::Result<T, E>;

/// Why a debate stops.
#[derive(Debug, thiserror::Error)]
pub enum Halt {
    /// The run is stopping; the next run continues the debate.
    #[error("stopped before the end")]
    Stopped,
    /// The debate cannot continue now. It stays unfinished, with the cause.
    #[error("{0}")]
    Parked(String),
    /// A model that it began with was updated. It stays unfinished, with the cause.
    #[error("{0}")]
    Outdated(String),
    /// It cannot continue until the user changes the job or the models. It stays unfinished, with the cause.
    #[error("{0}")]
    Unfit(String),
    /// This program would make a different request from the one that began the debate. The debate stays unfinished, with the
    /// difference.
    #[error("{0}")]
    Changed(String),
    /// The debate has failed for good, with the cause.
    #[error("{0}")]
    Failed(String),
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file that it needs cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A template is wrong.
    #[error(transparent)]
    Template(#[from] TemplateError),
}

impl From<NoReply> for Halt {
    fn from(reason: NoReply) -> Self {
        match reason {
            NoReply::Stopped => Halt::Stopped,
            NoReply::Parked(cause) => Halt::Parked(cause),
            NoReply::Outdated(cause) => Halt::Outdated(cause),
            NoReply::Failed(error) => Halt::Parked(error.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;
    use crate::machine;

    #[test]
    fn a_full_disk_is_recognised_in_what_stops_a_debate() {
        let source = ErrorKind::StorageFull.into();
        let error = FileError { action: "write", path: "ballots".into(), source };
        assert!(machine::is_full(&Halt::from(error)));
    }
}
