//! A chat's reply as Ollama's objects: chunks of text, then the one with the metrics.

use crate::answer::{Answer, Body};
use crate::{Call, clock, shaped};
use serde_json::{Value, json};

const PROMPT_TOKEN_NS: u64 = 1_000_000;
const REPLY_TOKEN_NS: u64 = 20_000_000;
const OVERHEAD_NS: u64 = 100_000;

pub(crate) struct Reply<'a> {
    model: &'a str,
    text: String,
    answer: &'a Answer,
    prompt_tokens: u64,
    reply_tokens: u64,
}

impl<'a> Reply<'a> {
    pub(crate) fn new(answer: &'a Answer, call: &'a Call) -> Self {
        let text = match &answer.body {
            Body::Text(text) => text.clone(),
            Body::Shaped | Body::Raw { .. } => shaped::reply(call),
        };
        let written = [&answer.thinking, &text, &answer.text_in_final_chunk].map(|it| estimate(it));
        let estimated = (estimate(&call.text()), written.iter().sum());
        let (prompt_tokens, reply_tokens) = answer.tokens.unwrap_or(estimated);
        Self {
            model: call.model(),
            text,
            answer,
            prompt_tokens,
            reply_tokens,
        }
    }

    /// The chunks before the last, thinking first.
    pub(crate) fn chunks(&self) -> Vec<Value> {
        let thinking = words(&self.answer.thinking);
        let thinking =
            thinking.map(|it| json!({ "role": "assistant", "content": "", "thinking": it }));
        let text = match self.answer.chunks {
            Some(n) => parts(&self.text, n),
            None => words(&self.text).collect(),
        };
        let text = text
            .into_iter()
            .map(|it| json!({ "role": "assistant", "content": it }));
        let numbered = (0u64..).zip(thinking.chain(text));
        numbered
            .map(|(i, message)| self.object(i * REPLY_TOKEN_NS, message, false))
            .collect()
    }

    /// The last chunk, with `done: true`.
    pub(crate) fn last(&self) -> Value {
        self.done(json!({ "role": "assistant", "content": self.answer.text_in_final_chunk }))
    }

    /// The reply as one object, `done` or as if it had stopped before that.
    pub(crate) fn whole(&self, done: bool) -> Value {
        let tail = if done {
            &*self.answer.text_in_final_chunk
        } else {
            ""
        };
        let mut message = json!({ "role": "assistant", "content": format!("{}{tail}", self.text) });
        if !self.answer.thinking.is_empty() {
            message["thinking"] = (*self.answer.thinking).into();
        }
        if done {
            self.done(message)
        } else {
            self.object(0, message, false)
        }
    }

    fn done(&self, message: Value) -> Value {
        let prompt_ns = self.prompt_tokens * PROMPT_TOKEN_NS;
        let reply_ns = self.reply_tokens * REPLY_TOKEN_NS;
        let metrics = [
            (
                "total_duration",
                self.answer.load_ns + prompt_ns + reply_ns + OVERHEAD_NS,
            ),
            ("load_duration", self.answer.load_ns),
            ("prompt_eval_count", self.prompt_tokens),
            ("prompt_eval_duration", prompt_ns),
            ("eval_count", self.reply_tokens),
            ("eval_duration", reply_ns),
        ];
        let mut object = self.object(reply_ns + OVERHEAD_NS, message, true);
        object["done_reason"] = (*self.answer.done_reason).into();
        for (name, value) in metrics.into_iter().filter(|(_, value)| *value > 0) {
            object[name] = value.into();
        }
        object
    }

    /// An object made `ns` after the prompt was read.
    fn object(&self, ns: u64, message: Value, done: bool) -> Value {
        let ready = self.answer.load_ns + self.prompt_tokens * PROMPT_TOKEN_NS;
        let created_at = clock::later(ready + ns);
        json!({ "model": self.model, "created_at": created_at, "message": message, "done": done })
    }
}

/// Tokens in `text`, roughly.
pub(crate) fn estimate(text: &str) -> u64 {
    text.chars().count().div_ceil(4) as u64
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(char::is_whitespace)
}

/// `text` in at most `n` parts of about as many characters.
fn parts(text: &str, n: usize) -> Vec<&str> {
    let mut starts: Vec<usize> = text.char_indices().map(|(start, _)| start).collect();
    let (length, n) = (starts.len(), n.clamp(1, starts.len().max(1)));
    starts.push(text.len());
    let part = |i: usize| &text[starts[i * length / n]..starts[(i + 1) * length / n]];
    (0..n).map(part).filter(|it| !it.is_empty()).collect()
}
