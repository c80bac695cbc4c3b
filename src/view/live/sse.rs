//! Events as a stream has them. Lines come from files that may be hostile: an event's name has letters only, and what has a
//! control character was refused when it was read, so that none can end its field.

use axum::body::Bytes;
use serde_json::{Value, json};

use crate::store::live::{CallsInFlight, Cursor, LiveLine};
use crate::view::public;

/// What is told of an event.
#[derive(Debug, Clone)]
pub(in crate::view) struct Told {
    /// Where the log is with it, if it is logged.
    pub(in crate::view) cursor: Option<Cursor>,
    /// Whether the debate is over with it.
    pub(in crate::view) ends: bool,
    /// As it goes to all who are told.
    pub(in crate::view) text: Bytes,
}

/// What a stream begins with: how soon to come back after it ends.
pub(in crate::view) const BEGIN: Bytes = Bytes::from_static(b"retry: 1000\n\n");
/// What shows that a quiet stream is alive.
pub(in crate::view) const ALIVE: Bytes = Bytes::from_static(b":\n\n");
/// The server ends.
pub(in crate::view) const BYE: Bytes = Bytes::from_static(b"event: bye\ndata: {}\n\n");

/// Something that is no part of a log, as it is told.
pub(in crate::view) fn aside(text: Bytes, ends: bool) -> Told {
    Told { cursor: None, ends, text }
}

/// A line of a debate's log as it is told.
pub(in crate::view) fn told(line: &LiveLine, public: bool) -> Option<Told> {
    Some(Told {
        cursor: line.cursor,
        ends: line.name == "complete",
        text: event(line, public)?.into(),
    })
}

/// An event of a debate; nothing for those that have another name here.
fn event(line: &LiveLine, public: bool) -> Option<String> {
    if line.is_alias() {
        return None;
    }
    let data = match line.name.as_str() {
        "statement_chunk" => chunk(line).to_string(),
        _ if public => public::event(line)?,
        _ => line.text.clone(),
    };
    let id = line.cursor.map(|cursor| format!("id: {cursor}\n")).unwrap_or_default();
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

/// The calls in progress, with their texts so far: what a reader knows once the log is told.
pub(in crate::view) fn now(calls: &CallsInFlight) -> Bytes {
    named("now", &json!(calls.all().collect::<Vec<_>>()))
}

/// The same of a debate whose run is gone, and its calls with it.
pub(in crate::view) fn stopped() -> Bytes {
    let stopped = named("stopped", &json!({"runs": false}));
    [stopped, now(&CallsInFlight::default())].concat().into()
}

/// What the reader has is not how the debate went: its page is to be read again.
pub(in crate::view) fn reset(page: &str) -> Bytes {
    named("reset", &json!({"page": page}))
}

/// What follows cannot be read.
pub(in crate::view) fn unreadable() -> Bytes {
    named("unreadable", &json!({"why": "the rest is too long to show"}))
}

/// An event of ours that is no part of a log.
pub(in crate::view) fn named(name: &str, data: &Value) -> Bytes {
    format!("event: {name}\ndata: {data}\n\n").into()
}
