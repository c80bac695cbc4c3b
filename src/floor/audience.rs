//! The audience as the floor sees it, and the names of its externals.

use futures_util::future::BoxFuture;

use super::halt::Result;
use crate::event::{Tally, VoteWindow};

/// The people who may vote on a debate. A vote that is answered "counted" is counted, exactly once.
pub trait Audience: Send + Sync {
    /// The number of people present.
    fn present(&self) -> u32;

    /// Opens the vote. A window that is already open stays as it is, with its ballots.
    fn open<'a>(&'a self, window: &'a VoteWindow) -> BoxFuture<'a, Result<()>>;

    /// Waits for the end of the window and counts. From then on, no vote is answered "counted".
    fn close<'a>(&'a self, window: &'a VoteWindow) -> BoxFuture<'a, Result<Tally>>;

    /// Drops the window's ballots, whose count is in the journal.
    fn clear(&self, window: &VoteWindow);
}

/// The external that records a window's opening, by the one that records its count; `None` for any other external.
pub fn opening_of(counted: &str) -> Option<String> {
    counted.ends_with(COUNTED).then(|| opened(counted))
}

/// The ending of the names of externals that record a count.
const COUNTED: &str = "/audience";

pub(super) fn opened(counted: &str) -> String {
    format!("{counted}/opened")
}

/// The external that records the count of a round.
pub(super) fn counted(round: u32) -> String {
    format!("round-{round}{COUNTED}")
}
