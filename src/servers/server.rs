//! One server behind the gate: whether it is there, and whose fault a failed call is.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::PROBE;
use super::breaker::{About, Troubles};
use super::liveness::Sight;
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
    /// What it lacks, as the user was told.
    pub(super) lacks: Mutex<BTreeSet<String>>,
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
    /// The server's, which is in that trouble.
    Server(About),
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
    pub(super) async fn blame(&self, model: &str, error: &CallError, losses: u64) -> Blame {
        let fault = error.fault;
        let foreign = matches!(fault, Fault::NotOllama | Fault::Unsupported);
        if !foreign && !fault.is_transport() {
            return match (fault.trouble(), fault) {
                (Trouble::Server, Fault::NoConnection) => Blame::Server(About::Absence),
                (Trouble::Server, _) => Blame::Server(About::Model(model.to_owned())),
                _ => Blame::Call,
            };
        }
        match (self.is_there(PROBE).await, fault) {
            (false, _) => Blame::Server(About::Absence),
            (true, Fault::NotOllama) => Blame::Server(About::Refusal),
            (true, Fault::BrokenStream) if self.sight.losses() > losses => Blame::Past,
            (true, _) => Blame::Call,
        }
    }

    /// Whether the user has not been told yet that it lacks this.
    pub(super) fn newly_lacks(&self, what: &str) -> bool {
        let mut lacks = self.lacks.lock().unwrap_or_else(PoisonError::into_inner);
        lacks.insert(what.to_owned())
    }

    pub(super) async fn is_there(&self, limit: Duration) -> bool {
        let there = within(limit, self.model.is_there()).await;
        there.is_some_and(|there| there)
    }

    /// Whether it is not there, or was given up.
    pub(super) fn is_out(&self) -> bool {
        self.troubles.is_away() || self.troubles.is_given_up()
    }

    pub(super) fn absence(&self) -> CallError {
        let message = format!("{} does not answer", self.name);
        CallError::new(Fault::NoConnection, message)
    }
}
