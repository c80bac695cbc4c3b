//! Stopping: the first request finishes the calls in flight, the second waits for nothing.

use tokio::sync::watch;

/// A request to stop that everything in a run can see.
#[derive(Debug, Clone)]
pub struct Stop {
    level: watch::Sender<u8>,
}

impl Default for Stop {
    fn default() -> Self {
        Self {
            level: watch::Sender::new(0),
        }
    }
}

impl Stop {
    /// Asks to stop; a second time, to stop now.
    pub fn request(&self) {
        self.level
            .send_modify(|level| *level = level.saturating_add(1));
    }

    /// Whether a stop was asked for.
    pub fn is_requested(&self) -> bool {
        *self.level.borrow() > 0
    }

    /// Returns when a stop is asked for.
    pub async fn requested(&self) {
        self.reaches(1).await;
    }

    /// Returns when a stop is asked for twice.
    pub async fn insisted(&self) {
        self.reaches(2).await;
    }

    async fn reaches(&self, wanted: u8) {
        let mut level = self.level.subscribe();
        // The sender lives as long as `self`, so waiting cannot fail.
        let _ = level.wait_for(|level| *level >= wanted).await;
    }
}
