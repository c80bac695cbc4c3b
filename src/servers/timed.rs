//! The times that a server reports for an answer.

use crate::model::{Card, Durations, Embeddings, Reply};

/// An answer whose model may have had to be loaded.
pub(super) trait Timed {
    /// Its durations.
    fn ns(&self) -> Durations;
}

impl Timed for Reply {
    fn ns(&self) -> Durations {
        self.ns
    }
}

impl Timed for Embeddings {
    fn ns(&self) -> Durations {
        self.ns
    }
}

/// A card takes no model's time.
impl Timed for Card {
    fn ns(&self) -> Durations {
        Durations::default()
    }
}
