//! A debate that waits: what a worker must know to begin it.

use serde::{Deserialize, Serialize};

use super::error::{FleetError, unusable};
use crate::clock::Clock;
use crate::id::DebateId;
use crate::journal::{Header, SnapshotParts};

/// A debate that waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct WorkItem {
    pub(super) id: DebateId,
    /// The digest of the snapshot of its inputs.
    pub(super) inputs: String,
    /// Where that is.
    pub(super) snapshot: SnapshotParts,
}

impl WorkItem {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, FleetError> {
        serde_json::from_slice(bytes).map_err(unusable("a debate that waits"))
    }

    /// The first line of its journal, if it begins now; the directory is still to be named.
    pub(super) fn header(&self, clock: &Clock) -> Header {
        let (inputs, snapshot) = (self.inputs.clone(), Some(self.snapshot.clone()));
        Header::new(&self.id, inputs, snapshot, String::new(), clock.now())
    }
}
