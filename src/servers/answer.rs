//! What the pool needs to know about an answer.

use crate::model::reply_fault::checked;
use crate::model::{CallError, Card, Durations, Embeddings, Reply, Request};

/// An answer whose model may have had to be loaded.
pub(super) trait Answer {
    /// Its durations, as the server reports them.
    fn ns(&self) -> Durations;

    /// What makes it unusable, if anything does.
    fn fault(&self) -> Option<&CallError> {
        None
    }
}

/// A whole reply, and what makes it unusable, if anything does.
pub(super) struct WholeReply {
    pub(super) reply: Reply,
    fault: Option<CallError>,
}

impl WholeReply {
    /// Whoever asked checks the reply again: not all replies come from a pool.
    pub(super) fn new(reply: Reply, request: &Request) -> Self {
        let fault = checked(reply.clone(), request).err();
        Self { reply, fault }
    }
}

impl Answer for WholeReply {
    fn ns(&self) -> Durations {
        self.reply.ns
    }

    fn fault(&self) -> Option<&CallError> {
        self.fault.as_ref()
    }
}

impl Answer for Embeddings {
    fn ns(&self) -> Durations {
        self.ns
    }
}

/// A card takes no model's time.
impl Answer for Card {
    fn ns(&self) -> Durations {
        Durations::default()
    }
}
