//! The audience of a running debate: its ballots are files, its clock is this run's.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::task::spawn_blocking;

use crate::clock::Clock;
use crate::event::{Tally, VoteWindow};
use crate::files::FileError;
use crate::floor::{Audience, Halt};
use crate::id::DebateId;
use crate::stop::Stop;
use crate::store::ballots::{self, Ballots};
use crate::store::layout::OutputDir;
use crate::store::live::ShortId;

/// Who votes on a debate in `rebut view`.
pub(super) struct Viewers {
    output: OutputDir,
    id: ShortId,
    clock: Clock,
    stop: Stop,
}

impl Viewers {
    /// Those of a debate, until it is to stop.
    pub(super) fn of(
        output: &OutputDir,
        id: &DebateId,
        clock: &Clock,
        stop: &Stop,
    ) -> Arc<dyn Audience> {
        Arc::new(Self {
            output: output.clone(),
            id: ShortId::of(id),
            clock: clock.clone(),
            stop: stop.clone(),
        })
    }

    fn ballots(&self, window: &VoteWindow) -> Ballots {
        Ballots::of(&self.output, &self.id, window.round)
    }

    /// Does what waits for the disk, or for a viewer's lock, on its own thread.
    async fn aside<T: Send + 'static>(
        &self,
        window: &VoteWindow,
        work: impl FnOnce(&Ballots, &VoteWindow) -> Result<T, FileError> + Send + 'static,
    ) -> Result<T, Halt> {
        let (ballots, window) = (self.ballots(window), window.clone());
        let done = spawn_blocking(move || work(&ballots, &window)).await;
        let broken = |e| Halt::Parked(format!("the audience's ballots: {e}"));
        done.map_err(|e| broken(e.to_string()))?
            .map_err(|e| broken(e.to_string()))
    }

    /// Waits for the window's end.
    async fn wait(&self, window: &VoteWindow) -> Result<(), Halt> {
        // One that ends in the past, and one that would end years from now because the clock was set back, is over.
        let left = (window.closes_at - self.clock.now()).min(window.closes_at - window.opened_at);
        let left = left.to_std().unwrap_or_default();
        tokio::select! {
            () = self.stop.requested() => Err(Halt::Stopped),
            () = tokio::time::sleep(left) => Ok(()),
        }
    }
}

impl Audience for Viewers {
    fn present(&self) -> u32 {
        ballots::present(&self.output, &self.clock)
    }

    fn open<'a>(&'a self, window: &'a VoteWindow) -> BoxFuture<'a, Result<(), Halt>> {
        Box::pin(self.aside(window, Ballots::open))
    }

    fn close<'a>(&'a self, window: &'a VoteWindow) -> BoxFuture<'a, Result<Tally, Halt>> {
        Box::pin(async move {
            self.wait(window).await?;
            self.aside(window, Ballots::close).await
        })
    }

    fn clear(&self, window: &VoteWindow) {
        self.ballots(window).clear();
    }
}
