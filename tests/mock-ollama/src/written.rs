//! The log as a file: a JSON line for each request that needed a model, written when it ends.

use crate::Served;
use crate::log::{Texts, lock};
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write;
use std::sync::Mutex;
use std::time::Duration;

pub(crate) struct Written(Mutex<File>);

impl Written {
    pub(crate) fn new(file: File) -> Self {
        Self(Mutex::new(file))
    }

    pub(crate) fn add(&self, served: &Served, texts: &Texts) {
        let line = format!("{}\n", line(served, texts));
        // In one write, so that a reader finds whole lines.
        let written = lock(&self.0).write_all(line.as_bytes());
        // A log with gaps would mislead whoever counts in it.
        written.expect("the log can be written");
    }
}

/// Times are seconds of the machine's.
fn line(served: &Served, texts: &Texts) -> Value {
    let seconds = |it: Option<Duration>| it.map(|it| it.as_secs_f64());
    let load =
        served.granted.zip(served.load_began).map(|(granted, began)| granted.saturating_sub(began));
    json!({
        "call": served.call, "kind": served.kind, "model": served.model, "seed": served.seed,
        "arrived": served.arrived.as_secs_f64(), "granted": seconds(served.granted),
        "started": seconds(served.started), "ended": seconds(served.ended), "completed": served.completed,
        "slot": served.slot, "loaded": served.loaded, "load_seconds": seconds(load), "evicted": served.evicted,
        "prompt_characters": texts.prompt.chars().count(), "prompt_held": served.prompt_held,
        "prompt_reused": served.prompt_reused, "prompt_new": served.prompt_new, "reply_tokens": served.replied,
        "prompt": texts.prompt, "reply": texts.reply,
    })
}
