//! The state of the servers, for people who watch the run.

use std::time::Duration;

use chrono::{DateTime, SubsecRound, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

/// A server's state, as seen by the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerView {
    /// Its address.
    pub name: String,
    /// Whether it is down or was given up.
    pub is_out: bool,
    /// Calls in flight.
    pub in_flight: usize,
    /// Maximum calls in flight.
    pub slots: usize,
    /// Models believed to be loaded.
    pub models: Vec<String>,
    /// What fails there, so that calls wait or go elsewhere.
    pub failing: Vec<ServerFailure>,
}

/// What fails on a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerFailure {
    /// The model whose calls fail; `null` if all do.
    pub model: Option<String>,
    /// The cause, as first reported.
    pub cause: String,
    /// When it came.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub since: DateTime<Utc>,
    /// When the server is next tried; `null` if that is due or under way.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub next_try: Option<DateTime<Utc>>,
    /// Whether it was waited for long enough, so that debates that need it are left unfinished.
    pub is_given_up: bool,
}

/// The time now on both clocks, to say when something was or will be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now {
    pub(super) instant: Instant,
    pub(super) time: DateTime<Utc>,
}

impl Now {
    /// In whole seconds, so that looking twice gives the same time.
    pub(super) fn date(&self, instant: Instant) -> DateTime<Utc> {
        let delta = |time: Duration| chrono::Duration::from_std(time).unwrap_or_default();
        let ahead = delta(instant.saturating_duration_since(self.instant));
        let ago = delta(self.instant.saturating_duration_since(instant));
        (self.time + ahead - ago).round_subsecs(0)
    }
}
