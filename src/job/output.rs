//! What is written of a debate beside the artifacts that each has.

use serde::{Deserialize, Serialize};

use super::keys::Keys;
use super::shape::Shape;
use super::tree::Node;
use super::words;

/// A form of messages and transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Markdown, always written.
    Md,
    /// JSON.
    Json,
    /// Plain text.
    Text,
}

/// What is written beside the artifacts that every debate has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputOptions {
    /// The forms of messages and transcript.
    pub formats: Vec<Form>,
    /// Whether the whole debate is written into one file too.
    pub transcript: bool,
}

impl Default for OutputOptions {
    fn default() -> Self {
        Self {
            formats: vec![Form::Md],
            transcript: false,
        }
    }
}

/// Reads what is written beside the usual artifacts.
pub(super) fn read(keys: &mut Keys<'_>) -> OutputOptions {
    keys.section(
        "output",
        "What is written beside the usual artifacts",
        |keys| {
            let shape = Shape::List(
                Box::new(Shape::Choice(
                    ["md", "json", "text"].map(str::to_owned).into(),
                )),
                0..=3,
            );
            let doc = "Forms of messages and transcript; md is always written";
            let formats = keys
                .raw("formats", shape, serde_json::json!(["md"]), doc)
                .map(|node| read_forms(keys, node));
            let transcript = keys.flag(
                "transcript",
                false,
                "Whether the whole debate is written into one file too",
            );
            OutputOptions {
                formats: formats.unwrap_or_else(|| vec![Form::Md]),
                transcript,
            }
        },
    )
}

fn read_forms(keys: &Keys<'_>, node: &Node) -> Vec<Form> {
    let mut forms = vec![Form::Md];
    for item in node.items() {
        let form = match item.json().as_str() {
            Some("md") => Form::Md,
            Some("json") => Form::Json,
            Some("text") => Form::Text,
            _ => {
                keys.problems.add(
                    &item.place,
                    format!("{} is no form of output", words::shown(item)),
                    "the forms are md, json and text",
                );
                continue;
            }
        };
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}
