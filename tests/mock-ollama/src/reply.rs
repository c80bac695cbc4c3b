//! A reply as Ollama's objects: chunks of text, then the one with the metrics.

use crate::answer::{Answer, Body};
use crate::{Call, clock, shaped};
use serde_json::{Value, json};

const OVERHEAD_NS: u64 = 100_000;

/// The words of a reply.
pub(crate) struct Draft {
    pub(crate) thinking: String,
    pub(crate) text: String,
    /// Sent with the `done: true` line.
    tail: String,
    done_reason: String,
    pub(crate) tokens: u64,
}

/// How long a reply takes, and of what that depends; durations in nanoseconds.
pub(crate) struct Timing {
    /// Whether there is anything to wait for.
    pub(crate) clock_runs: bool,
    /// When the model begins to read the prompt, in machine time.
    pub(crate) start: u64,
    pub(crate) load: u64,
    /// The wait for a slot.
    pub(crate) slot: u64,
    pub(crate) prompt_tokens: u64,
    pub(crate) prompt: u64,
    pub(crate) reply: u64,
    /// What is reported for each nanosecond of the machine's.
    pub(crate) reported: f64,
}

pub(crate) struct Reply<'a> {
    pub(crate) draft: Draft,
    pub(crate) timing: Timing,
    answer: &'a Answer,
    call: &'a Call,
}

impl Draft {
    pub(crate) fn new(answer: &Answer, call: &Call) -> Self {
        let text = match &answer.body {
            Body::Text(text) => text.clone(),
            Body::Shaped => shaped::reply(call, answer),
            Body::Raw { .. } | Body::Endless { .. } => String::new(),
        };
        let tail = answer.text_in_final_chunk.clone();
        let written = [&answer.thinking, &text, &tail].map(|it| estimate(it));
        Self {
            tokens: answer.tokens.map_or(written.iter().sum(), |(_, reply)| reply),
            thinking: answer.thinking.clone(),
            text,
            tail,
            done_reason: answer.done_reason.clone(),
        }
    }

    /// Ends the reply after `limit` tokens, if it is longer.
    pub(crate) fn cut(&mut self, limit: u64) {
        if self.tokens <= limit {
            return;
        }
        let parts = [&mut self.thinking, &mut self.text, &mut self.tail];
        let length: usize = parts.iter().map(|it| it.chars().count()).sum();
        let mut left = (length as u64).saturating_mul(limit) / self.tokens;
        for part in parts {
            let cut: String = part.chars().take(left as usize).collect();
            left -= cut.chars().count() as u64;
            *part = cut;
        }
        self.tokens = limit;
        self.done_reason = "length".into();
    }
}

impl<'a> Reply<'a> {
    pub(crate) fn new(answer: &'a Answer, call: &'a Call, draft: Draft, timing: Timing) -> Self {
        Self { draft, timing, answer, call }
    }

    /// The chunks before the last, thinking first, each with the machine time when it is there.
    pub(crate) fn chunks(&self) -> Vec<(u64, Value)> {
        let thinking = words(&self.draft.thinking).map(|it| (Some(it), ""));
        let text = match self.answer.chunks {
            Some(n) => parts(&self.draft.text, n),
            None => words(&self.draft.text).collect(),
        };
        let all: Vec<_> = thinking.chain(text.into_iter().map(|it| (None, it))).collect();
        let count = all.len() as u64;
        let read = self.timing.start + self.timing.prompt;
        let numbered = (0u64..).zip(all);
        numbered
            .map(|(i, (thinking, content))| {
                let at = read + self.timing.reply / count * i;
                (at, self.object(at, thinking, content, false))
            })
            .collect()
    }

    /// The last chunk, with `done: true`.
    pub(crate) fn last(&self) -> Value {
        self.done(None, &self.draft.tail)
    }

    /// When the last chunk is there, in machine time.
    pub(crate) fn end(&self) -> u64 {
        self.timing.start + self.timing.prompt + self.timing.reply
    }

    /// The reply as one object, `done` or as if it had stopped before that.
    pub(crate) fn whole(&self, done: bool) -> Value {
        let thinking = Some(&*self.draft.thinking).filter(|it| !it.is_empty());
        let Draft { text, tail, .. } = &self.draft;
        if done {
            self.done(thinking, &format!("{text}{tail}"))
        } else {
            self.object(self.end(), thinking, text, false)
        }
    }

    fn done(&self, thinking: Option<&str>, content: &str) -> Value {
        let mut object = self.object(self.end() + OVERHEAD_NS, thinking, content, true);
        object["done_reason"] = (*self.draft.done_reason).into();
        let sent = |(_, value): &(_, u64)| self.answer.metrics && *value > 0;
        for (name, value) in self.metrics().into_iter().filter(sent) {
            object[name] = value.into();
        }
        object
    }

    fn metrics(&self) -> [(&'static str, u64); 6] {
        let timing = &self.timing;
        let total = timing.load + timing.slot + timing.prompt + timing.reply + OVERHEAD_NS;
        let reported = |ns: u64| (ns as f64 * timing.reported) as u64;
        [
            ("total_duration", reported(total)),
            ("load_duration", reported(timing.load)),
            ("prompt_eval_count", timing.prompt_tokens),
            ("prompt_eval_duration", reported(timing.prompt)),
            ("eval_count", self.draft.tokens),
            ("eval_duration", reported(timing.reply)),
        ]
    }

    /// An object made at machine time `at`.
    fn object(&self, at: u64, thinking: Option<&str>, content: &str, done: bool) -> Value {
        let (model, created_at) = (self.call.model(), clock::later(at));
        let mut message = json!({ "role": "assistant", "content": content });
        if let Some(thinking) = thinking {
            message["thinking"] = thinking.into();
        }
        json!({ "model": model, "created_at": created_at, "message": message, "done": done })
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
