//! The beginning and the end of a server's outage: its circuit opens or closes, waiting calls wake, and the user is told once.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::super::breaker::{Scope, SeenBy};
use super::super::messages::{self, Limit};
use super::super::pooled_server::PooledServer;
use super::ServerPool;
use crate::job::models::model_name::same_model;
use crate::model::{CallError, Fault, Weights};

impl ServerPool {
    /// Opens a server's circuit and reports it once.
    pub(super) fn trip(
        &self,
        server: &PooledServer,
        model: &str,
        scope: Scope,
        error: &CallError,
        seen: SeenBy,
    ) {
        let who = &server.known_as;
        let is_missing = error.fault == Fault::ModelNotFound;
        let mut known = self.config.known_absent.iter();
        let is_known = is_missing && known.any(|it| same_model(it, model));
        // The user was told before what to do.
        let remedy = error.remedy.clone().filter(|_| !is_known);
        let error = &CallError { remedy, ..error.clone() };
        let hopeless = messages::hopeless(who, model, error);
        let is_lost = is_missing && server.streaks.replies(model) > 0;
        let hopeless = hopeless.map(|it| if is_lost { server.lost(model, it) } else { it });
        let remedy = error.remedy.clone().filter(|_| hopeless.is_some());
        let limit = Limit { named: error.wait, ..self.limit(&scope) };
        let wait = hopeless.is_none() || is_lost;
        let time = if wait { limit.time } else { Some(Duration::ZERO) };
        let cause = |message: &str, asked| {
            let limit = self.limit(&scope).beyond(asked);
            hopeless.unwrap_or_else(|| messages::given_up(who, &scope, &limit, message))
        };
        if scope == Scope::Absence {
            server.liveness.mark_lost();
        }
        // Several servers are asked which models they have.
        if is_missing && self.servers.len() == 1 {
            server.pulled.note(model, Weights::Absent);
        }
        let tripped = server.breaker.trip(scope.clone(), error, seen, time, cause);
        if let Some(cause) = tripped.given_up {
            server.note_remedy(model, remedy);
            if !is_known && (!is_lost || server.is_news(model, &cause)) {
                self.tell(&cause);
            }
        } else if tripped.is_news {
            let what = messages::with(&scope);
            self.tell(&self.failing(server, model, (&what, &limit), &error.message));
        }
        self.changed.notify_waiters();
    }

    fn failing(
        &self,
        server: &PooledServer,
        model: &str,
        (what, limit): (&str, &Limit),
        message: &str,
    ) -> String {
        if self.servers.len() == 1 {
            return messages::waiting(&format!("the server{what}"), limit, message);
        }
        let mut others = self.servers.iter().filter(|it| it.name != server.name);
        let moves = others.any(|other| !other.breaker.is_open(model));
        messages::one_of_several(&server.name, what, moves, limit, message)
    }

    pub(super) fn limit(&self, scope: &Scope) -> Limit {
        let config = &self.config;
        let (time, flag) = match scope {
            Scope::Absence => (config.outage_timeout, "--outage-timeout"),
            Scope::Refusal | Scope::Model(_) => (Some(config.model_timeout), "--model-timeout"),
        };
        Limit { time, flag, named: None }
    }

    /// Wakes waiting calls because a circuit may have closed. If a failure is over, reports how long it lasted.
    pub(super) fn closed(&self, server: &PooledServer, over: Option<(Duration, Scope)>) {
        self.changed.notify_waiters();
        if let Some(over) = over {
            self.tell(&messages::answers_again(&server.known_as, &over));
        }
    }

    /// Reports once that a server lacks something that debates can do without.
    pub(super) fn lacks(&self, server: &PooledServer, error: &CallError) {
        let is_unsupported = error.fault == Fault::Unsupported;
        if is_unsupported && server.lacks.lock().insert(error.message.clone()) {
            self.tell(&messages::goes_without(&error.message));
        }
    }

    /// Reports once that this machine is short of open files or memory.
    pub(super) fn short_of_files(&self, error: &CallError) {
        if !self.shortage_reported.swap(true, Ordering::Relaxed) {
            self.tell(&messages::short_of_files(&error.message));
        }
    }

    pub(super) fn tell(&self, notice: &str) {
        (self.config.on_notice)(notice);
    }
}
