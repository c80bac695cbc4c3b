//! Which models are in memory, with how much context and for how long.

use crate::card::Card;
use crate::clock::SECOND;
use crate::log::lock;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Mutex;

const DEFAULT_CONTEXT: u64 = 4096;
const DEFAULT_KEEP_ALIVE: u64 = 300 * SECOND;
const FOREVER: u64 = i64::MAX as u64;

/// Loaded models by full name.
#[derive(Default)]
pub(crate) struct Loaded(Mutex<BTreeMap<String, Residence>>);

struct Residence {
    card: Card,
    context: u64,
    keep_alive: u64,
}

impl Loaded {
    /// Loads `card` as a request's `options` and `keep_alive` (nanoseconds) ask; 0 unloads it.
    pub(crate) fn load(&self, card: &Card, options: &Value, keep_alive: u64) {
        let context = options["num_ctx"]
            .as_u64()
            .unwrap_or(DEFAULT_CONTEXT)
            .min(card.context);
        let residence = Residence {
            card: card.clone(),
            context,
            keep_alive,
        };
        let mut loaded = lock(&self.0);
        loaded.insert(card.name.clone(), residence);
        loaded.retain(|_, residence| residence.keep_alive > 0);
    }

    pub(crate) fn clear(&self) {
        lock(&self.0).clear();
    }

    /// The entries of `/api/ps`, longest-lived first.
    pub(crate) fn list(&self) -> Value {
        let loaded = lock(&self.0);
        let mut loaded: Vec<&Residence> = loaded.values().collect();
        loaded.sort_by_key(|it| Reverse(it.keep_alive));
        loaded
            .iter()
            .map(|it| it.card.running(it.context, it.keep_alive))
            .collect()
    }
}

/// Reads `keep_alive` in nanoseconds: seconds, or a number with a Go unit; negative is forever.
pub(crate) fn keep_alive(value: &Value) -> Result<u64, String> {
    let seconds = match value {
        Value::Null => return Ok(DEFAULT_KEEP_ALIVE),
        Value::String(text) => go_seconds(text)?,
        _ => value
            .as_f64()
            .ok_or_else(|| format!("Unsupported type: {value}"))?,
    };
    let forever = seconds < 0.0;
    Ok(if forever {
        FOREVER
    } else {
        ((seconds * SECOND as f64) as u64).min(FOREVER)
    })
}

fn go_seconds(text: &str) -> Result<f64, String> {
    let unit_at = text
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let number: f64 = number
        .parse()
        .map_err(|_| format!("time: invalid duration {text:?}"))?;
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
