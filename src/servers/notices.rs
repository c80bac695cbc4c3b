//! What the user is told of the servers, each thing once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::breaker::{Scope, SeenBy};
use super::messages::{self, Limit};
use super::server::PooledServer;
use crate::model::{CallError, Fault};

/// Takes one line for the user.
pub type OnNotice = Arc<dyn Fn(&str) + Send + Sync>;

/// Reports the failures of servers within their limits.
pub(super) struct Notices {
    pub(super) on_notice: OnNotice,
    /// How long a failing model is waited for, or a server that is up but does not work.
    pub(super) model_timeout: Duration,
    /// How long a server that is down is waited for; `None` without limit.
    pub(super) outage_timeout: Option<Duration>,
    /// The user knows that this machine is short of files.
    pub(super) shortage_reported: AtomicBool,
}

impl Notices {
    /// Opens a server's circuit, and reports that once.
    pub(super) fn trip(
        &self,
        servers: &[PooledServer],
        server: &PooledServer,
        model: &str,
        scope: Scope,
        error: &CallError,
        seen: SeenBy,
    ) {
        let who = &server.known_as;
        let hopeless = messages::hopeless(who, model, error);
        let limit = self.limit(&scope);
        let time = match hopeless {
            Some(_) => Some(Duration::ZERO),
            None => limit.time,
        };
        let cause = |message: &str| {
            hopeless.unwrap_or_else(|| messages::given_up(who, &scope, &limit, message))
        };
        if scope == Scope::Absence {
            server.liveness.mark_lost();
        }
        let tripped = server
            .breaker
            .trip(scope.clone(), &error.message, seen, time, cause);
        if let Some(cause) = tripped.given_up {
            (self.on_notice)(&cause);
        } else if tripped.is_new {
            let notice = self.failing(servers, server, model, &scope, &error.message);
            (self.on_notice)(&notice);
        }
    }

    fn failing(
        &self,
        servers: &[PooledServer],
        server: &PooledServer,
        model: &str,
        scope: &Scope,
        message: &str,
    ) -> String {
        let limit = self.limit(scope);
        if servers.len() == 1 {
            return messages::waiting(scope, &limit, message);
        }
        let mut others = servers.iter().filter(|it| it.name != server.name);
        let moves = others.any(|other| !other.breaker.is_open(Some(model)));
        messages::one_of_several(&server.name, scope, moves, &limit, message)
    }

    fn limit(&self, scope: &Scope) -> Limit {
        let (time, flag) = match scope {
            Scope::Absence => (self.outage_timeout, "--outage-timeout"),
            Scope::Refusal | Scope::Model(_) => (Some(self.model_timeout), "--model-timeout"),
        };
        Limit { time, flag }
    }

    /// Reports that a server works again, if the user believed for so long that it did not.
    pub(super) fn recovered(&self, server: &PooledServer, after: Option<Duration>) {
        if let Some(after) = after {
            (self.on_notice)(&messages::answers_again(&server.known_as, after));
        }
    }

    /// Reports what a server does not offer.
    pub(super) fn lacks(&self, server: &PooledServer, error: &CallError) {
        if error.fault == Fault::Unsupported && server.newly_lacks(&error.message) {
            (self.on_notice)(&messages::goes_without(&error.message));
        }
    }

    /// Reports that this machine is short of open files or of memory.
    pub(super) fn short_of_files(&self, error: &CallError) {
        if !self.shortage_reported.swap(true, Ordering::Relaxed) {
            (self.on_notice)(&messages::short_of_files(&error.message));
        }
    }
}

/// A model's own failure, with what the user can do about it.
pub(super) fn with_remedy(server: &PooledServer, model: &str, error: CallError) -> CallError {
    let hopeless = messages::hopeless(&server.known_as, model, &error);
    CallError::new(error.fault, hopeless.unwrap_or(error.message))
}
