//! The machine a server runs on: what fits in it and how fast it is.

use crate::card::Card;
use crate::clock::{SECOND, nanoseconds};
use crate::leaps::LeapsAfter;
use std::time::Duration;

const GIB: u64 = 1 << 30;

/// The least scale: a clock much faster would soon run over.
const FASTEST: f64 = 1e-6;

/// Families that Ollama serves one request at a time, whatever `OLLAMA_NUM_PARALLEL` says.
const ONE_AT_A_TIME: [&str; 8] =
    ["mllama", "qwen3vl", "qwen3vlmoe", "qwen35", "qwen35moe", "qwen3next", "lfm2", "lfm2moe"];

/// A machine with Ollama's defaults and the speed of a desktop: 24 GiB of video memory, 2 GB loaded a second,
/// 1000 prompt tokens and 50 reply tokens a second, a clock that runs as fast as ours. On it `num_ctx` and
/// `num_predict` bind.
///
/// Its times are what it reports; the waiting itself lasts `scale` times as long.
#[derive(Clone, Debug)]
#[must_use]
pub struct Machine {
    pub(crate) parallel: usize,
    pub(crate) max_loaded: usize,
    pub(crate) max_queue: usize,
    pub(crate) memory: u64,
    pub(crate) prompt_cache: u64,
    pub(crate) kv_bytes_per_token: u64,
    pub(crate) context: u64,
    /// In nanoseconds.
    pub(crate) keep_alive: u64,
    pub(crate) scale: f64,
    /// What it reports of durations is what they take really, not in machine time.
    pub(crate) real_durations: bool,
    /// Its clock leaps instead of running.
    pub(crate) leaps: Option<LeapsAfter>,
    pub(crate) prompt_token_ns: u64,
    pub(crate) reply_token_ns: u64,
    load_bytes_per_second: f64,
    /// Serves whatever comes at once: no slots, no loads, no end of memory or context.
    pub(crate) unlimited: bool,
}

impl Default for Machine {
    fn default() -> Self {
        Self::new()
    }
}

impl Machine {
    /// One with the defaults.
    pub fn new() -> Self {
        Self {
            parallel: 1,
            max_loaded: 3,
            max_queue: 512,
            memory: 24 * GIB,
            prompt_cache: 8 * GIB,
            kv_bytes_per_token: 128 * 1024,
            context: 4096,
            keep_alive: 300 * SECOND,
            scale: 1.0,
            real_durations: false,
            leaps: None,
            prompt_token_ns: SECOND / 1000,
            reply_token_ns: SECOND / 50,
            load_bytes_per_second: 2e9,
            unlimited: false,
        }
    }

    /// One without limits, on which time stands.
    pub(crate) fn unlimited() -> Self {
        Self { parallel: usize::MAX, scale: 0.0, unlimited: true, ..Self::new() }
    }

    /// Real time for each unit of the machine's: with 1/60 its hour passes in a minute; at least a millionth.
    pub fn scale(self, scale: f64) -> Self {
        let scale = scale.max(FASTEST);
        Self { scale, ..self }
    }

    /// With a scale, reports of durations what they take really: for clients that compare them with their own clock.
    pub fn real_durations(self) -> Self {
        let real_durations = true;
        Self { real_durations, ..self }
    }

    /// Its clock stands while the client may be at work, and otherwise leaps to the next moment anybody waits for: as
    /// soon as `in_flight` requests are, or when nothing has happened for the real time `quiet`. Only for clients whose
    /// own clock does not matter.
    pub fn leaps(self, in_flight: usize, quiet: Duration) -> Self {
        let leaps = Some(LeapsAfter { in_flight, quiet });
        Self { leaps, ..self }
    }
}

/// Memory.
impl Machine {
    /// Video memory in bytes; Ollama fills at most 80% of what is free.
    pub fn memory(self, memory: u64) -> Self {
        Self { memory, ..self }
    }

    /// Video memory for each token of each slot's context.
    pub fn kv_bytes_per_token(self, kv_bytes_per_token: u64) -> Self {
        Self { kv_bytes_per_token, ..self }
    }

    /// Main memory in bytes in which each runner keeps prompts that lost their slot; 0 keeps none.
    pub fn prompt_cache(self, prompt_cache: u64) -> Self {
        Self { prompt_cache, ..self }
    }
}

/// Ollama's settings.
impl Machine {
    /// `OLLAMA_NUM_PARALLEL`: slots of each loaded model.
    pub fn parallel(self, parallel: usize) -> Self {
        let parallel = parallel.max(1);
        Self { parallel, ..self }
    }

    /// `OLLAMA_MAX_LOADED_MODELS`.
    pub fn max_loaded(self, max_loaded: usize) -> Self {
        let max_loaded = max_loaded.max(1);
        Self { max_loaded, ..self }
    }

    /// `OLLAMA_MAX_QUEUE`: requests that may wait behind the one whose model is being loaded.
    pub fn max_queue(self, max_queue: usize) -> Self {
        Self { max_queue, ..self }
    }

    /// `OLLAMA_KEEP_ALIVE`.
    pub fn keep_alive(self, keep_alive: Duration) -> Self {
        let keep_alive = nanoseconds(keep_alive);
        Self { keep_alive, ..self }
    }

    /// `OLLAMA_CONTEXT_LENGTH`: the context of a model loaded without `num_ctx`.
    pub fn context(self, context: u64) -> Self {
        Self { context, ..self }
    }
}

/// Speed.
impl Machine {
    /// Bytes of a model loaded in a second, for cards that have no time of their own.
    pub fn load_speed(self, bytes_per_second: f64) -> Self {
        Self { load_bytes_per_second: bytes_per_second, ..self }
    }

    /// Prompt tokens read in a second.
    pub fn prompt_speed(self, tokens_per_second: f64) -> Self {
        let prompt_token_ns = each(tokens_per_second);
        Self { prompt_token_ns, ..self }
    }

    /// Reply tokens written in a second.
    pub fn reply_speed(self, tokens_per_second: f64) -> Self {
        let reply_token_ns = each(tokens_per_second);
        Self { reply_token_ns, ..self }
    }
}

/// Nanoseconds for each of so many a second.
fn each(per_second: f64) -> u64 {
    (SECOND as f64 / per_second.max(0.001)) as u64
}

/// What it makes of a model.
impl Machine {
    /// Nanoseconds until `card` is loaded.
    pub(crate) fn load_ns(&self, card: &Card) -> u64 {
        let by_size = card.size as f64 / self.load_bytes_per_second * SECOND as f64;
        match card.load_time {
            _ if self.unlimited => 0,
            Some(time) => nanoseconds(time),
            None => by_size as u64,
        }
    }

    /// How many requests `card` serves at once.
    pub(crate) fn slots(&self, card: &Card) -> usize {
        let one = ONE_AT_A_TIME.contains(&&*card.family) || card.family.starts_with("nemotron_h");
        let embeds_only = card.can("embedding") && !card.can("completion");
        if !self.unlimited && (one || embeds_only) { 1 } else { self.parallel }
    }

    /// Bytes that `card` takes when loaded with so much context.
    pub(crate) fn bytes(&self, card: &Card, context: u64) -> u64 {
        if self.unlimited {
            return card.size;
        }
        card.size + self.kv_bytes_per_token * context * self.slots(card) as u64
    }
}
