//! What became of one request that needed a model.

use std::time::Duration;

/// How the machine served one request for a model. Times are the machine's, counted from the server's start.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Served {
    /// The `n` of its [`Call`](crate::Call).
    pub call: usize,
    /// The model with its tag.
    pub model: String,
    /// When it came.
    pub arrived: Duration,
    /// When a runner of its model was ready.
    pub granted: Option<Duration>,
    /// When it got a slot; a request that only loads gets none.
    pub started: Option<Duration>,
    /// Its place among all that got a slot, from 0.
    pub turn: Option<usize>,
    /// It loaded its model itself.
    pub loaded: bool,
    /// The models it had unloaded to make room, or its own to be loaded anew.
    pub evicted: Vec<String>,
    /// Prompt tokens that its slot held already.
    pub prompt_reused: u64,
    /// Prompt tokens that were read.
    pub prompt_new: u64,
    /// Reply tokens.
    pub replied: u64,
}

impl Served {
    /// How long it waited for its model and a slot.
    pub fn waited(&self) -> Option<Duration> {
        let ready = self.started.or(self.granted)?;
        Some(ready.saturating_sub(self.arrived))
    }
}
