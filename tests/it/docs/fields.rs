//! Tables of fields, from a schema that the program prints.

use std::fmt::Write;

use serde_json::Value;

/// A table per object of the schema, the whole first.
pub(super) fn tables(schema: &str) -> String {
    let schema: Value = serde_json::from_str(schema).expect("a schema is JSON");
    let mut text = table(&schema);
    for (name, definition) in schema["$defs"].as_object().expect("definitions") {
        let _ = write!(text, "\n### {name}\n\n{}\n\n{}", doc(definition), table(definition));
    }
    text
}

fn table(definition: &Value) -> String {
    let mut text = String::new();
    if let Some(fields) = definition["properties"].as_object() {
        text.push_str("| field | type | meaning |\n|---|---|---|\n");
        for (name, field) in fields {
            let _ = writeln!(text, "| `{name}` | {} | {} |", kind(field), doc(field));
        }
    }
    if let Some(choices) = definition["oneOf"].as_array() {
        text.push_str("| value | meaning |\n|---|---|\n");
        for choice in choices {
            for value in words(choice) {
                let _ = writeln!(text, "| `{value}` | {} |", doc(choice));
            }
        }
    }
    if definition["enum"].is_array() {
        let _ = writeln!(text, "One of `{}`.", words(definition).join("`, `"));
    }
    text
}

fn words(choice: &Value) -> Vec<&str> {
    let many = choice["enum"].as_array().into_iter().flatten();
    many.chain([&choice["const"]]).filter_map(Value::as_str).collect()
}

fn doc(value: &Value) -> String {
    let said = value["description"].as_str().unwrap_or_default();
    said.replace('\n', " ").replace('|', "\\|").replace("[`", "`").replace("`]", "`")
}

/// The type of a field in words.
fn kind(field: &Value) -> String {
    let either = field["anyOf"].as_array().into_iter().flatten().map(kind);
    let types = match &field["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if let Some(name) = field["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    let said: Vec<String> =
        either.chain(types.into_iter().map(|name| plain(name, field))).collect();
    if said.is_empty() { "any".to_owned() } else { said.join(" or ") }
}

fn plain(name: &str, field: &Value) -> String {
    match name {
        "array" if field["items"].is_object() => format!("list of {}", kind(&field["items"])),
        "array" => "list".to_owned(),
        "object" if field["additionalProperties"].is_object() => {
            format!("mapping to {}", kind(&field["additionalProperties"]))
        }
        "string" if field["format"] == "date-time" => "time".to_owned(),
        "string" => "text".to_owned(),
        other => other.to_owned(),
    }
}
