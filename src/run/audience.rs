//! The audience of a running debate. Its ballots are files, and its clock is this run's.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::task::spawn_blocking;

use crate::clock::Clock;
use crate::event::{Tally, VoteWindow};
use crate::files::FileError;
use crate::floor::{Audience, Halt, Result};
use crate::id::DebateId;
use crate::stop::Stop;
use crate::store::audience_ballots::{self, Ballots};
use crate::store::layout::OutputDir;
use crate::store::live::ShortId;

/// The people who vote on a debate in `rebut view`.
pub(super) struct Viewers {
    output: OutputDir,
    id: ShortId,
    clock: Clock,
    stop: Stop,
}

impl Viewers {
    /// The audience of a debate, until the debate is asked to stop.
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

    /// Runs work that waits for the disk or for a viewer's lock on a thread of its own.
    async fn aside<T: Send + 'static>(
        &self,
        window: &VoteWindow,
        work: impl FnOnce(&Ballots, &VoteWindow) -> Result<T, FileError> + Send + 'static,
    ) -> Result<T> {
        let (ballots, window) = (self.ballots(window), window.clone());
        let done = spawn_blocking(move || work(&ballots, &window)).await;
        Ok(done.map_err(|e| Halt::Parked(format!("the audience's ballots: {e}")))??)
    }

    /// Waits for the end of the window.
    async fn wait(&self, window: &VoteWindow) -> Result<()> {
        // A window is over if it ended in the past, or would only end in years because the clock was set back.
        let left = (window.closes_at - self.clock.now())
            .min(window.closes_at - window.opened_at)
            .to_std()
            .unwrap_or_default();
        tokio::select! {
            () = self.stop.requested() => Err(Halt::Stopped),
            () = tokio::time::sleep(left) => Ok(()),
        }
    }
}

impl Audience for Viewers {
    fn present(&self) -> u32 {
        audience_ballots::present(&self.output, &self.clock)
    }

    fn open<'a>(&'a self, window: &'a VoteWindow) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.aside(window, Ballots::open))
    }

    fn close<'a>(&'a self, window: &'a VoteWindow) -> BoxFuture<'a, Result<Tally>> {
        Box::pin(async move {
            self.wait(window).await?;
            self.aside(window, Ballots::close).await
        })
    }

    fn clear(&self, window: &VoteWindow) {
        self.ballots(window).clear();
    }
}
