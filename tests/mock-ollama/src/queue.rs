//! Waiting in a queue, and telling that one stands in it.

use std::pin::pin;

/// What `wait` gives; `queued` is called first, when `wait` has it or has its place in the queue.
pub(crate) async fn queue<T>(wait: impl Future<Output = T>, queued: impl FnOnce()) -> T {
    let mut wait = pin!(wait);
    // Asked once, it takes its place.
    let had = tokio::select! {
        biased;
        had = &mut wait => Some(had),
        () = async {} => None,
    };
    queued();
    match had {
        Some(had) => had,
        None => wait.await,
    }
}
