//! Faults of replies that the server reported as complete: empty, looping, or out of room.

use serde_json::{Map, Value};

use super::thinking_tags;
use crate::model::{CallError, DoneReason, Fault, Reply, Request, Result};
use crate::text;

/// A reply that the server reported as complete, with its thoughts apart; or what is wrong with it (rows K8b, M2).
pub(crate) fn checked(reply: Reply, request: &Request) -> Result<Reply> {
    let reply = with_form(thinking_tags::apart(reply), request);
    fault_of(&reply, request).map_or(Ok(reply), Err)
}

/// A reply in a form. Some servers put that, a whole JSON object, where thoughts should be: then it is its text as well.
fn with_form(reply: Reply, request: &Request) -> Reply {
    let is_silent = request.schema.is_some() && reply.text.trim().is_empty();
    let thought = reply.thinking.as_deref().filter(|_| is_silent).unwrap_or_default();
    let object = thought.find('{').zip(thought.rfind('}')).and_then(|(a, b)| thought.get(a..=b));
    match object.map(serde_json::from_str::<Map<String, Value>>) {
        Some(Ok(_)) => Reply { text: thought.to_owned(), ..reply },
        _ => reply,
    }
}

/// What a user can do about a model that thinks although it is not asked to.
pub(crate) fn thinking_remedy(in_form: bool) -> &'static str {
    if in_form {
        // With thinking, servers apply a schema late or not at all.
        "use another model"
    } else {
        "set `think: true` with `thinking_tokens`, or use another model"
    }
}

/// The fault of a reply that said nothing.
fn without_a_word(reply: &Reply, request: &Request) -> CallError {
    let (all, more) = match reply.done_reason {
        DoneReason::Stop => ("everything".to_owned(), ""),
        _ => (format!("all {} tokens", request.num_predict), "; raise thinking_tokens"),
    };
    let (fault, message) = match (&reply.thinking, request.think) {
        (None, _) if reply.calls_tool => (Fault::EmptyReply, "the model called a tool".to_owned()),
        (None, _) if more.is_empty() => (Fault::EmptyReply, "the reply is empty".to_owned()),
        (None, _) => (Fault::NoRoomToSpeak, format!("{all} were used up without a word")),
        (_, true) => {
            let fault = if more.is_empty() { Fault::EmptyReply } else { Fault::NoRoomToSpeak };
            (fault, format!("{all} went into thinking, none into words{more}"))
        }
        _ => {
            let remedy = thinking_remedy(request.schema.is_some());
            let told = format!("{all} went into unrequested thinking, none into words; {remedy}");
            (Fault::UnrequestedThinking, told)
        }
    };
    CallError::new(fault, message)
}

fn fault_of(reply: &Reply, request: &Request) -> Option<CallError> {
    let num_predict = request.num_predict;
    let silent = reply.text.trim().is_empty();
    let counted = reply.tokens.reply > 0;
    let at_limit = reply.tokens.reply.saturating_add(1) >= u64::from(num_predict);
    let error = |fault, message: String| Some(CallError::new(fault, message));
    match reply.done_reason {
        DoneReason::Length if counted && !at_limit => {
            let said = text::count(reply.tokens.reply, "token");
            let told = format!("the context was full after {said} of at most {num_predict}");
            error(Fault::ContextFull, told)
        }
        _ if silent => Some(without_a_word(reply, request)),
        _ if text::ends_in_loop(&reply.text) => {
            error(Fault::LoopingReply, "the reply ends in a loop".to_owned())
        }
        _ => None,
    }
}
