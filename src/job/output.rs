//! Optional output of a debate, on top of the artifacts every debate has.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::reader::Reader;
use super::settings_macro::settings;
use super::shape::{choice, flag, list};
use super::tree::Node;
use crate::text;

/// A file format of messages and transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputFormat {
    /// Markdown, always written.
    Md,
    /// JSON.
    Json,
    /// Plain text.
    Text,
}

settings! {
    /// What is written beside the artifacts that every debate has.
    pub struct OutputOptions {
        /// File formats of messages and transcript; md is always written
        formats: Vec<OutputFormat> = vec![OutputFormat::Md], list(choice::<OutputFormat>(), 0..=3).read_by(|reader, _, node| Some(read_formats(reader, node)));
        /// Whether to also write the whole debate to one file
        transcript: bool = false, flag();
    }
}

fn read_formats(reader: &Reader<'_>, node: &Node) -> Value {
    let mut formats = vec![OutputFormat::Md];
    for item in node.items() {
        let Ok(format) = serde_json::from_value(item.json()) else {
            let cause = format!("{} is not an output format", item.shown());
            reader.problems.add(&item.place, cause, "the formats are md, json and text");
            continue;
        };
        formats.push(format);
    }
    json!(text::distinct(formats))
}
