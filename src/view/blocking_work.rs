//! Work that waits for the disk, on threads of its own: so much of it at a time, whoever asks for it. A turn lasts until the work
//! is done, not until nobody waits for it any more: who asks and goes away again would take all threads otherwise.

use tokio::sync::Semaphore;

/// Answers that are made at a time.
const ANSWERS: usize = 4;
/// Files that are looked at for streams at a time.
const LOOKS: usize = 2;

/// The turns of those who ask.
static ASKED: Semaphore = Semaphore::const_new(ANSWERS);
/// The turns of what goes on by itself: nobody who asks holds it up.
static WATCHED: Semaphore = Semaphore::const_new(LOOKS);

/// Does what someone asks for and what waits for the disk.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    in_turn(&ASKED, work).await
}

/// The same for looks at files that are watched.
pub(super) async fn look_aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    in_turn(&WATCHED, work).await
}

async fn in_turn<T: Send + 'static>(
    turns: &'static Semaphore,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let turn = turns.acquire().await.ok()?;
    let done = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work()
    });
    done.await.ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;
    use crate::shared::Shared;

    #[tokio::test]
    async fn l3_work_that_nobody_waits_for_any_more_still_counts() {
        static TURNS: Semaphore = Semaphore::const_new(2);
        let (begun, begins) = channel();
        let (go, gate) = channel::<()>();
        let gate = Arc::new(Shared::new(gate));
        let ask = || {
            let (begun, gate) = (begun.clone(), Arc::clone(&gate));
            let work = move || {
                let _ = begun.send(());
                let _ = gate.lock().recv();
            };
            // Who asks goes away at once.
            tokio::time::timeout(Duration::ZERO, in_turn(&TURNS, work))
        };
        for _ in 0..20 {
            let _ = ask().await;
        }
        let within = Duration::from_secs(60);
        assert!(begins.recv_timeout(within).is_ok() && begins.recv_timeout(within).is_ok());
        assert_eq!(TURNS.available_permits(), 0);
        drop(go);
        assert!(in_turn(&TURNS, || ()).await.is_some());
        assert!(begins.try_recv().is_err(), "18 never had a turn");
    }
}
