//! What a server did in a run: the calls to models that it answered and failed, and how long it failed.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::model::{CallError, Trouble};
use crate::shared::Shared;
use crate::text;

/// Characters of a cause.
const CAUSE_CHARS: usize = 200;

/// What a server did in a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerSums {
    /// Its address.
    pub name: String,
    /// Calls to models that it gave a usable reply.
    pub answered: u64,
    /// Calls to models that it failed, refused or gave an unusable reply.
    pub failed: u64,
    /// Of these, sent again, here or to another server, without counting as an attempt of a debate: the server was down, full or
    /// failing.
    pub waited_out: u64,
    /// How long it failed so that calls were kept away from it.
    pub failing_ms: u64,
    /// The cause of the last failure.
    pub last_cause: Option<String>,
}

/// Adds up what one server does.
#[derive(Debug, Default)]
pub(super) struct Tally(Shared<ServerSums>);

impl Tally {
    /// A call ended, with this failure if any. What runs no model does not count, nor does what this machine is short of; returns
    /// whether it counted.
    pub(super) fn count(&self, model: Option<&str>, failure: Option<&CallError>) -> bool {
        let is_ours = failure.is_some_and(|error| error.fault.trouble() == Trouble::Local);
        if model.is_none() || is_ours {
            return false;
        }
        let mut counts = self.0.lock();
        match failure {
            None => counts.answered += 1,
            Some(error) => {
                counts.failed += 1;
                let cause = text::shorten(&text::one_line(&error.message), CAUSE_CHARS);
                counts.last_cause = Some(cause);
            }
        }
        true
    }

    /// A failed call that was counted is sent again without counting as an attempt.
    pub(super) fn waited_out(&self) {
        self.0.lock().waited_out += 1;
    }

    /// The sums of the server with this name, which failed for that long.
    pub(super) fn sums(&self, name: &str, failing: Duration) -> ServerSums {
        ServerSums {
            name: name.to_owned(),
            failing_ms: u64::try_from(failing.as_millis()).unwrap_or(u64::MAX),
            ..self.0.lock().clone()
        }
    }
}

/// Adds up the time for which something is so.
#[derive(Debug, Default)]
pub(super) struct TimeSpent {
    before: Duration,
    since: Option<Instant>,
}

impl TimeSpent {
    /// From now on it is so or not.
    pub(super) fn set(&mut self, is_so: bool) {
        match (is_so, self.since) {
            (true, None) => self.since = Some(Instant::now()),
            (false, Some(since)) => {
                self.before += since.elapsed();
                self.since = None;
            }
            _ => {}
        }
    }

    /// So far.
    pub(super) fn total(&self) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}
