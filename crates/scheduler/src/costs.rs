//! The cost of loads and calls, measured during the run.

use std::collections::BTreeMap;
use std::time::Duration;

use super::names::ModelName;

/// Weight of a new figure against the mean of the earlier ones.
const NEW: f64 = 0.2;
/// Assumed seconds per load before the first one.
const LOAD: f64 = 10.0;
/// Assumed seconds per call before the first one.
const CALL: f64 = 5.0;
/// A call waited for a slot if its time in the queue exceeds this, and one part in `PART_IN_QUEUE` of the whole call.
const NO_QUEUE: Duration = Duration::from_millis(300);
const PART_IN_QUEUE: u32 = 10;
/// Nothing was loaded in less than this.
const NO_LOAD: Duration = Duration::from_millis(50);
/// A debate that takes longer to make its next call is waiting for something else.
const LONGEST_THOUGHT: Duration = Duration::from_secs(1);

/// The times that a server reports for a reply.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timing {
    /// Waiting for the model and loading it.
    pub load: Duration,
    /// Waiting for a slot of the model, if the server reports it.
    pub queue: Option<Duration>,
    /// Whether the call was the first to a model that had to be loaded.
    pub is_first: bool,
}

impl Timing {
    /// Whether the call, which took that long, waited for a slot; `None` if that can't be known.
    pub(super) fn waited(&self, took: Duration) -> Option<bool> {
        let queue = self.queue?;
        Some(queue > NO_QUEUE && queue * PART_IN_QUEUE > took)
    }
}

/// Moving means, in seconds.
#[derive(Default)]
pub(super) struct Costs {
    loads: BTreeMap<ModelName, f64>,
    calls: BTreeMap<usize, f64>,
    /// From a reply to the debate's next call.
    pub(super) thought: f64,
}

fn mean(old: Option<f64>, new: f64) -> f64 {
    old.map_or(new, |old| old + NEW * (new - old))
}

/// The mean seen for this key, or else the largest of all means, or else a guess.
fn expected<'a>(seen: Option<&'a f64>, all: impl Iterator<Item = &'a f64>, guess: f64) -> f64 {
    let any = || all.copied().reduce(f64::max);
    seen.copied().or_else(any).unwrap_or(guess)
}

impl Costs {
    pub(super) fn called(
        &mut self,
        host: usize,
        model: &ModelName,
        took: Duration,
        timing: Timing,
    ) {
        let call = self.calls.get(&host).copied();
        self.calls.insert(host, mean(call, took.as_secs_f64()));
        if timing.is_first && timing.load > NO_LOAD {
            let load = self.loads.get(model).copied();
            let load = mean(load, timing.load.as_secs_f64());
            self.loads.insert(model.clone(), load);
        }
    }

    /// Notes how long a debate took from a reply to its next call.
    pub(super) fn thought(&mut self, time: Duration) {
        if time < LONGEST_THOUGHT {
            self.thought = mean(Some(self.thought), time.as_secs_f64());
        }
    }

    /// Seconds to load a model.
    pub(super) fn load(&self, model: &str) -> f64 {
        expected(self.loads.get(model), self.loads.values(), LOAD)
    }

    /// Seconds that a call takes on a server.
    pub(super) fn call(&self, host: usize) -> f64 {
        expected(self.calls.get(&host), self.calls.values(), CALL)
    }
}
