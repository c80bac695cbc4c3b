//! What a request wants of the runner of its model.

use crate::Call;
use crate::card::Card;
use crate::clock::SECOND;
use crate::machine::Machine;
use serde_json::Value;
use std::sync::Arc;

/// Go's longest duration, which stands for no end.
pub(crate) const FOREVER: u64 = i64::MAX as u64;

const INTEGERS: [&str; 11] = [
    "num_ctx",
    "num_batch",
    "num_gpu",
    "main_gpu",
    "num_thread",
    "draft_num_predict",
    "num_predict",
    "num_keep",
    "top_k",
    "repeat_last_n",
    "seed",
];
const FLOATS: [&str; 7] = [
    "temperature",
    "top_p",
    "min_p",
    "typical_p",
    "repeat_penalty",
    "presence_penalty",
    "frequency_penalty",
];

#[derive(Clone)]
pub(crate) struct Needs {
    pub(crate) card: Arc<Card>,
    pub(crate) load: Load,
    /// In nanoseconds, if the request has its own.
    pub(crate) keep_alive: Option<u64>,
}

/// What is fixed when a model is loaded.
#[derive(Clone, PartialEq)]
pub(crate) struct Load {
    pub(crate) num_ctx: u64,
    num_batch: i64,
    /// None leaves it to the server.
    num_gpu: Option<i64>,
    main_gpu: i64,
    num_thread: i64,
    draft_num_predict: i64,
    use_mmap: Option<bool>,
    pub(crate) shift: bool,
}

impl Needs {
    /// Reads a body whose options are of the right types.
    pub(crate) fn new(
        call: &Call,
        card: Arc<Card>,
        keep_alive: Option<u64>,
        machine: &Machine,
    ) -> Self {
        let load = Load::new(call, &card, machine);
        Self { card, load, keep_alive }
    }
}

impl Load {
    fn new(call: &Call, card: &Card, machine: &Machine) -> Self {
        let asked = |name, default| call.option(name).and_then(integer).unwrap_or(default);
        let context = asked("num_ctx", machine.context.cast_signed()).max(4);
        Self {
            num_ctx: context.unsigned_abs().min(card.context),
            num_batch: asked("num_batch", 512),
            num_gpu: Some(asked("num_gpu", -1)).filter(|it| *it >= 0),
            main_gpu: asked("main_gpu", 0),
            num_thread: asked("num_thread", 0),
            draft_num_predict: asked("draft_num_predict", 4),
            use_mmap: call.option("use_mmap").and_then(Value::as_bool),
            shift: call.body["shift"] != false,
        }
    }

    /// Whether a model loaded with `self` can serve a request that asks for `other`.
    pub(crate) fn serves(&self, other: &Self) -> bool {
        let num_gpu = other.num_gpu.or(self.num_gpu);
        let other = Self { num_gpu, ..other.clone() };
        *self == other
    }
}

/// An integer as Go reads it into an option: any number, without its fraction.
pub(crate) fn integer(value: &Value) -> Option<i64> {
    value.as_i64().or(value.as_f64().map(|it| it as i64))
}

/// Names the first option of a wrong type.
pub(crate) fn check_options(options: &Value) -> Result<(), String> {
    for (name, value) in options.as_object().into_iter().flatten() {
        let (kind, fits) = match &**name {
            it if INTEGERS.contains(&it) => ("integer", value.is_number()),
            it if FLOATS.contains(&it) => ("float32", value.is_number()),
            "use_mmap" => ("boolean", value.is_boolean()),
            "stop" => ("array", value.is_array()),
            _ => continue,
        };
        if !fits && !value.is_null() {
            return Err(format!("option {name:?} must be of type {kind}"));
        }
    }
    Ok(())
}

/// Reads `keep_alive` in nanoseconds: seconds, or a number with a Go unit; negative is forever.
pub(crate) fn keep_alive(value: &Value) -> Result<Option<u64>, String> {
    let seconds = match value {
        Value::Null => return Ok(None),
        Value::String(text) => go_seconds(text)?,
        _ => value.as_f64().ok_or_else(|| format!("Unsupported type: {value}"))?,
    };
    let forever = seconds < 0.0;
    Ok(Some(if forever { FOREVER } else { ((seconds * SECOND as f64) as u64).min(FOREVER) }))
}

fn go_seconds(text: &str) -> Result<f64, String> {
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let number: f64 = number.parse().map_err(|_| format!("time: invalid duration {text:?}"))?;
    match unit {
        "h" => Ok(number * 3600.0),
        "m" => Ok(number * 60.0),
        "s" => Ok(number),
        "ms" => Ok(number / 1000.0),
        "" if number == 0.0 => Ok(0.0),
        "" => Err(format!("time: missing unit in duration {text:?}")),
        _ => Err(format!("time: unknown unit {unit:?} in duration {text:?}")),
    }
}
