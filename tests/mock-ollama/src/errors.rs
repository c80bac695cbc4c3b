//! The errors of Ollama, in its words.

use crate::Answer;
use crate::answer::{JSON, encode};
use serde_json::{Value, json};

/// Requests that cannot be served.
impl Answer {
    /// 404 of chat and show.
    pub fn model_not_found(name: &str) -> Self {
        Self::status(404, &format!("model '{name}' not found"))
    }

    /// 503 of a full queue.
    pub fn busy() -> Self {
        Self::status(503, "server busy, please try again.  maximum pending requests exceeded")
    }

    /// 400 of a prompt longer than the context: llama-server's own body, nested as a string.
    pub fn context_exceeded(n_prompt: u64, n_ctx: u64) -> Self {
        let message = format!(
            "request ({n_prompt} tokens) exceeds the available context size ({n_ctx} tokens), try increasing it"
        );
        let error = json!({
            "code": 400, "message": message, "type": "exceed_context_size_error",
            "n_prompt_tokens": n_prompt, "n_ctx": n_ctx,
        });
        Self::nested(400, &json!({ "error": error }))
    }

    /// An error of llama-server's that Ollama hands on: its status, and its body as a string.
    pub fn nested(status: u16, body: &Value) -> Self {
        Self::status(status, &body.to_string())
    }

    /// 400 of a prompt that neither fits nor may be shifted out.
    pub fn prompt_too_long() -> Self {
        let message = "the prompt is longer than the context length currently available to the model; \
            shorten the prompt, adjust the context length in settings, or use a model with a longer context length";
        Self::status(400, message)
    }

    /// 400 of `think` on a model without the capability.
    pub fn does_not_support_thinking(name: &str) -> Self {
        Self::status(400, &format!("{name:?} does not support thinking"))
    }

    /// 499 of a request that was given up.
    pub fn canceled() -> Self {
        Self::status(499, "request canceled")
    }
}

/// What stands between a client and a server.
impl Answer {
    /// A redirect to this address, without a body.
    pub fn redirect(status: u16, target: &str) -> Self {
        Self::raw(status, &format!("text/html\r\nLocation: {target}"), "")
    }
}

/// Runners that fail; see also [`Answer::crash_after`].
impl Answer {
    /// 500 of a runner that died while it loaded; `detail` is the end of its log.
    pub fn load_failed(detail: &str) -> Self {
        let message = format!("llama-server process has terminated: {detail}");
        Self::status(500, &message)
    }

    /// 500 of a load that stood still.
    pub fn load_timed_out(detail: &str) -> Self {
        let message = format!("timed out waiting for llama-server to start - {detail}");
        Self::status(500, &message)
    }

    /// 500 of a runner that was gone when the request came to it.
    pub fn runner_stopped() -> Self {
        let message = "model runner has unexpectedly stopped, this may be due to resource limitations \
            or an internal error, check ollama server logs for details";
        Self::status(500, message)
    }

    /// The token-repeat guard until 0.33: after 30 chunks alike the reply ends without `done: true`.
    pub fn repeats(chunk: &str) -> Self {
        Self::text(chunk.repeat(30)).chunks(30).without_done()
    }

    /// The newer token-repeat guard: an error after 100 chunks alike.
    pub fn repeats_aborted(chunk: &str) -> Self {
        Self::text(chunk.repeat(100))
            .chunks(100)
            .error_after(100, "prediction aborted, token repeat limit reached")
    }
}

/// Models served by ollama.com.
impl Answer {
    /// 401 of a cloud model when nobody is signed in.
    pub fn unauthorized() -> Self {
        let url = "https://ollama.com/connect?name=mock-ollama&key=none";
        let body = json!({ "error": "unauthorized", "signin_url": url });
        Self::raw(401, JSON, encode(&body))
    }

    /// 403 of a cloud model on a server that keeps to itself.
    pub fn cloud_disabled() -> Self {
        Self::status(403, "ollama cloud is disabled: remote model is unavailable")
    }

    /// 429 of a used-up allowance.
    pub fn too_many_requests() -> Self {
        Self::status(429, "you have reached your usage limit")
    }

    /// 502 of an ollama.com out of reach.
    pub fn bad_gateway() -> Self {
        Self::status(502, "bad gateway")
    }
}
