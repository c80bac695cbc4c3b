//! A requested judgment and its result.

use serde_json::{Map, Value, json};

use crate::call_id::CallId;
use crate::event::{Judge, Reading};
use crate::job::participant::Participant;
use crate::text;

/// Minimum token limit of a structured reply.
const LEAST_TOKENS: u32 = 700;
/// Characters around a property such as `"logical_coherence": 7, `: its value, quotation marks and separators.
const PROPERTY: usize = 12;

/// A requested judgment.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The call.
    pub call: CallId,
    /// The id of the participant asked.
    pub by: &'a str,
    /// The template of the task.
    pub template: &'a str,
    /// Values for the template.
    pub context: Value,
    /// Whether the prompt shows none of the transcript because the task contains what is judged.
    pub blind: bool,
    /// The reply's schema: objects with all properties required, integers, booleans, texts, lists. A property's `default`
    /// replaces it in a reply that lacks it.
    pub schema: Value,
}

/// An object with exactly these properties, all of them required.
pub fn object(properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().into_iter().flat_map(Map::keys).collect();
    json!({"type": "object", "required": required, "additionalProperties": false, "properties": properties})
}

/// A text in a reply as one line; nothing where it is none.
pub fn line(value: &Value) -> String {
    text::one_line(value.as_str().unwrap_or_default())
}

/// Maximum tokens of a reply of this shape by a participant whose statements may have `said` tokens. A limit meant for
/// statements must not cut what the shape takes.
pub(in crate::floor) fn most_tokens(by: &Participant, said: u32, schema: &Value) -> u32 {
    said.max(by.least_shaped()).min(of_shape(schema))
}

/// Tokens that a shape takes: all of its texts at their maximum, its keys, and blanks that models add.
fn of_shape(schema: &Value) -> u32 {
    let characters = most_characters(schema) as f64;
    let tokens = (characters * 1.2 / text::CHARS_PER_TOKEN) as u32;
    tokens.max(LEAST_TOKENS)
}

fn most_characters(schema: &Value) -> usize {
    let bound = |key: &str| schema[key].as_u64().unwrap_or(0) as usize;
    match schema["type"].as_str() {
        Some("object") => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            let each =
                |(key, inner): (&String, &Value)| key.len() + PROPERTY + most_characters(inner);
            properties.map(each).sum()
        }
        Some("array") => bound("maxItems") * (PROPERTY + most_characters(&schema["items"])),
        Some("string") => bound("maxLength"),
        _ => 0,
    }
}

/// A judgment as read.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The judgment in the form of the trace, without what a format makes of its value.
    pub reading: Reading,
    /// The value, which fits the schema. Only if the judgment is valid.
    pub value: Value,
    /// The last reply as received, if there is one.
    pub raw: Option<String>,
}

impl Answer {
    /// The judgment with its reason. `order` names the contestants judged, as the judge saw them. The format adds scores, totals
    /// and marks.
    pub fn reading(&self, order: Vec<String>, reason: &str) -> Reading {
        let reason = self.value[reason].as_str().unwrap_or_default().to_owned();
        Reading { order, reason, ..self.reading.clone() }
    }

    /// The judge: the model that answered, or else the one that was asked.
    pub fn judge(&self, by: &Participant) -> Judge {
        Judge {
            kind: "model".to_owned(),
            id: by.id.clone(),
            model: Some(self.reading.model.clone().unwrap_or_else(|| by.model.clone())),
        }
    }
}
