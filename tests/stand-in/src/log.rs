//! The log of all calls, and waiting on it.

use crate::{Call, http::Request};
use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Default)]
pub(crate) struct Log {
    entries: Mutex<Entries>,
    changed: Condvar,
}

#[derive(Default)]
struct Entries {
    calls: Vec<Call>,
    /// How often each path was sent each body.
    attempts: HashMap<(String, Vec<u8>), usize>,
}

impl Log {
    pub(crate) fn push(&self, request: Request) -> Call {
        let mut entries = lock(&self.entries);
        let n = entries.calls.len();
        let key = (request.path.clone(), request.body.clone());
        let attempt = entries.attempts.entry(key).or_default();
        *attempt += 1;
        let call = Call::new(n, *attempt, request);
        entries.calls.push(call.clone());
        self.changed.notify_all();
        call
    }

    pub(crate) fn update(&self, n: usize, change: impl FnOnce(&mut Call)) {
        change(&mut lock(&self.entries).calls[n]);
        self.changed.notify_all();
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        lock(&self.entries).calls.clone()
    }

    /// Blocks until `condition` holds; panics with the log when patience ends.
    pub(crate) fn wait_until(&self, condition: impl Fn(&[Call]) -> bool) {
        let unmet = |entries: &mut Entries| !condition(&entries.calls);
        let waited = self
            .changed
            .wait_timeout_while(lock(&self.entries), PATIENCE, unmet);
        let (entries, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        assert!(
            !timeout.timed_out(),
            "not within {PATIENCE:?}; the log:\n{}",
            list(&entries.calls)
        );
    }
}

/// Locks also after a panic elsewhere: no holder leaves the data half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn list(calls: &[Call]) -> String {
    let line = |call: &Call| {
        let Call {
            n,
            method,
            path,
            completed,
            client_left,
            ..
        } = call;
        let last: String = call.last_message().chars().take(80).collect();
        let model = call.model();
        format!(
            "{n} {method} {path} {model} completed={completed} client_left={client_left} {last:?}\n"
        )
    };
    calls.iter().map(line).collect()
}
