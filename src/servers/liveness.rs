//! When a server was last known to be up. While a model loads or reads, its replies may be silent for long, but the server
//! still answers probes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::shared::Shared;

/// A server that has been silent for this long is probed.
const SILENCE: Duration = Duration::from_millis(750);

/// What is known about whether a server is up.
#[derive(Debug)]
pub(super) struct Liveness {
    times: Shared<Times>,
    losses: AtomicU64,
}

#[derive(Debug)]
struct Times {
    seen: Instant,
    /// When to probe it if it stays silent.
    probe_at: Instant,
}

impl Liveness {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        let times = Times { seen: now, probe_at: now };
        Self { times: Shared::new(times), losses: AtomicU64::new(0) }
    }

    /// The server sent something, or is only now being asked.
    pub(super) fn mark_seen(&self) {
        let now = Instant::now();
        *self.times.lock() = Times { seen: now, probe_at: now + SILENCE };
    }

    /// Returns after a silence, to one waiter at a time, who then probes the server.
    pub(super) async fn silence(&self) {
        loop {
            let at = self.times.lock().probe_at;
            sleep_until(at).await;
            let now = Instant::now();
            let mut times = self.times.lock();
            if times.probe_at <= now {
                times.probe_at = now + 2 * SILENCE;
                return;
            }
        }
    }

    /// Whether the server has sent something since `time`.
    pub(super) fn was_seen_since(&self, time: Instant) -> bool {
        self.times.lock().seen > time
    }

    /// Counts an outage.
    pub(super) fn mark_lost(&self) {
        self.losses.fetch_add(1, Ordering::SeqCst);
    }

    /// Outages so far. A caller that sees the number change has lived through one.
    pub(super) fn losses(&self) -> u64 {
        self.losses.load(Ordering::SeqCst)
    }
}
