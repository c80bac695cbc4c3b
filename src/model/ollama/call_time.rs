//! How long a call takes by our own clocks, and when it is answered.

use std::time::{Duration, Instant, SystemTime};

use chrono::{DateTime, Utc};

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

/// When an answer came that has no date of its own.
pub(super) fn date() -> DateTime<Utc> {
    SystemTime::now().into()
}
