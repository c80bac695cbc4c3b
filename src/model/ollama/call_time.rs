//! How long a call takes by our own clocks.

use std::time::{Duration, Instant, SystemTime};

/// When a call began.
pub(super) struct CallTime {
    steady: Instant,
    /// It goes on while this machine sleeps and the server does not.
    wall: SystemTime,
}

impl CallTime {
    pub(super) fn begin() -> Self {
        Self { steady: Instant::now(), wall: SystemTime::now() }
    }

    /// The longer of both: the wall clock may be set back.
    pub(super) fn elapsed(&self) -> Duration {
        let wall = self.wall.elapsed().unwrap_or_default();
        self.steady.elapsed().max(wall)
    }
}
