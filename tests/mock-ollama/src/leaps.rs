//! A clock that stands while a client may be at work, and otherwise leaps to the next moment that anybody waits for.
//!
//! A client whose own clock does not matter gets the times of a long night within seconds, whatever else its machine does.

use crate::log::lock;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How often is looked whether it is time.
const LOOK: Duration = Duration::from_micros(200);

/// How long nothing must have happened though all wait: one who was woken may not run yet.
const SETTLED: Duration = Duration::from_millis(1);

/// When the clock leaps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeapsAfter {
    /// So many requests in flight are all that the client has: then at once.
    pub(crate) in_flight: usize,
    /// Otherwise when nothing has happened for so long.
    pub(crate) quiet: Duration,
}

pub(crate) struct Leaps {
    after: LeapsAfter,
    state: Mutex<State>,
}

struct State {
    now: u64,
    in_flight: usize,
    /// Those in flight that wait for nothing.
    at_work: isize,
    stirred: Instant,
    /// By time, then in the order in which they came.
    waiting: BTreeMap<(u64, u64), oneshot::Sender<()>>,
    waits: u64,
}

/// One who waits, forgotten when dropped.
struct Wait<'a> {
    leaps: &'a Leaps,
    key: (u64, u64),
}

impl Leaps {
    pub(crate) fn new(after: LeapsAfter) -> Arc<Self> {
        let leaps = Arc::new(Self {
            after,
            state: Mutex::new(State {
                now: 0,
                in_flight: 0,
                at_work: 0,
                stirred: Instant::now(),
                waiting: BTreeMap::new(),
                waits: 0,
            }),
        });
        let weak = Arc::downgrade(&leaps);
        thread::spawn(move || look(&weak));
        leaps
    }

    pub(crate) fn now(&self) -> u64 {
        lock(&self.state).now
    }

    /// Tells of a request that begins.
    pub(crate) fn begin(&self) {
        let mut state = lock(&self.state);
        state.in_flight += 1;
        state.work(1);
    }

    /// Tells of a request that ends.
    pub(crate) fn end(&self) {
        let mut state = lock(&self.state);
        state.in_flight -= 1;
        state.work(-1);
    }

    /// Tells of a request that waits, or waits no longer, for something else than a time.
    pub(crate) fn wait(&self, waits: bool) {
        lock(&self.state).work(if waits { -1 } else { 1 });
    }

    pub(crate) async fn until(&self, ns: u64) {
        let (wake, woken) = oneshot::channel();
        let key = {
            let mut state = lock(&self.state);
            if ns <= state.now {
                return;
            }
            state.waits += 1;
            state.work(-1);
            let key = (ns, state.waits);
            state.waiting.insert(key, wake);
            key
        };
        let _wait = Wait { leaps: self, key };
        woken.await.ok();
    }

    /// Leaps if it is time to.
    fn leap(&self) {
        let mut state = lock(&self.state);
        let full = state.in_flight >= self.after.in_flight.max(1);
        let patience = if full { SETTLED } else { self.after.quiet };
        if state.at_work > 0 || state.stirred.elapsed() < patience {
            return;
        }
        if let Some(((ns, _), wake)) = state.waiting.pop_first() {
            state.now = state.now.max(ns);
            state.work(1);
            wake.send(()).ok();
        }
    }
}

impl State {
    fn work(&mut self, change: isize) {
        self.at_work += change;
        self.stirred = Instant::now();
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.leaps.state);
        if state.waiting.remove(&self.key).is_some() {
            state.work(1);
        }
    }
}

/// Looks again and again whether to leap, until the clock is gone.
fn look(leaps: &Weak<Leaps>) {
    while let Some(leaps) = leaps.upgrade() {
        leaps.leap();
        drop(leaps);
        thread::sleep(LOOK);
    }
}
