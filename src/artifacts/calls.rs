//! A call exactly as it was asked and answered, attempt by attempt, as plain text.

use crate::journal::{Entry, ReplyEntry};
use crate::model::{DoneReason, Request};
use crate::text;

/// An attempt: what was asked, or why that cannot be told, and what came of it.
pub fn attempt(entry: &Entry, request: Result<&Request, &str>) -> String {
    let mut parts = match request {
        Ok(request) => asked(request),
        Err(why) => not_stored(entry, why),
    };
    parts.extend(answered(entry));
    parts.join("\n\n")
}

fn not_stored(entry: &Entry, why: &str) -> Vec<String> {
    let call = entry.call().unwrap_or_default();
    let attempt = entry.attempt().unwrap_or_default();
    let call = format!("── {call} attempt {attempt}");
    let why = format!("── NOT STORED, and it cannot be reconstructed: {why}");
    vec![text::one_line(&call), text::one_line(&why)]
}

fn asked(r: &Request) -> Vec<String> {
    let options: String =
        r.options.iter().map(|(name, value)| format!(", {name} {value}")).collect();
    let sampling = format!(
        "temperature {}, num_predict {}, seed {}, think {}{options}",
        r.temperature, r.num_predict, r.seed, r.think
    );
    let head = format!("── {} attempt {}: {} ({sampling})", r.call, r.attempt, r.model);
    let mut parts = vec![text::one_line(&head)];
    for message in &r.messages {
        let role = format!("{:?}", message.role).to_lowercase();
        parts.extend([format!("── {role}"), text::visible(&message.content)]);
    }
    if let Some(schema) = &r.schema {
        parts.extend(["── format".to_owned(), text::visible(&schema.to_string())]);
    }
    parts
}

fn answered(entry: &Entry) -> Vec<String> {
    match entry {
        Entry::Reply(ReplyEntry { reply, .. }) => {
            let thought =
                reply.thinking.iter().flat_map(|t| ["── thought".to_owned(), text::visible(t)]);
            let head = format!(
                "── reply ({}, ended by {})",
                text::count(reply.tokens.reply, "token"),
                ended(reply.done_reason)
            );
            thought.chain([head, text::visible(&reply.text)]).collect()
        }
        Entry::Failure(failure) => {
            vec![format!("── failed: {} ({})", failure.error, text::one_line(&failure.message))]
        }
        Entry::External(_) | Entry::Debate(_) => Vec::new(),
    }
}

fn ended(reason: DoneReason) -> &'static str {
    match reason {
        DoneReason::Stop => "the model",
        DoneReason::Length => "its limit",
        DoneReason::Overrun => "rebut: it went on beyond its limit",
    }
}
