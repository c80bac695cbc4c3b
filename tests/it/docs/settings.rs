//! Tables of settings, from the schema of a job.

use std::fmt::Write;

use rebut::job::schema::{job_schema, panel_schema};
use serde_json::{Map, Value};

use crate::formats::FORMATS;

/// A key that only participants have.
const PARTICIPANT: &str = "context_window";
/// A participant whose keys all participants have.
const EXAMPLE: &str = "x";
/// Keys of a participant whose defaults differ by role.
const BY_ROLE: [&str; 3] = ["name", "position", "persona"];

/// The settings `of` every job, every participant, or a format.
pub(super) fn table(of: &str) -> String {
    let schema = job_schema();
    let shared = |key: &str| is_shared(&schema, key);
    let knockout = properties(&schema, "knockout");
    let mut table = "| key | default | values | meaning |\n|---|---|---|---|\n".to_owned();
    match of {
        "every job" => rows(&mut table, "", knockout, &shared),
        "every participant" => {
            let participant = section(&knockout[EXAMPLE]).expect("a participant has keys");
            rows(&mut table, "", participant, &|_| true);
        }
        "a panel" => {
            let schema = panel_schema();
            let keys = schema["properties"].as_object().expect("keys");
            rows(&mut table, "", keys, &|_| true);
            rows(&mut table, "judges.", judge(&schema), &|_| true);
        }
        format => rows(&mut table, "", properties(&schema, format), &|key| !shared(key)),
    }
    table
}

/// The keys of a panel's judge.
fn judge(schema: &Value) -> &Map<String, Value> {
    let judge = &schema["properties"]["judges"]["items"]["properties"];
    judge.as_object().expect("a judge has keys")
}

fn properties<'s>(schema: &'s Value, format: &str) -> &'s Map<String, Value> {
    let format = &schema["$defs"][format]["properties"];
    format.as_object().expect("a format has keys")
}

fn is_shared(schema: &Value, key: &str) -> bool {
    let mut names = FORMATS.iter().map(|format| format.name);
    names.all(|format| properties(schema, format).contains_key(key))
}

/// The rows of a section's keys; those of a small section follow, joined by a dot.
fn rows(
    table: &mut String,
    prefix: &str,
    keys: &Map<String, Value>,
    wanted: &dyn Fn(&str) -> bool,
) {
    for (key, value) in keys.iter().filter(|(key, _)| wanted(key)) {
        let doc = value["description"].as_str().unwrap_or_default();
        let by_role = keys.contains_key(PARTICIPANT) && BY_ROLE.contains(&key.as_str());
        let default = if by_role { "by role".to_owned() } else { default(value) };
        let _ = writeln!(table, "| `{prefix}{key}` | {default} | {} | {doc} |", values(value));
        if let Some(inner) = section(value).filter(|inner| !inner.contains_key(PARTICIPANT)) {
            rows(table, &format!("{prefix}{key}."), inner, &|_| true);
        }
        if let Some(inner) = value["additionalProperties"]["properties"].as_object() {
            rows(table, &format!("{prefix}{key}.NAME."), inner, &|_| true);
        }
    }
}

/// The keys of a value that is a mapping, whether it may be left out or not.
fn section(value: &Value) -> Option<&Map<String, Value>> {
    let either = value["anyOf"].as_array().into_iter().flatten();
    let mut shapes = std::iter::once(value).chain(either);
    shapes.find_map(|shape| shape["properties"].as_object())
}

fn default(value: &Value) -> String {
    match &value["default"] {
        Value::Null if value.get("default").is_none() => "required".to_owned(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        Value::Object(criteria) => {
            let weight =
                |(name, criterion): (&String, &Value)| format!("{name} {}", criterion["weight"]);
            let criteria: Vec<String> = criteria.iter().map(weight).collect();
            format!("`{}`", criteria.join(", "))
        }
        Value::Array(items) if items.iter().all(Value::is_object) && !items.is_empty() => {
            format!("{} of them", items.len())
        }
        Value::String(text) if text.is_empty() => String::new(),
        Value::Array(items) => {
            let items: Vec<String> =
                items.iter().map(|item| item.to_string().replace('"', "")).collect();
            format!("`[{}]`", items.join(", "))
        }
        other => format!("`{}`", other.to_string().replace('"', "")),
    }
}

/// What a value may be, in short; nothing where the default says it.
fn values(value: &Value) -> String {
    let either: Vec<String> = value["anyOf"].as_array().into_iter().flatten().map(values).collect();
    let words: Vec<String> = value["enum"].as_array().into_iter().flatten().map(word).collect();
    match value["type"].as_str() {
        _ if !either.is_empty() => {
            let said: Vec<String> = either.into_iter().filter(|said| !said.is_empty()).collect();
            said.join(" or ")
        }
        _ if !words.is_empty() => words.join(", "),
        Some("integer" | "number") => range(&value["minimum"], &value["maximum"]),
        Some("array") => {
            let count = range(&value["minItems"], &value["maxItems"]);
            match values(&value["items"]).as_str() {
                "" => format!("list of {count}"),
                items => format!("list of {count}: {items}"),
            }
        }
        Some("boolean") => "`true`, `false`".to_owned(),
        Some("null") => "`null`".to_owned(),
        Some("string") => match value["maxLength"].as_u64() {
            Some(most) => {
                // The schema has half of a subject's fewest, since full-width characters count twice.
                let least = value["minLength"].as_u64().unwrap_or_default();
                let least = if least > 2 { 2 * least } else { least };
                format!("text of {} characters", range(&least.into(), &most.into()))
            }
            None => "text".to_owned(),
        },
        _ => String::new(),
    }
}

fn word(word: &Value) -> String {
    format!("`{}`", word.to_string().replace('"', ""))
}

fn range(least: &Value, most: &Value) -> String {
    let huge = most.as_f64().is_none_or(|most| most >= 1e9);
    if least.as_f64().is_none_or(|least| least <= -1e9) {
        String::new()
    } else if huge {
        format!("{least} or more")
    } else {
        format!("{least}–{most}")
    }
}
