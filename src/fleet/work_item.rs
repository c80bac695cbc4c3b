//! A debate that waits: what a worker must know to begin it.

use serde::{Deserialize, Serialize};

use super::error::{Result, unusable};
use crate::clock::Clock;
use crate::id::DebateId;
use crate::journal::{Header, SnapshotParts};

/// A debate that waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct WorkItem {
    pub(super) id: DebateId,
    /// Where the snapshot of its inputs is. The digest of the whole is left to the worker: over all debates it is the better part
    /// of what enqueueing would cost.
    pub(super) snapshot: SnapshotParts,
}

impl WorkItem {
    pub(super) fn read(bytes: &[u8]) -> Result<Self> {
        serde_json::from_slice(bytes).map_err(unusable("a debate that waits"))
    }

    /// The first line of its journal, if it begins now; its inputs are still to be digested, and its directory named.
    pub(super) fn header(&self, clock: &Clock) -> Header {
        let (unknown, snapshot) = (String::new(), Some(self.snapshot.clone()));
        Header::new(&self.id, unknown.clone(), snapshot, unknown, clock.now())
    }
}
