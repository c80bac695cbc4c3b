//! One server behind the gate: whether it is there, and whose fault a failed call is.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::PROBE;
use super::sight::Sight;
use super::trouble::Troubles;
use crate::model::patience::within;
use crate::model::{CallError, Fault, Model, Trouble};

/// A server, its free places and what is known of it.
pub(super) struct Server {
    pub(super) name: String,
    pub(super) model: Arc<dyn Model>,
    pub(super) slots: Semaphore,
    pub(super) troubles: Troubles,
    pub(super) sight: Sight,
    /// Replies that it has ended well.
    pub(super) answered: AtomicU64,
}

/// What was so when a call began.
pub(super) struct Before {
    pub(super) at: Instant,
    /// How often the server had been seen to be away.
    pub(super) losses: u64,
}

/// Whose fault a failed call is.
pub(super) enum Blame {
    /// The call's own.
    Call,
    /// The server's, which is in trouble.
    Server,
    /// The server's, which was away in the middle of the call and is back.
    Past,
}

impl Server {
    pub(super) fn before(&self) -> Before {
        Before {
            at: Instant::now(),
            losses: self.sight.losses(),
        }
    }

    /// Whether trouble is the server's: by its kind, or because a reply broke off and the server is gone, or was gone
    /// since: it was seen so `losses` times before. A reply that is late, or that the server says failed, may fail for
    /// its own sake during an outage too.
    pub(super) async fn blame(&self, error: &CallError, losses: u64) -> Blame {
        if error.fault.trouble() == Trouble::Server {
            return Blame::Server;
        }
        if !error.fault.is_transport() {
            return Blame::Call;
        }
        let is_broken = error.fault == Fault::BrokenStream;
        match self.is_there(PROBE).await {
            false => Blame::Server,
            true if is_broken && self.sight.losses() > losses => Blame::Past,
            true => Blame::Call,
        }
    }

    pub(super) async fn is_there(&self, limit: Duration) -> bool {
        let there = within(limit, self.model.is_there()).await;
        there.is_some_and(|there| there)
    }

    pub(super) fn absence(&self) -> CallError {
        let message = format!("{} does not answer", self.name);
        CallError::new(Fault::NoConnection, message)
    }
}
