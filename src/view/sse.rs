//! Events as a stream has them. Lines come from files that may be hostile: an event's name has letters only, and what has a
//! control character was refused when it was read, so that none can end its field.

use serde_json::{Value, json};

use super::public;
use crate::store::live::{CallsInFlight, LiveLine};

/// What a stream begins with: how soon to come back after it ends.
pub(super) const BEGIN: &str = "retry: 1000\n\n";
/// What shows that a quiet stream is alive.
pub(super) const ALIVE: &str = ":\n\n";
/// The server ends.
pub(super) const BYE: &str = "event: bye\ndata: {}\n\n";

/// An event of a debate; nothing for those that have another name here.
pub(super) fn event(line: &LiveLine, public: bool) -> Option<String> {
    if line.is_alias() {
        return None;
    }
    let data = match line.name.as_str() {
        "statement_chunk" => chunk(line).to_string(),
        _ if public => public::event(line)?,
        _ => line.text.clone(),
    };
    let id = line.cursor.map(|cursor| format!("id: {cursor}\n"));
    let id = id.unwrap_or_default();
    Some(format!("event: {}\n{id}data: {data}\n\n", line.name))
}

fn chunk(line: &LiveLine) -> Value {
    let content = |key: &str| line.content(key).cloned().unwrap_or_default();
    let metadata = |key: &str| line.metadata(key).cloned().unwrap_or_default();
    json!({
        "call": metadata("call"), "attempt": metadata("attempt"),
        "from": content("from"), "to": content("to"), "text": content("text"),
    })
}

/// The calls under way, with their texts so far: what a reader knows once the log is told.
pub(super) fn now(calls: &CallsInFlight) -> String {
    named("now", &json!(calls.all().collect::<Vec<_>>()))
}

/// What the reader has is not how the debate went: its page is to be read again.
pub(super) fn reset(page: &str) -> String {
    named("reset", &json!({"page": page}))
}

/// An event of ours that is no part of a log.
pub(super) fn named(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}
