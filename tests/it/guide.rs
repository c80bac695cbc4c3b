//! The tables of settings in `GUIDE.md` say what the schema says. `SNAPSHOTS=overwrite` writes them anew.

use std::fmt::Write;
use std::path::Path;

use rebut::job::schema::job_schema;
use rebut::templates::Templates;
use serde_json::{Map, Value};

use crate::formats::FORMATS;
use crate::harness::read;

/// What a participant has and no other section.
const PARTICIPANT: &str = "context_window";
/// A participant whose keys all have.
const EXAMPLE: &str = "clerk";
/// Keys of a participant whose defaults differ.
const BY_ROLE: [&str; 3] = ["name", "position", "persona"];

fn schema() -> Value {
    job_schema(&Templates::load(None).expect("the built-in templates"))
}

fn properties<'s>(schema: &'s Value, format: &str) -> &'s Map<String, Value> {
    let format = &schema["$defs"][format]["properties"];
    format.as_object().expect("a format has keys")
}

/// The keys that all formats have.
fn is_shared(schema: &Value, key: &str) -> bool {
    let has = |format: &&str| properties(schema, format).contains_key(key);
    FORMATS
        .iter()
        .map(|format| format.name)
        .all(|format| has(&format))
}

/// The rows of a section's keys; those of a small section stand below it, with a dot.
fn rows(
    table: &mut String,
    prefix: &str,
    keys: &Map<String, Value>,
    wanted: &dyn Fn(&str) -> bool,
) {
    for (key, value) in keys.iter().filter(|(key, _)| wanted(key)) {
        let doc = value["description"].as_str().unwrap_or_default();
        let by_role = keys.contains_key(PARTICIPANT) && BY_ROLE.contains(&key.as_str());
        let default = if by_role {
            "by role".to_owned()
        } else {
            default(value)
        };
        let _ = writeln!(table, "| `{prefix}{key}` | {default} | {doc} |");
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
        Value::Null if value.get("default").is_none() => "must be given".to_owned(),
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
            let items: Vec<String> = items
                .iter()
                .map(|item| item.to_string().replace('"', ""))
                .collect();
            format!("`[{}]`", items.join(", "))
        }
        other => format!("`{}`", other.to_string().replace('"', "")),
    }
}

fn table(keys: &Map<String, Value>, wanted: &dyn Fn(&str) -> bool) -> String {
    let mut table = "| key | default | meaning |\n|---|---|---|\n".to_owned();
    rows(&mut table, "", keys, wanted);
    table
}

/// The guide with its tables as the schema has them.
fn renewed(guide: &str) -> String {
    let schema = schema();
    let knockout = properties(&schema, "knockout");
    let participant = section(&knockout[EXAMPLE]).expect("a participant has keys");
    let shared = |key: &str| is_shared(&schema, key);
    let mut tables = vec![
        ("every job".to_owned(), table(knockout, &shared)),
        (
            "every participant".to_owned(),
            table(participant, &|_| true),
        ),
    ];
    for format in FORMATS {
        let keys = properties(&schema, format.name);
        let own = |key: &str| !is_shared(&schema, key);
        tables.push((format.name.to_owned(), table(keys, &own)));
    }
    tables
        .into_iter()
        .fold(guide.to_owned(), |guide, (name, table)| {
            let (begin, end) = (
                format!("<!-- settings of {name} -->\n"),
                "<!-- end of settings -->",
            );
            let (before, rest) = guide
                .split_once(&begin)
                .unwrap_or_else(|| panic!("no {begin}"));
            let (_, after) = rest.split_once(end).expect("an end");
            format!("{before}{begin}\n{table}\n{end}{after}")
        })
}

#[test]
fn j1_the_guides_tables_of_settings_are_the_schemas() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("GUIDE.md");
    let guide = read(&path);
    let renewed = renewed(&guide);
    if std::env::var_os("SNAPSHOTS").is_some_and(|how| how == "overwrite") {
        std::fs::write(&path, &renewed).expect("the guide is written");
    } else {
        let differs = guide.lines().zip(renewed.lines()).find(|(a, b)| a != b);
        assert_eq!(
            guide, renewed,
            "first: {differs:?}; SNAPSHOTS=overwrite writes the tables anew"
        );
    }
}

#[test]
fn j1_the_guide_has_a_section_with_flow_and_excerpt_for_every_format() {
    let guide = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("GUIDE.md"));
    for format in FORMATS {
        let heading = format!("\n## {}\n", format.name);
        let (_, section) = guide
            .split_once(&heading)
            .unwrap_or_else(|| panic!("no{heading}"));
        let section = section.split("\n## ").next().expect("a section");
        let (_, excerpt) = section.split_once("### An excerpt").unwrap_or_default();
        assert!(excerpt.contains("```text"), "{}: no excerpt", format.name);
        for part in ["```mermaid", "### Settings", "### An excerpt"] {
            assert!(section.contains(part), "{}: no {part}", format.name);
        }
    }
}
