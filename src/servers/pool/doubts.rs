//! Failures that may be due to the request or to the server. A server gets fewer calls only if others answer what it fails.

use super::super::breaker::{Scope, SeenBy};
use super::super::routing::{self, Call};
use super::ServerPool;
use crate::model::CallError;

impl ServerPool {
    /// Notes such a failure of a call, so that it goes to another server next.
    pub(super) fn doubt(&self, call: Call<'_>, at: usize, error: &CallError) {
        if let Some(past) = call.past.filter(|_| routing::is_doubtful(error.fault)) {
            past.doubt(at, error);
            let streaks = &self.servers[at].streaks;
            streaks.doubt(call.model, call.debate, &past.call);
        }
    }

    /// Whether such a failure says nothing about the model on that server, because another one may do better.
    pub(super) fn is_in_doubt(&self, call: Call<'_>, at: usize, error: &CallError) -> bool {
        routing::is_doubtful(error.fault) && routing::others_open_to(&self.servers, call, at)
    }

    /// A call has a usable reply, so the servers that failed it before did so by their own fault; several such failures in a
    /// row open the circuit for the model.
    pub(super) fn blame_others(&self, call: Call<'_>) {
        let Some(past) = call.past else { return };
        for (at, error) in past.doubts() {
            let server = &self.servers[at];
            let did_worse = server.streaks.did_worse(call.model, call.debate, &past.call);
            if did_worse && routing::others_open_to(&self.servers, call, at) {
                let scope = Scope::Model(call.model.to_owned());
                self.trip(server, call.model, scope, &error, SeenBy::Call);
            }
        }
    }
}
