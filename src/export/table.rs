//! Tables: columns by name, and rows as CSV or as JSON objects with the same cells.

use serde_json::{Map, Value, json};

use crate::job::models::model_name::canonical;
use crate::templates::inert_json;
use crate::text::csv;
use crate::trace::Trace;

/// A debate and where it was found.
pub(super) struct Debate<'t> {
    pub(super) trace: &'t Trace,
    /// Its directory, relative to the one that was named.
    pub(super) path: &'t str,
}

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// With commas between the cells (RFC 4180).
    Csv,
    /// As a JSON object a row.
    Jsonl,
}

/// A table that debates add rows to.
pub(super) struct ExportTable {
    pub(super) name: &'static str,
    pub(super) columns: fn() -> Vec<&'static str>,
    pub(super) rows: fn(&Debate<'_>) -> Vec<Vec<Value>>,
}

/// A column of rows that are made of a trace and something in it.
pub(super) struct Column<R> {
    name: &'static str,
    value: fn(&Trace, &R) -> Value,
}

/// A model's canonical name: traces from before names were canonical hold both.
pub(super) fn model(name: Option<&str>) -> Value {
    json!(name.map(canonical))
}

/// A column.
pub(super) fn column<R>(name: &'static str, value: fn(&Trace, &R) -> Value) -> Column<R> {
    Column { name, value }
}

/// The columns that every table begins with, so that each can be used alone, and its own.
pub(super) fn with_debate<R>(own: Vec<Column<R>>) -> Vec<Column<R>> {
    let mut columns = vec![
        column("debate", |trace, _| json!(trace.id)),
        column("format", |trace, _| json!(trace.format)),
        column("job", |trace, _| json!(trace.job)),
        column("topic", |trace, _| json!(trace.topic)),
        column("rehearsal", |trace, _| json!(trace.rehearsal)),
    ];
    columns.extend(own);
    columns
}

/// The names of columns: words that SQL takes without quotes.
pub(super) fn names<R>(columns: &[Column<R>]) -> Vec<&'static str> {
    columns.iter().map(|column| column.name).collect()
}

/// The cells of rows. CSV cannot tell an empty text from none; so both are `null`.
pub(super) fn cells<R>(
    columns: &[Column<R>],
    trace: &Trace,
    rows: impl IntoIterator<Item = R>,
) -> Vec<Vec<Value>> {
    let cell = |column: &Column<R>, row: &R| match (column.value)(trace, row) {
        Value::String(text) if text.is_empty() => Value::Null,
        value => value,
    };
    let cells = |row| columns.iter().map(|column| cell(column, &row)).collect();
    rows.into_iter().map(cells).collect()
}

impl ExportTable {
    /// The name of its file, and what that begins with: in CSV the names of the columns.
    pub(super) fn file(&self, form: Encoding) -> (String, Vec<u8>) {
        let name = self.name;
        match form {
            Encoding::Csv => (format!("{name}.csv"), csv::records([(self.columns)()])),
            Encoding::Jsonl => (format!("{name}.jsonl"), Vec::new()),
        }
    }

    /// A debate's rows, and how many they are.
    pub(super) fn rows(&self, debate: &Debate<'_>, form: Encoding) -> (Vec<u8>, u64) {
        let rows = (self.rows)(debate);
        let count = rows.len() as u64;
        let text = match form {
            Encoding::Csv => csv::records(rows.iter().map(|row| row.iter().map(plain))),
            Encoding::Jsonl => jsonl(&(self.columns)(), rows),
        };
        (text, count)
    }
}

/// A cell as CSV has it: texts as they are, no value as nothing, everything else as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn jsonl(columns: &[&str], rows: Vec<Vec<Value>>) -> Vec<u8> {
    let names = || columns.iter().map(|name| (*name).to_owned());
    let object = |row: Vec<Value>| Value::Object(names().zip(row).collect::<Map<_, _>>());
    rows.into_iter().flat_map(|row| line(&object(row))).collect()
}

/// A line of JSON in which nothing acts on a terminal.
pub(super) fn line(value: &Value) -> Vec<u8> {
    (inert_json(&value.to_string()) + "\n").into_bytes()
}
