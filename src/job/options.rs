//! `options:`: how a model samples, where that has no setting of its own (row J5a). What is left out is up to the model's own
//! file and the server. The names, types and meanings are Ollama's.

use std::collections::BTreeMap;

use serde_json::Value;

use super::keys::Keys;
use super::loads;

/// Options by Ollama's names; the values are numbers.
pub type Options = BTreeMap<String, Value>;

/// The options that are numbers: name, least, most, meaning.
const NUMBERS: [(&str, f64, f64, &str); 6] = [
    (
        "top_p",
        0.0,
        1.0,
        "Sample from the likeliest tokens whose probabilities add up to this",
    ),
    (
        "min_p",
        0.0,
        1.0,
        "Leave out tokens that are less likely than this share of the likeliest",
    ),
    (
        "typical_p",
        0.0,
        1.0,
        "Sample from the most typical tokens whose probabilities add up to this",
    ),
    (
        "repeat_penalty",
        0.1,
        5.0,
        "How much repeated tokens are penalised; 1 is not at all",
    ),
    (
        "presence_penalty",
        -2.0,
        2.0,
        "Penalty on tokens that have occurred",
    ),
    (
        "frequency_penalty",
        -2.0,
        2.0,
        "Penalty on tokens for each time they have occurred",
    ),
];

/// The options that are whole numbers.
const WHOLES: [(&str, i64, i64, &str); 2] = [
    (
        "top_k",
        0,
        100_000,
        "Sample from so many of the likeliest tokens; 0 is all",
    ),
    (
        "repeat_last_n",
        -1,
        10_000_000,
        "How far back repetitions are looked for, in tokens; 0 is not at all, -1 the whole context",
    ),
];

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

/// What Ollama once knew: it passes over these without a word.
pub(super) const GONE: [&str; 13] = [
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

/// Whether a name is one of a sampling option.
pub(super) fn is_option(name: &str) -> bool {
    NUMBERS.iter().any(|(known, ..)| *known == name)
        || WHOLES.iter().any(|(known, ..)| *known == name)
}

/// Reads the key `options` of a participant on `model`, on top of those that it inherits. `null` drops an inherited one.
pub(super) fn read(keys: &mut Keys<'_>, base: &Options, model: &str) -> Options {
    let doc =
        "How the model samples, by Ollama's names; what is left out or null is up to the model";
    keys.section("options", doc, |keys| {
        let mut options = base.clone();
        for (key, least, most, doc) in NUMBERS {
            let value = keys.optional_number(key, least..=most, doc);
            put(&mut options, keys, key, value.map(Value::from));
        }
        for (key, least, most, doc) in WHOLES {
            let value = keys.optional_integer(key, least..=most, doc);
            put(&mut options, keys, key, value.map(Value::from));
        }
        refuse_others(keys, model);
        options
    })
}

fn put(options: &mut Options, keys: &Keys<'_>, key: &str, value: Option<Value>) {
    if keys.has(key) {
        options.remove(key);
    }
    options.extend(value.map(|value| (key.to_owned(), value)));
}

/// Reports options of Ollama's that are not for a participant to set, with what to write instead.
fn refuse_others(keys: &mut Keys<'_>, model: &str) {
    for (key, remedy) in OWN_SETTINGS {
        keys.refuse_key(key, "has a setting of its own", remedy);
    }
    let remedy = "limit lengths by `max_tokens`; no reply is cut at a word, since it would pass for a whole one";
    keys.refuse_key("stop", "cannot be set", remedy);
    let remedy = "leave it out: the context is never shifted, so it would do nothing";
    keys.refuse_key("num_keep", "cannot be set", remedy);
    for key in loads::names() {
        let remedy = format!("write `models: {{{model}: {{{key}: …}}}}` at the top of the job");
        keys.refuse_key(key, "is the same for all calls of a model", &remedy);
    }
    for key in GONE {
        let remedy =
            "leave it out; `top_p`, `top_k`, `min_p`, `typical_p` and the penalties are there";
        keys.refuse_key(key, "is none of Ollama's options any more", remedy);
    }
}
