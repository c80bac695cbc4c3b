//! Stopping: the first request finishes the calls in flight, the second waits for nothing.

use futures_util::future::select_all;
use tokio::sync::watch;

/// Ctrl-C, the end of a service, or a closed terminal.
pub const INTERRUPT: &str = "an interrupt";
/// A request from another process.
pub const REQUEST: &str = "`rebut stop`";
/// A limit that the user has set for the run, by the time of day.
pub const UNTIL: &str = "--until";
/// The same, in time.
pub const MAX_TIME: &str = "--max-time";
/// The same, in tokens.
pub const MAX_TOKENS: &str = "--max-tokens";

/// A request to stop that everything in a run can see.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    level: watch::Sender<Level>,
    /// Those of what it is a part of.
    above: Vec<watch::Sender<Level>>,
}

/// How often a stop was asked for, and by what first.
#[derive(Debug, Clone, Copy, Default)]
struct Level {
    requests: u8,
    by: Option<&'static str>,
}

impl Stop {
    /// The stop of a part, which is also asked to stop with the whole.
    pub fn of_part(&self) -> Self {
        Self { above: self.levels().cloned().collect(), ..Self::default() }
    }

    /// Asks to stop; a second time, to stop now. `by` is what asks, in words.
    pub fn request(&self, by: &'static str) {
        self.level.send_modify(|level| {
            level.requests = level.requests.saturating_add(1);
            level.by.get_or_insert(by);
        });
    }

    /// Asks to stop, unless that was asked for before.
    pub fn request_once(&self, by: &'static str) {
        self.level.send_if_modified(|level| {
            let is_first = level.requests == 0;
            if is_first {
                *level = Level { requests: 1, by: Some(by) };
            }
            is_first
        });
    }

    /// Whether a stop was asked for.
    pub fn is_requested(&self) -> bool {
        self.by().is_some()
    }

    /// What asked for a stop, in words; `None` if nothing did.
    pub fn by(&self) -> Option<&'static str> {
        self.levels().find_map(|level| level.borrow().by)
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
            Box::pin(async move { level.wait_for(|level| level.requests >= wanted).await.is_ok() })
        });
        select_all(each).await;
    }

    fn levels(&self) -> impl Iterator<Item = &watch::Sender<Level>> {
        std::iter::once(&self.level).chain(&self.above)
    }
}
