//! `topics:`: a file with a topic per row, each a cell (row C4).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::list_file::{assigned, check_slurs, source, told};
use super::subject;
use crate::job::checks::check_named;
use crate::job::format_registry::AnyFormat;
use crate::job::matrix::cell::Cell;
use crate::job::problem::{Place, Refusal, named};
use crate::job::reader::Reader;
use crate::job::tree::{Data, Node};
use crate::question::{self, Faults, Row};

/// The files in which a topic may stand.
const ENDINGS: [&str; 5] = ["csv", "jsonl", "json", "txt", "md"];

/// The cells of a file of topics.
pub(in crate::job) fn topics(
    job: &Node,
    format: AnyFormat,
    name: &str,
    reader: Reader<'_>,
) -> Option<Vec<Cell>> {
    let place = job.place_of_value("topics");
    let source = source(place, name, &ENDINGS, reader)?;
    let key = subject::key(format);
    let lower = name.to_lowercase();
    let (rows, mut faults) = match lower.ends_with(".txt") || lower.ends_with(".md") {
        true => plain_rows(key, &source),
        false => question::rows(name, &source, &[]),
    };
    let (mut cells, mut seen) = (Vec::new(), BTreeMap::new());
    for row in &rows {
        match topic_cell(row, job, format, place) {
            Ok((topic, cell)) => {
                if let Some(first) = seen.insert(topic, row.line) {
                    let cause = format!("this topic is the same as on line {first}");
                    faults.add(row.line, cause, "remove one of them");
                }
                cells.push(cell);
            }
            Err((cause, remedy)) => faults.add(row.line, cause, remedy),
        }
    }
    told(name, &source, reader.problems, faults, cells)
}

/// A topic per line; empty lines and those that begin with `#` are passed over.
fn plain_rows(key: &str, source: &str) -> (Vec<Row>, Faults) {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let lines = (1..).zip(source.lines().map(str::trim));
    let said = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let row = |(line, text): (usize, &str)| Row {
        line,
        fields: Map::from_iter([(key.to_owned(), Value::from(text))]),
    };
    let rows: Vec<Row> = said.map(row).collect();
    let mut faults = Faults::default();
    if rows.is_empty() {
        faults.add(1, "the file has no topics", "write one per line");
    }
    (rows, faults)
}

/// The topic of a row and its cell; further columns are tags.
fn topic_cell(
    row: &Row,
    job: &Node,
    format: AnyFormat,
    place: &Place,
) -> Result<(String, Cell), Refusal> {
    let key = subject::key(format);
    let names = [key, "topic", "query", "question"];
    let own = names
        .into_iter()
        .find(|name| row.fields.contains_key(*name));
    let own = own.ok_or_else(|| {
        let remedy = format!("name the column or key `{key}`");
        (format!("there is no `{key}`"), remedy)
    })?;
    let topic = row.fields[own].as_str().unwrap_or_default().trim();
    let what = format!("its `{own}`");
    let (length, lines) = subject::length(format);
    check_named(&what, topic, &length, lines)?;
    named(&what, check_slurs(job, [topic].into_iter()))?;
    let mut cell = vec![assigned(key, Data::Text(topic.to_owned()), place)];
    for (name, value) in row.fields.iter().filter(|(name, _)| *name != own) {
        let value = match value {
            Value::Null => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        check_named("the name of a column", name, &(1..=200), false)?;
        check_named(&format!("its `{name}`"), &value, &(0..=200), false)?;
        let path = format!("tags.{}", name.replace('.', "_"));
        cell.push(assigned(&path, Data::Text(value), place));
    }
    Ok((topic.to_owned(), cell))
}
