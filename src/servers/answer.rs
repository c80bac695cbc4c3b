//! What the pool needs to know about an answer.

use crate::model::reply_fault::checked;
use crate::model::{CallError, Durations, Reply, Request};

/// An answer whose model may have had to be loaded.
pub(super) struct Answer<T> {
    pub(super) value: T,
    /// Its durations, as the server reports them.
    pub(super) ns: Durations,
    /// What makes it unusable, if anything does.
    pub(super) fault: Option<CallError>,
}

impl<T> Answer<T> {
    /// A usable one.
    pub(super) fn new(value: T, ns: Durations) -> Self {
        Self { value, ns, fault: None }
    }
}

impl Answer<Reply> {
    /// A whole reply. Whoever asked checks it again: not all replies come from a pool.
    pub(super) fn checked(reply: Reply, request: &Request) -> Self {
        let fault = checked(reply.clone(), request).err();
        Self { ns: reply.ns, value: reply, fault }
    }
}
