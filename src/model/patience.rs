//! Limits on how long something of a server may take, kept fairly: while this process is held up itself – it was stopped,
//! or the machine is busy – an answer may come and lie unread.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, timeout};

/// In how many parts a limit is waited. A part in which this process was held up does not count: the next one reads what has
/// come meanwhile.
const PARTS: u32 = 10;

/// What comes within the limit, if it does. On a machine where every part is held up it ends after twice as many.
pub(crate) async fn within<F: Future>(limit: Duration, coming: F) -> Option<F::Output> {
    let mut coming = pin!(coming);
    let part = limit / PARTS;
    let mut counted = 0;
    for _ in 0..2 * PARTS {
        let began = Instant::now();
        if let Ok(come) = timeout(part, &mut coming).await {
            return Some(come);
        }
        counted += u32::from(began.elapsed() < 2 * part);
        if counted == PARTS {
            break;
        }
    }
    None
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
        assert_eq!(within(SECOND, stopped_for_long).await, Some("it came"));
    }

    #[tokio::test(start_paused = true)]
    async fn so_it_is_just_before_the_limit() {
        let stopped_at_the_end = async {
            sleep(SECOND - SECOND / 20).await;
            advance(60 * SECOND).await;
            tokio::task::yield_now().await;
            "it came"
        };
        assert_eq!(within(SECOND, stopped_at_the_end).await, Some("it came"));
    }

    #[tokio::test(start_paused = true)]
    async fn what_does_not_come_is_waited_for_as_long_as_the_limit() {
        let began = Instant::now();
        assert_eq!(within(SECOND, std::future::pending::<()>()).await, None);
        assert_eq!(began.elapsed(), SECOND);
    }
}
