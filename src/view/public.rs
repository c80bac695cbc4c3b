//! What everybody may see. All else is hidden: a new field is, until it is named here.

use serde_json::{Map, Value};

use crate::store::live::LiveLine;

/// Fields of any event.
const EVENT: [&str; 8] = [
    "type", "event", "debate", "seq", "time", "round", "metadata", "content",
];
/// Fields of a statement.
const STATEMENT: &[&str] = &[
    "n", "by", "round", "phase", "model", "tokens", "cut", "text",
];
/// What two debates may be seen to differ in; models beside these.
const SETTINGS: [&str; 3] = ["topic", "format", "repetition"];

/// Fields of an event's content.
fn fields(event: &str) -> &'static [&'static str] {
    match event {
        "round_start" => &["speakers"],
        "statement" | "comment" => STATEMENT,
        "ballot" => &["round", "by", "about", "continue"],
        "audience_open" => &["round", "closes_at"],
        "audience" => &["round", "effect", "keep", "rotate", "unverified"],
        "rotation" => &["round", "debater", "next", "rotated"],
        "interjection" => &["about", "speaker", "statement", "cause", "point"],
        "stance" => &["round", "by", "stance"],
        "summary" => &["round", "headline"],
        "incident" => &["kind"],
        "complete" => &["status", "outcome"],
        _ => &[],
    }
}

/// An event with what may be seen of it; `None` if it is no object.
pub(super) fn event(line: &LiveLine) -> Option<String> {
    let mut event: Map<String, Value> = serde_json::from_str(&line.text).ok()?;
    event.retain(|key, _| EVENT.contains(&key.as_str()));
    let shown = fields(&line.name);
    match event.get_mut("content") {
        Some(Value::Object(content)) => content.retain(|key, _| shown.contains(&key.as_str())),
        _ => drop(event.insert("content".to_owned(), Value::Object(Map::new()))),
    }
    Some(Value::Object(event).to_string())
}

/// Whether the value of a setting may be seen.
pub(super) fn is_setting(key: &str) -> bool {
    SETTINGS.contains(&key) || key.ends_with(": model")
}
