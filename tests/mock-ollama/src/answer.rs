//! What a script answers: a reply or an error, how it is cut and how it breaks.

use crate::{Gate, Split};
use serde_json::{Value, json};
use std::time::Duration;

pub(crate) const JSON: &str = "application/json; charset=utf-8";

/// Encodes as Go does: `<`, `>` and `&` as escapes.
pub(crate) fn encode(value: &Value) -> String {
    let json = value.to_string();
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// An answer to one call. Streamed by default, whole if the call says `"stream": false`.
///
/// Where a method says "after `k` chunks", thinking counts, and after the last chunk means before the `done: true` line.
/// `status` and `raw` answers have no chunks: of the faults they know `after` and `disconnect_after(0)`.
#[derive(Clone, Debug)]
#[must_use]
pub struct Answer {
    pub(crate) body: Body,
    pub(crate) thinking: String,
    pub(crate) text_in_final_chunk: String,
    pub(crate) chunks: Option<usize>,
    pub(crate) done_reason: String,
    /// About how many a text drawn from the seed has.
    pub(crate) sentences: u64,
    /// A reply is drawn from model, messages and seed rather than from the seed alone.
    pub(crate) by_request: bool,
    /// Of the prompt and of the reply.
    pub(crate) tokens: Option<(u64, u64)>,
    pub(crate) load_ns: Option<u64>,
    pub(crate) metrics: bool,
    pub(crate) wire: Split,
    pub(crate) one_write: bool,
    pub(crate) before: Option<Gate>,
    pub(crate) gates: Vec<(usize, Gate)>,
    pub(crate) fault: Option<(usize, Fault)>,
    /// The fault takes the runner with it.
    pub(crate) crashes: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    Raw { status: u16, content_type: String, bytes: Vec<u8> },
    Text(String),
    Shaped,
    Endless { line: Vec<u8>, pause: Duration },
}

/// What ends a reply before its `done: true` line.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    Error(String),
    CleanEnd,
    Disconnect,
}

/// Replies.
impl Answer {
    /// A chat reply of this text, by default one chunk a word.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Body::Text(text.into()))
    }

    /// A chat reply of this value as compact JSON.
    pub fn json(value: &Value) -> Self {
        Self::text(value.to_string())
    }

    /// A chat reply drawn from `options.seed`: a value that fits the call's `format`, or sentences.
    pub fn shaped() -> Self {
        Self::new(Body::Shaped)
    }

    /// Nothing, until the client goes away or the server stops.
    pub fn hang() -> Self {
        Self::shaped().after(Gate::new())
    }

    /// `{"error": message}` with this status.
    pub fn status(status: u16, message: &str) -> Self {
        let body = encode(&json!({ "error": message }));
        Self::raw(status, JSON, body)
    }

    /// Any response at all, with its length in the header.
    pub fn raw(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let (content_type, bytes) = (content_type.into(), body.into());
        Self::new(Body::Raw { status, content_type, bytes })
    }

    /// A stream of this line over and over, so long after each other, until the client goes away or the server stops.
    pub fn endless(line: &str, pause: Duration) -> Self {
        let line = format!("{line}\n").into_bytes();
        Self::new(Body::Endless { line, pause })
    }

    /// An answer of `/api/embed` with these vectors, for hooks that come before it.
    pub fn embeddings(vectors: &[Vec<f64>]) -> Self {
        let body = json!({ "model": "m", "embeddings": vectors, "total_duration": 3_000_000, "load_duration": 1_000_000, "prompt_eval_count": 7 });
        Self::raw(200, JSON, encode(&body))
    }

    fn new(body: Body) -> Self {
        Self {
            body,
            thinking: String::new(),
            text_in_final_chunk: String::new(),
            chunks: None,
            done_reason: "stop".into(),
            sentences: 4,
            by_request: false,
            tokens: None,
            load_ns: None,
            metrics: true,
            wire: Split::Lines,
            one_write: false,
            before: None,
            gates: Vec::new(),
            fault: None,
            crashes: false,
        }
    }
}

/// Contents.
impl Answer {
    /// Thinking, streamed before the text, one chunk a word.
    pub fn thinking(self, thinking: &str) -> Self {
        let thinking = thinking.into();
        Self { thinking, ..self }
    }

    /// More text, in the `done: true` line.
    pub fn text_in_final_chunk(self, text: &str) -> Self {
        let text_in_final_chunk = text.into();
        Self { text_in_final_chunk, ..self }
    }

    /// Why the model stopped; `stop` by default.
    pub fn done_reason(self, reason: &str) -> Self {
        let done_reason = reason.into();
        Self { done_reason, ..self }
    }

    /// About how many sentences of nine words a shaped reply without a `format` has; 4 by default.
    pub fn sentences(self, sentences: u64) -> Self {
        Self { sentences, ..self }
    }

    /// Draws a shaped reply from model, messages and seed, so that different debates with one seed differ.
    pub fn by_request(self) -> Self {
        let by_request = true;
        Self { by_request, ..self }
    }

    /// Tokens of prompt and reply, by default a quarter of their characters; 0 is not sent.
    pub fn tokens(self, prompt: u64, reply: u64) -> Self {
        let tokens = Some((prompt, reply));
        Self { tokens, ..self }
    }

    /// The load duration, in nanoseconds, instead of what it took; 0 is not sent.
    pub fn load_ns(self, load_ns: u64) -> Self {
        let load_ns = Some(load_ns);
        Self { load_ns, ..self }
    }

    /// Sends no counts and durations, as if all were 0.
    pub fn without_metrics(self) -> Self {
        let metrics = false;
        Self { metrics, ..self }
    }
}

/// Cuts, waits and faults.
impl Answer {
    /// Cuts the text into `n` chunks of about equal length, or as many as it has characters.
    pub fn chunks(self, n: usize) -> Self {
        let chunks = Some(n);
        Self { chunks, ..self }
    }

    /// How the bytes of the stream are cut into HTTP chunks, each sent at once.
    pub fn wire(self, wire: Split) -> Self {
        Self { wire, ..self }
    }

    /// Sends all that need not wait in one write: the same bytes, but cheap, for benchmarks.
    pub fn one_write(self) -> Self {
        let one_write = true;
        Self { one_write, ..self }
    }

    /// Waits at `gate` before the status line.
    pub fn after(self, gate: Gate) -> Self {
        let before = Some(gate);
        Self { before, ..self }
    }

    /// Waits at `gate` after `k` chunks; with 0 the headers are out already.
    pub fn gate_after(mut self, k: usize, gate: Gate) -> Self {
        self.gates.push((k, gate));
        self.gates.sort_by_key(|(k, _)| *k);
        self
    }

    /// Is silent after `k` chunks until the client goes away or the server stops.
    pub fn hang_after(self, k: usize) -> Self {
        self.gate_after(k, Gate::new())
    }

    /// Ends after `k` chunks with a line `{"error": message}`, the status being 200;
    /// with 0, as in Ollama, that is the whole body and the status 500.
    pub fn error_after(self, k: usize, message: &str) -> Self {
        self.fault(k, Fault::Error(message.into()))
    }

    /// Ends after `k` chunks as when the runner crashes; the next request loads the model anew.
    pub fn crash_after(self, k: usize) -> Self {
        let message = "an error was encountered while running the model: unexpected EOF";
        let crashes = true;
        Self { crashes, ..self.error_after(k, message) }
    }

    /// Ends in order after all chunks, without a `done: true` line.
    pub fn without_done(self) -> Self {
        self.fault(usize::MAX, Fault::CleanEnd)
    }

    /// Closes the connection after `k` chunks; with 0 before the status line.
    pub fn disconnect_after(self, k: usize) -> Self {
        self.fault(k, Fault::Disconnect)
    }

    fn fault(self, k: usize, fault: Fault) -> Self {
        let fault = Some((k, fault));
        Self { fault, ..self }
    }
}
