//! What Ollama refuses before a model is asked.

use crate::card::Card;
use crate::name::{self, display_name};
use crate::{Answer, Call, needs};
use serde_json::Value;

/// An answer that ends a request early.
pub(crate) type Refusal = Box<Answer>;

pub(crate) fn refuse<T>(status: u16, message: &str) -> Result<T, Refusal> {
    Err(Answer::status(status, message).into())
}

/// Refuses a body that cannot be read; gives its `keep_alive` in nanoseconds.
pub(crate) fn body(call: &Call) -> Result<Option<u64>, Refusal> {
    if let Some(problem) = &call.bad_body {
        return refuse(400, problem);
    }
    let keep_alive = needs::keep_alive(&call.body["keep_alive"]);
    keep_alive.or_else(|problem| refuse(400, &problem))
}

/// Refuses a name that no model can have.
pub(crate) fn name(call: &Call) -> Result<(), Refusal> {
    match call.model() {
        "" => refuse(400, "model is required"),
        model if !name::is_valid(model) => refuse(400, "invalid model name"),
        _ => Ok(()),
    }
}

/// Refuses what `card` cannot do; says whether it thinks, as it does unless told not to.
pub(crate) fn abilities(call: &Call, card: &Card) -> Result<bool, Refusal> {
    let model = call.model();
    let think = call.body["think"] != false;
    let asked = think && !call.body["think"].is_null();
    if asked && !card.can("thinking") {
        return Err(Answer::does_not_support_thinking(model).into());
    }
    if !card.can("completion") {
        return refuse(400, &format!("{model:?} does not support chat"));
    }
    let tools = call.body["tools"].as_array();
    if tools.is_some_and(|it| !it.is_empty()) && !card.can("tools") {
        let name = display_name(model);
        return refuse(400, &format!("{name} does not support tools"));
    }
    Ok(think && card.can("thinking"))
}

/// Refuses values that Ollama cannot use.
pub(crate) fn values(call: &Call) -> Result<(), Refusal> {
    let logprobs = needs::integer(&call.body["top_logprobs"]).unwrap_or(0);
    if !(0..=20).contains(&logprobs) {
        return refuse(400, "top_logprobs must be between 0 and 20");
    }
    needs::check_options(&call.body["options"]).or_else(|problem| refuse(500, &problem))?;
    match &call.body["format"] {
        Value::Null | Value::Object(_) => Ok(()),
        Value::String(text) if text.is_empty() || text == "json" => Ok(()),
        other => refuse(
            500,
            &format!("invalid format: {other}; expected \"json\" or a valid JSON Schema object"),
        ),
    }
}
