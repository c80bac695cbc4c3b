//! Limits on how long something of a server may take, kept fairly: while this process is held up itself – it was stopped,
//! or the machine is busy – an answer may come and lie unread.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use tokio::time::timeout;

/// In how many parts a limit is waited. Whatever holds this process up takes one of them: in the others it reads what has
/// come meanwhile.
const PARTS: u32 = 10;

/// What comes within the limit, if it does.
pub(crate) async fn within<F: Future>(limit: Duration, coming: F) -> Option<F::Output> {
    let mut coming = pin!(coming);
    for _ in 0..PARTS {
        if let Ok(come) = timeout(limit / PARTS, &mut coming).await {
            return Some(come);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use tokio::time::{Instant, advance};

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
    async fn what_does_not_come_is_waited_for_as_long_as_the_limit() {
        let began = Instant::now();
        assert_eq!(within(SECOND, std::future::pending::<()>()).await, None);
        assert_eq!(began.elapsed(), SECOND);
    }
}
