//! `topics:`: a file with a topic per row, each a cell (row C4).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::cell::Cell;
use super::checks;
use super::format_registry::AnyFormat;
use super::list_file::{allows_slurs, assigned, source, told};
use super::problem::{Place, Refusal};
use super::reader::Reader;
use super::subject;
use super::tree::{Data, Node};
use crate::question::{self, Fault, Faults, Row};

/// The cells of a file of topics.
pub(super) fn topics(
    job: &Node,
    format: AnyFormat,
    name: &str,
    reader: Reader<'_>,
) -> Option<Vec<Cell>> {
    let source = source(
        job,
        &["topics"],
        name,
        &["csv", "jsonl", "json", "txt", "md"],
        reader,
    )?;
    let key = subject::key(format);
    let (rows, mut faults) =
        match name.to_lowercase().ends_with(".txt") || name.to_lowercase().ends_with(".md") {
            true => plain_rows(key, &source),
            false => question::rows(name, &source, &[]),
        };
    let place = job
        .get("topics")
        .map_or(Place::START, |node| node.place.clone());
    let slurs = allows_slurs(job);
    let (mut cells, mut seen) = (Vec::new(), BTreeMap::new());
    for row in &rows {
        match topic_cell(row, key, format, slurs, &place) {
            Ok((topic, cell)) => {
                if let Some(first) = seen.insert(topic, row.line) {
                    faults.push(fault(
                        row,
                        format!("this topic is that of line {first}"),
                        "remove one of them",
                    ));
                }
                cells.push(cell);
            }
            Err((cause, remedy)) => faults.push(fault(row, cause, &remedy)),
        }
    }
    told(name, &source, reader.problems, faults, cells)
}

fn fault(row: &Row, cause: String, remedy: &str) -> Fault {
    Fault {
        line: row.line,
        cause,
        remedy: remedy.to_owned(),
    }
}

/// A topic per line; empty lines and those that begin with `#` are passed over.
fn plain_rows(key: &str, source: &str) -> (Vec<Row>, Faults) {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let lines = source
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.trim()));
    let said = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let row = |(line, text): (usize, &str)| Row {
        line,
        fields: Map::from_iter([(key.to_owned(), Value::from(text))]),
    };
    let rows: Vec<Row> = said.map(row).collect();
    let empty = rows.is_empty().then(|| Fault {
        line: 1,
        cause: "the file holds no topic".to_owned(),
        remedy: "write one per line".to_owned(),
    });
    let mut faults = Faults::default();
    faults.extend(empty);
    (rows, faults)
}

/// The topic of a row and its cell; further columns are tags.
fn topic_cell(
    row: &Row,
    key: &str,
    format: AnyFormat,
    slurs: bool,
    place: &Place,
) -> Result<(String, Cell), Refusal> {
    let names = [key, "topic", "query", "question"];
    let named = names.iter().find(|name| row.fields.contains_key(**name));
    let missing = || {
        (
            format!("there is no `{key}`"),
            format!("name the column or key `{key}`"),
        )
    };
    let named = *named.ok_or_else(missing)?;
    let topic = row.fields[named]
        .as_str()
        .unwrap_or_default()
        .trim()
        .to_owned();
    let about = |(cause, remedy)| (format!("its `{named}` {cause}"), remedy);
    let (length, lines) = subject::length(format);
    checks::check_text(&topic, &length, lines).map_err(about)?;
    if !slurs && subject::holds_slur(&topic) {
        return Err((
            format!("its `{named}` contains what the filter considers a severe slur"),
            "reword it, or set `allow_explicit: true` in the job".to_owned(),
        ));
    }
    let mut cell = vec![assigned(key, Data::Text(topic.clone()), place)];
    for (name, value) in row.fields.iter().filter(|(name, _)| **name != named) {
        let value = match value {
            Value::Null => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        checks::check_text(name, &(1..=200), false)
            .map_err(|(cause, remedy)| (format!("the name of a column {cause}"), remedy))?;
        checks::check_text(&value, &(0..=200), false)
            .map_err(|(cause, remedy)| (format!("its `{name}` {cause}"), remedy))?;
        cell.push(assigned(
            &format!("tags.{}", name.replace('.', "_")),
            Data::Text(value),
            place,
        ));
    }
    Ok((topic, cell))
}
