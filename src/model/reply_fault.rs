//! Faults of replies that the server reported as complete: empty, looping, or out of room.

use super::thinking_tags;
use crate::model::{CallError, DoneReason, Fault, Reply, Request};
use crate::text;

/// A reply that the server reported as complete, with its thoughts apart; or what is wrong with it (rows K8b, M2).
pub(crate) fn checked(reply: Reply, request: &Request) -> Result<Reply, CallError> {
    let reply = thinking_tags::apart(reply);
    match fault_of(&reply, request) {
        Some(error) => Err(error),
        None => Ok(reply),
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
        DoneReason::Length | DoneReason::Overrun if silent => error(
            Fault::NoRoomToSpeak,
            match reply.thinking {
                Some(_) if request.think => format!(
                    "all {num_predict} tokens went into thinking, none into words; raise thinking_tokens"
                ),
                Some(_) => format!(
                    "all {num_predict} tokens went into unrequested thinking, none into words"
                ),
                None => format!("all {num_predict} tokens were used up without a word"),
            },
        ),
        _ if silent => error(Fault::EmptyReply, "the reply is empty".to_owned()),
        _ if text::ends_in_loop(&reply.text) => {
            error(Fault::LoopingReply, "the reply ends in a loop".to_owned())
        }
        _ => None,
    }
}
