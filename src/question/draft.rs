//! What a layout makes of a row.

use serde_json::Value;

use super::known::Kind;

/// What a layout makes of a row, before it is checked.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Draft {
    pub(super) id: Option<String>,
    pub(super) cluster: Option<String>,
    pub(super) kind: Option<Kind>,
    pub(super) text: String,
    pub(super) choices: Vec<String>,
    pub(super) answer: Value,
    pub(super) accept: Vec<String>,
    pub(super) tolerance: Option<String>,
}

/// A single value as text; `None` for lists, objects and nothing.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}
