//! A gate at which an answer waits until the test opens it.

use std::sync::Arc;
use tokio::sync::watch;

/// Shut when made, open for good after `open`; clones are the same gate.
#[derive(Clone, Debug, Default)]
pub struct Gate(Arc<watch::Sender<bool>>);

impl Gate {
    /// A shut gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets everything through that waits here or comes later.
    pub fn open(&self) {
        self.0.send_replace(true);
    }

    pub(crate) async fn passed(&self) {
        self.0.subscribe().wait_for(|open| *open).await.ok();
    }
}
