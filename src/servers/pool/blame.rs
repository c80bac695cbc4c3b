//! Whose failure a failed attempt is: the call's, or its server's that fails others too.

use std::time::Duration;

use tokio::time::Instant;

use super::super::breaker::{Scope, SeenBy};
use super::super::pooled_server::Blame;
use super::super::routing::{self, Call};
use super::super::streaks::CallFailures;
use super::ServerPool;
use crate::model::{CallError, NoReply};

/// How long a failed call waits at most for calls of other debates to show whose failure it is.
const PATIENCE: Duration = Duration::from_secs(30);
/// Pause before it checks again whether there are such calls.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

impl ServerPool {
    /// Notes a failed call among those in a row. This comes before its turn ends, so that another failed call sees it under way
    /// or failed.
    pub(super) fn note_failure(&self, call: Call<'_>, at: usize, error: &CallError) {
        if let Some(past) = suspect(call, error) {
            let streaks = &self.servers[at].streaks;
            past.note(at, streaks.failed(call.model, call.debate, &past.call));
            self.changed.notify_waiters();
        }
    }

    /// Takes a failed call from those in a row, because it was an outage.
    pub(super) fn forgive(&self, call: Call<'_>, at: usize) {
        if let Some(past) = call.past {
            let streaks = &self.servers[at].streaks;
            streaks.forgive(call.model, call.debate, &past.call);
        }
    }

    /// Whose failure it is that a server did not answer a call; the server's opens its circuit for the model.
    pub(super) async fn blame(
        &self,
        call: Call<'_>,
        at: usize,
        error: &CallError,
    ) -> Result<Blame, NoReply> {
        let server = &self.servers[at];
        let Some(past) = suspect(call, error) else { return Ok(Blame::Call) };
        let last = past.last();
        if !self.fails_others(call, at, last.replies).await? {
            return Ok(Blame::Call);
        }
        let scope = Scope::Model(call.model.to_owned());
        self.trip(server, call.model, scope, error, SeenBy::Call);
        Ok(if last.is_excused { Blame::Server } else { Blame::Both })
    }

    /// Whether a server fails the calls to a model, whatever is asked. If no other server can take them, that needs calls of
    /// several debates, and those under way are waited for; `replies` are those before the failure.
    async fn fails_others(&self, call: Call<'_>, at: usize, replies: u64) -> Result<bool, NoReply> {
        let streaks = &self.servers[at].streaks;
        let patience = Instant::now() + PATIENCE;
        loop {
            let changed = self.changed.notified();
            if streaks.replies(call.model) > replies {
                return Ok(false);
            }
            if routing::others_open_to(&self.servers, call, at) {
                return Ok(streaks.has_failed_calls(call.model));
            }
            if streaks.has_failed_debates(call.model) {
                return Ok(true);
            }
            if Instant::now() >= patience || !self.others_ask(call, at) {
                return Ok(false);
            }
            let look_again = patience.min(Instant::now() + LOOK_AGAIN);
            self.pause(call, look_again, changed).await?;
        }
    }

    fn others_ask(&self, call: Call<'_>, at: usize) -> bool {
        self.turns.ask(|scheduler, _| scheduler.others_ask(call.debate, call.model, at))
    }

    /// Whether calls to a model are in flight on a server.
    pub(super) fn runs_model_at(&self, model: &str, at: usize) -> bool {
        self.turns.ask(|scheduler, _| scheduler.is_running(model, at))
    }
}

/// The failures of a call whose failure may be its server's.
fn suspect<'c>(call: Call<'c>, error: &CallError) -> Option<&'c CallFailures> {
    call.past.filter(|_| error.fault.is_transport())
}
