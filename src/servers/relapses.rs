//! Failures that come back soon after their end. A server that fails calls of one kind only answers the next call of another
//! kind, and so on all night: its pauses must not begin anew each time, nor must the user be told each time.

use std::time::Duration;

use tokio::time::Instant;

/// A failure that comes back within this time of its end counts as the same.
const SAME: Duration = Duration::from_secs(600);
/// Each time it stays away for this long halves its pause.
const HALVES: Duration = Duration::from_secs(60);
/// So many times are told one by one; from then on only each doubling is.
const TOLD_SINGLY: u32 = 3;

/// How often a failure came, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) count: u32,
    pub(super) since: Instant,
}

impl Times {
    /// Whether the user is told of it this time.
    pub(super) fn are_news(self) -> bool {
        self.count <= TOLD_SINGLY || self.count.is_power_of_two()
    }

    /// At how many times the user is told again, once that is not each time.
    pub(super) fn next_told(self) -> Option<u32> {
        let next = self.count.saturating_add(1).checked_next_power_of_two();
        (self.count > TOLD_SINGLY).then(|| next.unwrap_or(u32::MAX))
    }
}

/// A failure that is over.
#[derive(Debug)]
pub(super) struct PastFailure {
    times: Times,
    /// The next pause, had it gone on.
    pause: Duration,
    ended: Instant,
}

impl PastFailure {
    pub(super) fn new(times: Times, pause: Duration) -> Self {
        Self { times, pause, ended: Instant::now() }
    }

    /// How long the first pause is if it comes back after this time.
    fn pause_after(&self, away: Duration) -> Duration {
        let halvings = away.as_secs() / HALVES.as_secs();
        self.pause / 2_u32.pow(u32::try_from(halvings).unwrap_or_default())
    }
}

/// How often a failure that begins now has come, and its first pause, which is `shortest` unless it comes back.
pub(super) fn begin(past: Option<PastFailure>, shortest: Duration) -> (Times, Duration) {
    let now = Instant::now();
    let Some(past) = past.filter(|it| now < it.ended + SAME) else {
        let (count, since) = (1, now);
        return (Times { count, since }, shortest);
    };
    let count = past.times.count.saturating_add(1);
    let since = past.times.since;
    let pause = past.pause_after(now - past.ended);
    (Times { count, since }, pause.max(shortest))
}
