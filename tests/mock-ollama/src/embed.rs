//! `/api/embed`: vectors that depend on their text alone.

use crate::Call;
use crate::checks::{Refusal, refuse};
use crate::dice::Dice;
use crate::reply::estimate;
use serde_json::{Value, json};

const DIMENSIONS: u64 = 8;

/// What `/api/embed` is asked for.
pub(crate) struct Embedding {
    texts: Vec<String>,
    dimensions: u64,
    pub(crate) tokens: u64,
}

impl Embedding {
    /// Reads a request for a model with so much context.
    pub(crate) fn new(call: &Call, context: u64) -> Result<Self, Refusal> {
        let texts = inputs(&call.body["input"])?;
        let fits = |text: &&str| estimate(text) <= context;
        if call.body["truncate"] == false && !texts.iter().all(fits) {
            return refuse(400, "the input length exceeds the context length");
        }
        let dimensions = call.body["dimensions"].as_u64().unwrap_or(DIMENSIONS);
        Ok(Self {
            tokens: texts.iter().map(|it| estimate(it).min(context)).sum(),
            texts: texts.into_iter().map(String::from).collect(),
            dimensions: dimensions.clamp(1, DIMENSIONS),
        })
    }

    /// The answer, after a load of `load` and a run of `run` nanoseconds.
    pub(crate) fn answer(&self, call: &Call, load: u64, run: u64) -> Value {
        if self.texts.is_empty() {
            return json!({ "model": call.model(), "embeddings": [] });
        }
        let vectors = self.texts.iter().map(|text| self.vector(text));
        json!({
            "model": call.model(), "embeddings": vectors.collect::<Vec<_>>(),
            "total_duration": load + run, "load_duration": load, "prompt_eval_count": self.tokens,
        })
    }

    /// A vector of length 1.
    fn vector(&self, text: &str) -> Vec<f64> {
        let mut dice = Dice::of(text);
        let side = |_| dice.below(2001) as f64 / 1000.0 - 1.0;
        let sides: Vec<f64> = (0..self.dimensions).map(side).collect();
        let square: f64 = sides.iter().map(|side| side * side).sum();
        let norm = square.sqrt().max(1e-12);
        sides.iter().map(|side| side / norm).collect()
    }
}

fn inputs(input: &Value) -> Result<Vec<&str>, Refusal> {
    let texts = match input {
        Value::Null => Some(Vec::new()),
        Value::String(text) if text.is_empty() => Some(Vec::new()),
        Value::String(text) => Some(vec![&**text]),
        Value::Array(texts) => texts.iter().map(Value::as_str).collect(),
        _ => None,
    };
    texts.map_or_else(|| refuse(400, "invalid input type"), Ok)
}
