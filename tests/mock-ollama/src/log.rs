//! The log of all calls and of what became of them, and waiting on it.

use crate::call::Naming;
use crate::clock::Clock;
use crate::written::Written;
use crate::{Call, Served, http::Request};
use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// For what comes within seconds, and within minutes where other work has most of the machine.
const PATIENCE: Duration = Duration::from_secs(300);

pub(crate) struct Log {
    entries: Mutex<Entries>,
    changed: Condvar,
    /// Otherwise calls are counted and forgotten.
    keeps: bool,
    /// Where what became of each is written, too.
    written: Option<Written>,
    clock: Clock,
    pub(crate) naming: Mutex<Naming>,
}

/// What is noted about one request that needs a model. It ends when this is dropped.
pub(crate) struct Notes<'a> {
    log: &'a Log,
    place: usize,
    served: Mutex<Served>,
    texts: Mutex<Texts>,
}

/// What a model read and wrote; empty where nobody wants to know.
#[derive(Default)]
pub(crate) struct Texts {
    pub(crate) prompt: String,
    pub(crate) reply: String,
}

#[derive(Default)]
struct Entries {
    count: usize,
    calls: Vec<Call>,
    served: Vec<Served>,
    /// How many got a slot.
    turns: usize,
    /// How often each path was sent each body.
    attempts: HashMap<(String, Vec<u8>), usize>,
}

impl Log {
    pub(crate) fn new(keeps: bool, written: Option<Written>, clock: Clock) -> Self {
        Self {
            entries: Mutex::default(),
            changed: Condvar::new(),
            keeps,
            written,
            clock,
            naming: Mutex::default(),
        }
    }

    pub(crate) fn push(&self, request: Request) -> Call {
        let naming = lock(&self.naming).clone();
        let mut entries = lock(&self.entries);
        let n = entries.count;
        entries.count += 1;
        if !self.keeps {
            return Call::new(n, 1, request, naming);
        }
        let key = (request.path.clone(), request.body.clone());
        let attempt = entries.attempts.entry(key).or_default();
        *attempt += 1;
        let call = Call::new(n, *attempt, request, naming);
        entries.calls.push(call.clone());
        self.changed.notify_all();
        call
    }

    pub(crate) fn update(&self, n: usize, change: impl FnOnce(&mut Call)) {
        self.change(|entries| entries.calls.get_mut(n).map(change));
    }

    /// Whether anybody wants to know what models read and wrote.
    pub(crate) fn wants_texts(&self) -> bool {
        self.written.is_some()
    }

    /// Begins the notes about a request.
    pub(crate) fn arrive(&self, served: Served) -> Notes<'_> {
        let mut place = 0;
        self.change(|entries| {
            place = entries.served.len();
            entries.served.push(served.clone());
            Some(())
        });
        Notes { log: self, place, served: Mutex::new(served), texts: Mutex::default() }
    }

    fn change(&self, change: impl FnOnce(&mut Entries) -> Option<()>) {
        if self.keeps && change(&mut lock(&self.entries)).is_some() {
            self.changed.notify_all();
        }
    }

    pub(crate) fn served(&self) -> Vec<Served> {
        lock(&self.entries).served.clone()
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        lock(&self.entries).calls.clone()
    }

    /// Blocks until `condition` holds; panics with the log when patience ends.
    pub(crate) fn wait_until(&self, condition: impl Fn(&[Call], &[Served]) -> bool) {
        let unmet = |entries: &mut Entries| !condition(&entries.calls, &entries.served);
        let waited = self.changed.wait_timeout_while(lock(&self.entries), PATIENCE, unmet);
        let (entries, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        assert!(
            !timeout.timed_out(),
            "not within {PATIENCE:?}; the log:\n{}{:#?}",
            list(&entries.calls),
            entries.served
        );
    }
}

impl Notes<'_> {
    pub(crate) fn note(&self, change: impl FnOnce(&mut Served)) {
        let mut served = lock(&self.served);
        change(&mut served);
        self.log.change(|entries| {
            entries.served.get_mut(self.place)?.clone_from(&served);
            Some(())
        });
    }

    /// Keeps what the model reads and writes.
    pub(crate) fn keep(&self, texts: Texts) {
        *lock(&self.texts) = texts;
    }

    /// Notes that it has got its slot.
    pub(crate) fn start(&self, change: impl FnOnce(&mut Served)) {
        let mut turn = None;
        self.log.change(|entries| {
            turn = Some(entries.turns);
            entries.turns += 1;
            Some(())
        });
        self.note(|served| {
            served.turn = turn;
            change(served);
        });
    }
}

impl Drop for Notes<'_> {
    fn drop(&mut self) {
        let now = self.log.clock.now();
        self.note(|served| served.ended = Some(Duration::from_nanos(now)));
        if let Some(written) = &self.log.written {
            written.add(&lock(&self.served), &lock(&self.texts));
        }
    }
}

/// Locks also after a panic elsewhere: no holder leaves the data half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn list(calls: &[Call]) -> String {
    let line = |call: &Call| {
        let Call { n, method, path, completed, client_left, .. } = call;
        let last: String = call.last_message().chars().take(80).collect();
        let model = call.model();
        format!(
            "{n} {method} {path} {model} completed={completed} client_left={client_left} {last:?}\n"
        )
    };
    calls.iter().map(line).collect()
}
