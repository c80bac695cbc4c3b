//! What is noted of the servers' troubles, and what the user is told of them.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;

use super::Gate;
use super::breaker::{About, Seen};
use super::messages::{self, Limit};
use super::server::Server;
use crate::model::{CallError, Fault, NoReply};

/// How long to wait for files to be closed, or for memory.
const SHORT_PAUSE: Duration = Duration::from_millis(500);

impl Gate {
    /// Notes a server's trouble, and tells of it once.
    pub(super) fn trouble(
        &self,
        server: &Server,
        model: &str,
        about: About,
        error: &CallError,
        seen: Seen,
    ) {
        let who = self.called(server);
        let hopeless = messages::hopeless(who, model, error);
        let limit = self.limit(&about);
        let wait = match hopeless {
            Some(_) => Some(Duration::ZERO),
            None => limit.time,
        };
        let cause = |message: &str| {
            hopeless.unwrap_or_else(|| messages::given_up(who, &about, &limit, message))
        };
        if about == About::Absence {
            server.sight.lost();
        }
        let message = &error.message;
        let troubles = &server.troubles;
        let noted = troubles.note(about.clone(), message, seen, wait, cause);
        if let Some(cause) = noted.given_up {
            (self.rules.tell)(&cause);
        } else if noted.is_new {
            (self.rules.tell)(&self.announcement(server, model, &about, message));
        }
        self.changed.notify_waiters();
    }

    fn limit(&self, about: &About) -> Limit {
        let (time, flag) = match about {
            About::Absence => (self.rules.outage, "--outage-timeout"),
            About::Refusal | About::Model(_) => (Some(self.rules.wait), "--model-wait"),
        };
        Limit { time, flag }
    }

    /// How the user is told of a server.
    fn called<'s>(&self, server: &'s Server) -> &'s str {
        if self.servers.len() == 1 {
            "the server"
        } else {
            &server.name
        }
    }

    fn announcement(&self, server: &Server, model: &str, about: &About, message: &str) -> String {
        let limit = self.limit(about);
        if self.servers.len() == 1 {
            return messages::waiting(about, &limit, message);
        }
        let mut others = self.servers.iter().filter(|it| it.name != server.name);
        let moves = others.any(|other| !other.troubles.keep_off(Some(model)));
        messages::one_of_several(&server.name, about, moves, &limit, message)
    }

    /// Lets everybody know that a server is there, and tells the user if it was thought to be away for so long.
    pub(super) fn recovered(&self, server: &Server, away: Option<Duration>) {
        self.changed.notify_waiters();
        if let Some(away) = away {
            (self.rules.tell)(&messages::answers_again(self.called(server), away));
        }
    }

    /// A model's own trouble, with what the user can do about it.
    pub(super) fn refusal(&self, server: &Server, model: &str, error: CallError) -> CallError {
        let hopeless = messages::hopeless(self.called(server), model, &error);
        CallError::new(error.fault, hopeless.unwrap_or(error.message))
    }

    /// Tells once what a server does not offer.
    pub(super) fn tell_what_lacks(&self, server: &Server, error: &CallError) {
        if error.fault == Fault::Unsupported && server.newly_lacks(&error.message) {
            (self.rules.tell)(&messages::goes_without(&error.message));
        }
    }

    /// Waits a moment for files to be closed, or for memory; that it is so is told once.
    pub(super) async fn short_of_files(&self, error: &CallError) -> Result<(), NoReply> {
        if !self.told_of_shortage.swap(true, Ordering::Relaxed) {
            (self.rules.tell)(&messages::short_of_files(&error.message));
        }
        self.pause(Instant::now() + SHORT_PAUSE, self.changed.notified())
            .await
    }
}
