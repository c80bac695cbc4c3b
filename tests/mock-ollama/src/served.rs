//! What became of one request that needed a model.

use std::time::Duration;

/// How the machine served one request for a model. Times are the machine's, counted from the server's start.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Served {
    /// The `n` of its [`Call`](crate::Call).
    pub call: usize,
    /// What it asked for: `chat`, `embed`, or `load` without messages.
    pub kind: &'static str,
    /// The model with its tag.
    pub model: String,
    /// The seed in its options.
    pub seed: Option<i64>,
    /// When it came.
    pub arrived: Duration,
    /// It stood in the queue of those whose models are not loaded, or not as they need them.
    pub queued: bool,
    /// The models it had unloaded, or marked to go when idle: to make room, or its own to be loaded anew.
    pub evicted: Vec<String>,
    /// It began to load its model itself; without `granted` it never had it loaded.
    pub loaded: bool,
    /// When it began to.
    pub load_began: Option<Duration>,
    /// When a runner of its model was ready. From then on it stands in the queue of that runner's slots.
    pub granted: Option<Duration>,
    /// When it got a slot; a request that only loads gets none.
    pub started: Option<Duration>,
    /// Its place among all that got a slot, from 0.
    pub turn: Option<usize>,
    /// The number of its slot, from 0.
    pub slot: Option<usize>,
    /// The part of its prompt, from 0 to 1, that its slot held already.
    pub prompt_held: f64,
    /// Prompt tokens that its slot held already.
    pub prompt_reused: u64,
    /// Prompt tokens that were read.
    pub prompt_new: u64,
    /// Reply tokens.
    pub replied: u64,
    /// When it gave its slot and its runner back.
    pub ended: Option<Duration>,
    /// It ended with a good answer rather than with a fault or because the client left.
    pub completed: bool,
}

impl Served {
    /// How long it waited for its model and a slot.
    pub fn waited(&self) -> Option<Duration> {
        let ready = self.started.or(self.granted)?;
        Some(ready.saturating_sub(self.arrived))
    }
}
