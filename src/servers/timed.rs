//! What a server says of the time that an answer took.

use std::time::Duration;

use crate::model::{Card, Embeddings, Reply};

/// An answer whose model may have had to be loaded.
pub(super) trait Timed {
    /// Waiting for and loading the model.
    fn load(&self) -> Duration;

    /// Waiting for a slot of the model, where the server says.
    fn queue(&self) -> Option<Duration> {
        None
    }
}

impl Timed for Reply {
    fn load(&self) -> Duration {
        Duration::from_nanos(self.ns.load)
    }

    fn queue(&self) -> Option<Duration> {
        self.ns.queue.map(Duration::from_nanos)
    }
}

impl Timed for Embeddings {
    fn load(&self) -> Duration {
        Duration::from_nanos(self.ns.load)
    }
}

impl Timed for Card {
    fn load(&self) -> Duration {
        Duration::ZERO
    }
}
