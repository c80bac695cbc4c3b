//! `options:`: how a model samples, where that has no setting of its own (row J5a). What is left out is up to the model's own
//! file and the server. The names, types and meanings are Ollama's.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use super::load_options::{self as loads, GONE};
use super::shape::{Key, Shape, nullable, number, whole};

/// SamplingOptions by Ollama's names; the values are numbers.
pub type SamplingOptions = BTreeMap<String, Value>;

/// The options that there are.
fn allowed() -> Vec<Key> {
    let share = || nullable(number(0.0..=1.0));
    let penalty = || nullable(number(-2.0..=2.0));
    let key = |name, shape, doc| Key::new(name, doc, shape, ());
    vec![
        key(
            "top_p",
            share(),
            "Sample from the likeliest tokens whose probabilities add up to this",
        ),
        key(
            "min_p",
            share(),
            "Exclude tokens less likely than this share of the likeliest",
        ),
        key(
            "typical_p",
            share(),
            "Sample from the most typical tokens whose probabilities add up to this",
        ),
        key(
            "repeat_penalty",
            nullable(number(0.1..=5.0)),
            "Penalty on repeated tokens; 1 is none",
        ),
        key(
            "presence_penalty",
            penalty(),
            "Penalty on tokens that have occurred",
        ),
        key(
            "frequency_penalty",
            penalty(),
            "Penalty on tokens for each time they have occurred",
        ),
        key(
            "top_k",
            nullable(whole(0..=100_000)),
            "Sample from this many of the likeliest tokens; 0 is all",
        ),
        key(
            "repeat_last_n",
            nullable(whole(-1..=10_000_000)),
            "How many tokens back to look for repetitions; 0 is none, -1 the whole context",
        ),
    ]
}

/// The names of the options that there are.
pub(super) fn names() -> Vec<Cow<'static, str>> {
    allowed().into_iter().map(|key| key.name).collect()
}

/// What Ollama calls an option and a job sets otherwise.
const OWN_SETTINGS: [(&str, &str); 5] = [
    ("temperature", "write `temperature` beside `options`"),
    ("num_predict", "write `max_tokens` beside `options`"),
    ("num_ctx", "write `context_window` beside `options`"),
    ("think", "write `think` beside `options`"),
    (
        "seed",
        "write `seed` at the top of the job: every call's seed follows from it",
    ),
];

/// The shape of `options`. `null` drops an option that is inherited.
pub(super) fn shape() -> Shape {
    Shape::Section(allowed().into_iter().chain(refused()).collect())
}

/// SamplingOptions of Ollama's that are not for a participant to set, with what to write instead.
fn refused() -> impl Iterator<Item = Key> {
    let own =
        OWN_SETTINGS.map(|(key, remedy)| Key::refused(key, "has a setting of its own", remedy));
    let idle = [
        Key::refused(
            "stop",
            "cannot be set",
            "limit lengths with `max_tokens`; a reply cut at a word would pass for a whole one",
        ),
        Key::refused(
            "num_keep",
            "cannot be set",
            "leave it out: the context is never shifted, so it would do nothing",
        ),
    ];
    let loads = loads::names().into_iter().map(|key| {
        let remedy = format!("write `models: {{MODEL: {{{key}: …}}}}` at the top of the job");
        Key::refused(key, "is the same for all calls of a model", remedy)
    });
    let remedy = "leave it out; `top_p`, `top_k`, `min_p`, `typical_p` and the penalties are there";
    let gone = GONE.map(|key| Key::refused(key, "no longer exists in Ollama", remedy));
    own.into_iter().chain(idle).chain(loads).chain(gone)
}
