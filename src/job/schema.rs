//! The JSON Schema of a job file, derived from the reader's keys.

use std::ops::RangeInclusive;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::checks::FEWEST;
use super::format_registry::AnyFormat;
use super::panel;
use super::participant::Participant;
use super::settings::keys;
use super::shape::{Key, Shape};

/// The schema of a job file: `format` says which keys it may have.
pub fn job_schema() -> Value {
    let base = Participant::default();
    let schema = |format: AnyFormat| (format.name().to_owned(), section(&keys(format, &base)));
    let formats: Map<String, Value> = AnyFormat::all().map(schema).collect();
    let names: Vec<&String> = formats.keys().collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "rebut job file",
        "type": "object",
        "properties": {"format": {"enum": names, "default": names[0]}},
        "allOf": AnyFormat::all().map(|format| json!({
            "if": is_format(format),
            "then": {"$ref": format!("#/$defs/{}", format.name())},
        })).collect::<Value>(),
        "$defs": formats,
    })
}

/// The schema of a panel file.
pub fn panel_schema() -> Value {
    let keys = panel::keys();
    let mut schema = section(&keys);
    let required: Vec<&str> =
        keys.iter().filter(|key| key.default.is_none()).map(|key| &*key.name).collect();
    schema["required"] = json!(required);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("rebut panel file");
    schema
}

/// What a job of a format says; one that says nothing has the default format.
fn is_format(format: AnyFormat) -> Value {
    let says = json!({"properties": {"format": {"const": format.name()}}});
    if format.name() == AnyFormat::default_one().name() {
        return says;
    }
    json!({"properties": says["properties"], "required": ["format"]})
}

fn section(keys: &[Key]) -> Value {
    let allowed = keys.iter().filter(|key| key.is_allowed());
    let properties: Map<String, Value> =
        allowed.map(|key| (key.name.clone().into_owned(), property(key))).collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

fn property(key: &Key) -> Value {
    let mut schema = shape(&key.shape);
    schema["description"] = json!(key.doc);
    if let Some(default) = &key.default {
        schema["default"] = default.clone();
    }
    schema
}

fn shape(shape_: &Shape) -> Value {
    match shape_ {
        Shape::Text { length, lines } => {
            // Half as many full-width characters are long enough for a subject.
            let least = match *length.start() {
                FEWEST.. => length.start().div_ceil(2),
                least => least,
            };
            let mut text = json!({"type": "string", "minLength": least, "maxLength": length.end()});
            if !lines {
                text["pattern"] = json!("^[^\\n\\u000b\\u000c\\r\\u0085\\u2028\\u2029]*$");
            }
            text
        }
        Shape::Whole(range) => numeric("integer", range),
        Shape::Number(range) => numeric("number", range),
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Choice(words) => json!({"enum": words}),
        Shape::List(item, count) => {
            json!({"type": "array", "items": shape(item), "minItems": count.start(), "maxItems": count.end()})
        }
        Shape::Section(keys) => section(keys),
        Shape::ByName(value) => json!({"type": "object", "additionalProperties": shape(value)}),
        Shape::Either(shapes) => json!({"anyOf": shapes.iter().map(shape).collect::<Vec<_>>()}),
        Shape::Nullable(inner) | Shape::Derived(inner) => {
            json!({"anyOf": [shape(inner), {"type": "null"}]})
        }
        Shape::ReadBy(inner, _) => shape(inner),
        Shape::Any | Shape::Refused { .. } => json!({}),
    }
}

fn numeric(kind: &str, range: &RangeInclusive<impl Serialize>) -> Value {
    json!({"type": kind, "minimum": range.start(), "maximum": range.end()})
}
