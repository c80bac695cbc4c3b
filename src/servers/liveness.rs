//! When a server last showed that it is there. A reply may be silent for long while the model loads or reads; the server
//! behind it answers all the same.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// A server from which nothing has come for so long is asked whether it is there.
const SILENCE: Duration = Duration::from_millis(750);

/// What is known of a server's presence.
#[derive(Debug)]
pub(super) struct Sight {
    times: Mutex<Times>,
    losses: AtomicU64,
}

#[derive(Debug)]
struct Times {
    seen: Instant,
    /// When it is asked, if it says nothing until then.
    ask_at: Instant,
}

impl Sight {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        let times = Times {
            seen: now,
            ask_at: now,
        };
        Self {
            times: Mutex::new(times),
            losses: AtomicU64::new(0),
        }
    }

    /// It said something, or is only now asked.
    pub(super) fn seen(&self) {
        let now = Instant::now();
        *self.times() = Times {
            seen: now,
            ask_at: now + SILENCE,
        };
    }

    /// Returns after a silence, to one of those who wait at a time: who hears of it asks the server.
    pub(super) async fn silence(&self) {
        loop {
            let at = self.times().ask_at;
            sleep_until(at).await;
            let now = Instant::now();
            let mut times = self.times();
            if times.ask_at <= now {
                times.ask_at = now + 2 * SILENCE;
                return;
            }
        }
    }

    /// Whether it has said something since it was asked.
    pub(super) fn was_seen_since(&self, asked: Instant) -> bool {
        self.times().seen > asked
    }

    /// It was not there, or not as a server.
    pub(super) fn lost(&self) {
        self.losses.fetch_add(1, Ordering::SeqCst);
    }

    /// How often that was so: who sees the number change has lived through an outage.
    pub(super) fn losses(&self) -> u64 {
        self.losses.load(Ordering::SeqCst)
    }

    fn times(&self) -> MutexGuard<'_, Times> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
