//! Stopping: the first request finishes the calls in flight, the second waits for nothing.

use futures_util::future::select_all;
use tokio::sync::watch;

/// A request to stop that everything in a run can see.
#[derive(Debug, Clone)]
pub struct Stop {
    level: watch::Sender<u8>,
    /// Those of what it is a part of.
    above: Vec<watch::Sender<u8>>,
}

impl Default for Stop {
    fn default() -> Self {
        Self {
            level: watch::Sender::new(0),
            above: Vec::new(),
        }
    }
}

impl Stop {
    /// The stop of a part, which is also asked to stop with the whole.
    pub fn of_part(&self) -> Self {
        Self {
            above: self.levels().cloned().collect(),
            ..Self::default()
        }
    }

    /// Asks to stop; a second time, to stop now.
    pub fn request(&self) {
        self.level
            .send_modify(|level| *level = level.saturating_add(1));
    }

    /// Whether a stop was asked for.
    pub fn is_requested(&self) -> bool {
        self.levels().any(|level| *level.borrow() > 0)
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
        let each = self.levels().map(|level| {
            let mut level = level.subscribe();
            // The senders live as long as `self`, so waiting cannot fail.
            Box::pin(async move { level.wait_for(|level| *level >= wanted).await.is_ok() })
        });
        select_all(each).await;
    }

    fn levels(&self) -> impl Iterator<Item = &watch::Sender<u8>> {
        std::iter::once(&self.level).chain(&self.above)
    }
}
