//! `options:`: sampling options without their own setting (row J5a). Omitted options are decided by the model's own
//! file and the server. The names, types and meanings are Ollama's.

use std::collections::BTreeMap;

use serde_json::Value;

use super::load_options::{self as loads, GONE};
use crate::job::settings_macro::keys;
use crate::job::shape::{Key, Shape, nullable, number, whole};

/// Options by Ollama's names; the values are numbers.
pub type SamplingOptions = BTreeMap<String, Value>;

/// The known options; `null` drops an inherited one.
pub(in crate::job) fn allowed() -> Vec<Key> {
    let share = || nullable(number(0.0..=1.0));
    let penalty = || nullable(number(-2.0..=2.0));
    keys! {
        /// Sample from the most likely tokens whose probabilities add up to this
        top_p: share();
        /// Exclude tokens whose probability is below this share of the highest
        min_p: share();
        /// Sample from the most typical tokens whose probabilities add up to this
        typical_p: share();
        /// Penalty on repeated tokens (1 = none)
        repeat_penalty: nullable(number(0.1..=5.0));
        /// Penalty on tokens that have already occurred
        presence_penalty: penalty();
        /// Penalty on tokens for each earlier occurrence
        frequency_penalty: penalty();
        /// Sample from this many of the most likely tokens (0 = all)
        top_k: nullable(whole(0..=100_000));
        /// How many tokens back to look for repetitions (0 = none, -1 = the whole context)
        repeat_last_n: nullable(whole(-1..=10_000_000));
    }
}

/// Ollama's options that a job sets elsewhere or not at all: name, reason, what to write instead.
const REFUSED: [(&str, &str, &str); 7] = [
    ("temperature", OWN, "write `temperature` next to `options`"),
    ("num_predict", OWN, "write `max_tokens` next to `options`"),
    ("num_ctx", OWN, "write `context_window` next to `options`"),
    ("think", OWN, "write `think` next to `options`"),
    ("seed", OWN, "write `seed` at the top of the job: every call's seed follows from it"),
    (
        "stop",
        NEVER,
        "limit lengths with `max_tokens`; a reply cut off at a word would look complete",
    ),
    ("num_keep", NEVER, "remove it: the context is never shifted, so it has no effect"),
];
const OWN: &str = "has its own setting";
const NEVER: &str = "cannot be set";

/// The shape of `options`. `null` drops an option that is inherited.
pub(in crate::job) fn shape() -> Shape {
    Shape::Section(allowed().into_iter().chain(refused()).collect())
}

/// Ollama's options that a participant cannot set, and what to write instead.
fn refused() -> impl Iterator<Item = Key> {
    let refused = REFUSED.map(|(key, why, remedy)| Key::refused(key, why, remedy));
    let loads = loads::keys().into_iter().map(|Key { name, .. }| {
        let remedy = format!("write `models: {{MODEL: {{{name}: …}}}}` at the top of the job");
        Key::refused(name, "is the same for all calls of a model", remedy)
    });
    let remedy =
        "remove it; the options include `top_p`, `top_k`, `min_p`, `typical_p` and the penalties";
    let gone = GONE.map(|key| Key::refused(key, "no longer exists in Ollama", remedy));
    refused.into_iter().chain(loads).chain(gone)
}
