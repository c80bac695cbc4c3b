//! Timeouts that tolerate our own stalls: while this process is stopped, or the machine is busy, an answer may arrive and lie
//! unread. That time must not count against the server.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, timeout};

/// The parts in which a limit is waited. A part in which this process stalled counts half: the next one reads what arrived
/// in the meantime, and on a machine that stalls in every part the wait still ends, after twice as many.
const PARTS: u32 = 10;
/// The shortest part: timers are no finer.
const TICK: Duration = Duration::from_millis(1);

/// A limit on waiting, which may be spent on several things one after another.
#[derive(Debug, Clone)]
pub(crate) struct StallTolerantLimit {
    limit: Duration,
    spent: Duration,
}

impl StallTolerantLimit {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, spent: Duration::ZERO }
    }

    pub(crate) fn limit(&self) -> Duration {
        self.limit
    }

    /// The time waited, without this process's stalls.
    pub(crate) fn spent(&self) -> Duration {
        self.spent
    }

    /// The output of `coming`, if it arrives within what is left of the limit.
    pub(crate) async fn wait<F: Future>(&mut self, coming: F) -> Option<F::Output> {
        let mut coming = pin!(coming);
        let part = (self.limit / PARTS).max(TICK);
        loop {
            let began = Instant::now();
            let left = self.limit.saturating_sub(self.spent);
            let come = timeout(part.min(left), &mut coming).await.ok();
            self.spend(began.elapsed(), part);
            if come.is_some() || self.spent >= self.limit {
                return come;
            }
        }
    }

    /// Charges time spent reading what arrived: a server may send so fast that it is never waited for.
    pub(crate) fn worked(&mut self, took: Duration) {
        self.spent = self.spent.saturating_add(took);
    }

    /// Whether more than the limit is spent.
    pub(crate) fn is_over(&self) -> bool {
        self.spent > self.limit
    }

    fn spend(&mut self, waited: Duration, part: Duration) {
        let was_held_up = waited >= 2 * part;
        self.spent += if was_held_up { part / 2 } else { waited };
    }
}

/// The output of `coming`, if it arrives within the limit.
pub(crate) async fn stall_tolerant_timeout<F: Future>(
    limit: Duration,
    coming: F,
) -> Option<F::Output> {
    StallTolerantLimit::new(limit).wait(coming).await
}

#[cfg(test)]
mod tests {
    use tokio::time::{advance, sleep};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn what_came_while_the_process_was_held_up_is_taken() {
        let stopped_for_long = async {
            advance(60 * SECOND).await;
            tokio::task::yield_now().await;
            "it came"
        };
        assert_eq!(stall_tolerant_timeout(SECOND, stopped_for_long).await, Some("it came"));
    }

    #[tokio::test(start_paused = true)]
    async fn so_it_is_just_before_the_limit() {
        let stopped_at_the_end = async {
            sleep(SECOND - SECOND / 20).await;
            advance(60 * SECOND).await;
            tokio::task::yield_now().await;
            "it came"
        };
        assert_eq!(stall_tolerant_timeout(SECOND, stopped_at_the_end).await, Some("it came"));
    }

    #[tokio::test(start_paused = true)]
    async fn what_does_not_come_is_waited_for_as_long_as_the_limit() {
        let began = Instant::now();
        assert_eq!(stall_tolerant_timeout(SECOND, std::future::pending::<()>()).await, None);
        assert_eq!(began.elapsed(), SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_is_spent_on_all_that_comes() {
        let began = Instant::now();
        let mut limit = StallTolerantLimit::new(SECOND);
        for _ in 0..19 {
            assert!(limit.wait(sleep(SECOND / 20)).await.is_some());
        }
        assert_eq!(limit.wait(sleep(SECOND)).await, None);
        assert_eq!(began.elapsed(), SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_never_waited_for_uses_up_the_limit_too() {
        let mut limit = StallTolerantLimit::new(SECOND);
        for _ in 0..10 {
            assert_eq!(limit.wait(async { "at once" }).await, Some("at once"));
            limit.worked(SECOND / 10);
        }
        assert!(!limit.is_over());
        limit.worked(SECOND / 10);
        assert!(limit.is_over());
    }

    #[tokio::test(start_paused = true)]
    async fn a_machine_that_is_always_held_up_ends_its_wait_too() {
        let held_up = async {
            loop {
                advance(SECOND).await;
                tokio::task::yield_now().await;
            }
        };
        let held_up: std::pin::Pin<Box<dyn Future<Output = ()>>> = Box::pin(held_up);
        assert_eq!(stall_tolerant_timeout(SECOND, held_up).await, None);
        assert_eq!(
            stall_tolerant_timeout(Duration::ZERO, std::future::pending::<()>()).await,
            None
        );
    }
}
