//! How a model is loaded: Ollama's load options and `keep_alive`, as written in a job (row J5a).

use serde_json::Value;

use crate::job::settings_macro::keys;
use crate::job::shape::{Key, Shape, flag, nullable, text, whole};
use crate::job::tree::Data;

/// How long a model stays loaded.
pub(in crate::job) const KEEP_ALIVE: &str = "keep_alive";

/// The longest time that a model is kept, in seconds: a hundred years.
const LONGEST: f64 = 3.2e9;

/// What Ollama once knew: it passes over these without a word.
pub(in crate::job) const GONE: [&str; 13] = [
    "mirostat",
    "mirostat_tau",
    "mirostat_eta",
    "tfs_z",
    "penalize_newline",
    "low_vram",
    "f16_kv",
    "logits_all",
    "vocab_only",
    "use_mlock",
    "numa",
    "num_gqa",
    "embedding_only",
];

/// The keys below a model; `null` is as if omitted.
pub(in crate::job) fn keys() -> Vec<Key> {
    keys! {
        /// Layers on GPUs (0 = none, -1 = as many as fit)
        num_gpu: nullable(whole(-1..=10_000));
        /// The GPU for small tensors
        main_gpu: nullable(whole(0..=255));
        /// Prompt tokens per batch
        num_batch: nullable(whole(1..=1_000_000));
        /// CPU threads (0 = chosen by the server)
        num_thread: nullable(whole(0..=4096));
        /// Tokens to draft ahead, for models that support it
        draft_num_predict: nullable(whole(0..=1000));
        /// Whether to map the model's file into memory
        use_mmap: nullable(flag());
        /// How long to keep the model loaded after a call: seconds, or a duration such as `1h30m` (-1 = forever); by default 30m
        keep_alive: nullable(keep_alive());
    }
}

fn keep_alive() -> Shape {
    let seconds = -1..=LONGEST as i64;
    let either = Shape::Either(vec![whole(seconds.clone()), text(2..=40)]);
    either.read_by(move |reader, at, node| match &node.data {
        Data::Whole(n, _) if seconds.contains(n) => Some(Value::from(*n)),
        Data::Text(text) if is_duration(text.trim()) => Some(Value::from(text.trim())),
        _ => {
            let remedy = "use seconds without quotes, or numbers with h, m or s: `keep_alive: 1h30m`; -1 keeps it forever";
            reader.refuse(at, node, "a duration", remedy)
        }
    })
}

/// Whether Go's `time.ParseDuration` reads it, which Ollama uses: `90s`, `1h30m`, `1.5h`.
fn is_duration(text: &str) -> bool {
    let (mut rest, mut seconds) = (text, 0.0);
    while !rest.is_empty() {
        let number = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
        let Some((number, after)) = number.map(|at| rest.split_at(at)) else { return false };
        let units = [("ms", 0.001), ("h", 3600.0), ("m", 60.0), ("s", 1.0)];
        let unit = units
            .iter()
            .find_map(|(unit, in_seconds)| Some((after.strip_prefix(unit)?, in_seconds)));
        let (Some((after, in_seconds)), Ok(number)) = (unit, number.parse::<f64>()) else {
            return false;
        };
        seconds += number * in_seconds;
        rest = after;
    }
    !text.is_empty() && seconds <= LONGEST
}
