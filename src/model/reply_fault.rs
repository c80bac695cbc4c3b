//! Faults of replies that the server reported as complete: empty, looping, or out of room.

use super::thinking_tags;
use crate::model::{CallError, DoneReason, Fault, Reply, Request, Result};
use crate::text;

/// A reply that the server reported as complete, with its thoughts apart; or what is wrong with it (rows K8b, M2).
pub(crate) fn checked(reply: Reply, request: &Request) -> Result<Reply> {
    let reply = thinking_tags::apart(reply);
    fault_of(&reply, request).map_or(Ok(reply), Err)
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

/// The fault of a reply that used up its tokens and said nothing.
fn without_a_word(reply: &Reply, request: &Request) -> CallError {
    let all = format!("all {} tokens", request.num_predict);
    match reply.thinking {
        Some(_) if request.think => {
            let remedy = "raise thinking_tokens";
            let message = format!("{all} went into thinking, none into words; {remedy}");
            CallError::new(Fault::NoRoomToSpeak, message)
        }
        Some(_) => {
            let remedy = thinking_remedy(request.schema.is_some());
            let message =
                format!("{all} went into unrequested thinking, none into words; {remedy}");
            CallError::new(Fault::UnrequestedThinking, message)
        }
        None => CallError::new(Fault::NoRoomToSpeak, format!("{all} were used up without a word")),
    }
}

fn fault_of(reply: &Reply, request: &Request) -> Option<CallError> {
    let num_predict = request.num_predict;
    let silent = reply.text.trim().is_empty();
    let counted = reply.tokens.reply > 0;
    let at_limit = reply.tokens.reply.saturating_add(1) >= u64::from(num_predict);
    let error = |fault, message: String| Some(CallError::new(fault, message));
    match reply.done_reason {
        DoneReason::Length if counted && !at_limit => error(
            Fault::ContextFull,
            format!(
                "the context was full after {} of at most {num_predict}",
                text::count(reply.tokens.reply, "token")
            ),
        ),
        DoneReason::Length | DoneReason::Overrun if silent => Some(without_a_word(reply, request)),
        _ if silent => error(Fault::EmptyReply, "the reply is empty".to_owned()),
        _ if text::ends_in_loop(&reply.text) => {
            error(Fault::LoopingReply, "the reply ends in a loop".to_owned())
        }
        _ => None,
    }
}
