//! The audience as a floor sees it, and the names of its readings.

use futures_util::future::BoxFuture;

use super::halt::Halt;
use crate::event::{Tally, VoteWindow};

/// The people who may vote on a debate. Whoever is answered "counted" is counted, and counted once.
pub trait Audience: Send + Sync {
    /// How many are there to vote.
    fn present(&self) -> u32;

    /// Lets them vote. A window that is open stays as it is, with its ballots.
    fn open<'a>(&'a self, window: &'a VoteWindow) -> BoxFuture<'a, Result<(), Halt>>;

    /// Waits for the window's end, and counts. From then on nobody is answered "counted".
    fn close<'a>(&'a self, window: &'a VoteWindow) -> BoxFuture<'a, Result<Tally, Halt>>;

    /// What was counted is in the journal: the ballots are needed no more.
    fn clear(&self, window: &VoteWindow);
}

/// The reading that began a window, by the one that says what was counted; `None` for any other reading.
pub fn opening_of(counted: &str) -> Option<String> {
    counted.ends_with(COUNTED).then(|| opened(counted))
}

/// How the names of readings end that say what was counted.
const COUNTED: &str = "/audience";

pub(super) fn opened(counted: &str) -> String {
    format!("{counted}/opened")
}

/// The reading that says what was counted.
pub(super) fn counted(round: u32) -> String {
    format!("round-{round}{COUNTED}")
}
