//! A requested judgment, and its result.

use serde_json::{Map, Value, json};

use crate::call_id::CallId;
use crate::event::{Judge, Reading, ReadingStatus, TokenCount};
use crate::job::participant::Participant;
use crate::text;

/// The least that a structured reply may take, in tokens.
const LEAST_TOKENS: u32 = 700;
/// Characters of a reply that is not prose, such as `"logical_coherence": 7, `: one property, its value and what is around.
const PROPERTY: usize = 12;

/// A judgment that is wanted.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The call.
    pub call: CallId,
    /// Who is asked, by id.
    pub by: &'a str,
    /// The template of the task.
    pub template: &'a str,
    /// What the template may use.
    pub context: Value,
    /// Whether nothing of the transcript is shown: what is judged is in the task.
    pub blind: bool,
    /// The shape of the reply: objects with every property required, integers, booleans, texts, lists. Where a property has
    /// a `default`, that stands in for it in a reply without it.
    pub schema: Value,
}

/// An object with these properties, all of them required and no others.
pub fn object(properties: Value) -> Value {
    let all = properties.as_object().into_iter();
    let required: Vec<&String> = all.flat_map(Map::keys).collect();
    json!({"type": "object", "required": required, "additionalProperties": false, "properties": properties})
}

/// Maximum tokens of a reply of this shape, by someone whose statement may have so many: a limit that is meant for statements
/// does not cut what a shape takes.
pub(in crate::floor) fn most_tokens(by: &Participant, said: u32, schema: &Value) -> u32 {
    said.max(by.least_shaped()).min(of_shape(schema))
}

/// What a shape takes: all its texts at their bounds, its keys, and blanks that a model adds.
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

/// A judgment as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Whether there is one, and of what use.
    pub status: ReadingStatus,
    /// The value; it fits the schema. Only with `valid`.
    pub value: Value,
    /// The last reply as it came, if there is one.
    pub raw: Option<String>,
    /// Why there is no value.
    pub cause: Option<String>,
    /// What its reader had to do to make sense of it, by word (`fenced`, `named`…); nothing if the reply was as asked.
    pub read_as: Vec<String>,
    /// The call that gave it: the question's, or a second one where a whole panel was invalid.
    pub call: String,
    /// The model that gave it.
    pub model: Option<String>,
    /// The digest of the last request.
    pub prompt_digest: String,
    /// The digest of the task's template.
    pub template_digest: Option<String>,
    /// The seed of the last attempt.
    pub seed: u32,
    /// Number of attempts.
    pub attempts: u32,
    /// Tokens over all replies.
    pub tokens: TokenCount,
}

impl Answer {
    /// The judgment as traces have it. `order` names whom it judges, as the judge saw them; scores, totals and marks are
    /// for the format to add.
    pub fn reading(&self, order: Vec<String>, reason: &str) -> Reading {
        Reading {
            call: self.call.clone(),
            model: self.model.clone(),
            order,
            status: self.status,
            reason: self.value[reason].as_str().unwrap_or_default().to_owned(),
            cause: self.cause.clone(),
            read_as: self.read_as.clone(),
            prompt_digest: Some(self.prompt_digest.clone()),
            template_digest: self.template_digest.clone(),
            seed: Some(self.seed),
            attempts: self.attempts,
            tokens: self.tokens,
            ..Reading::default()
        }
    }

    /// Who judged: the model that answered, or the one that was asked.
    pub fn judge(&self, by: &Participant) -> Judge {
        Judge {
            kind: "model".to_owned(),
            id: by.id.clone(),
            model: Some(self.model.clone().unwrap_or_else(|| by.model.clone())),
        }
    }
}
