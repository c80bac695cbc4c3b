//! The rows of a file, each with its line: CSV with a header, or JSON, one object per line or in one list.

use serde_json::{Map, Value};

use super::faults::{Fault, Faults};
use crate::text;

/// The most rows of a file.
pub(super) const MOST_ROWS: usize = 100_000;

/// A row of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The line it begins on, from 1.
    pub line: usize,
    /// Its values, by column or key; those of a CSV file without a header by number, from 1.
    pub fields: Map<String, Value>,
}

/// Reads a file's rows. Whether it is CSV, its name says; whether it has a header, its first row: one of the usual names stands
/// there, or one of `named`.
pub fn rows(name: &str, source: &str, named: &[&str]) -> (Vec<Row>, Faults) {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let is_csv = name.to_lowercase().ends_with(".csv");
    let (mut rows, mut faults) = match source.trim_start().starts_with('[') {
        _ if is_csv => csv(source, named),
        true => list(source),
        false => lines(source),
    };
    if rows.len() > MOST_ROWS {
        let line = rows[MOST_ROWS].line;
        let cause = format!("there are more than {} rows", text::grouped(MOST_ROWS));
        faults.push(Fault::new(line, cause, "split the file"));
        rows.truncate(MOST_ROWS);
    }
    if rows.is_empty() && faults.is_empty() {
        faults.push(Fault::new(
            1,
            "the file is empty",
            "write one question or topic per row",
        ));
    }
    (rows, faults)
}

fn lines(source: &str) -> (Vec<Row>, Faults) {
    let (mut rows, mut faults) = (Vec::new(), Faults::default());
    let lines = source
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.trim()));
    for (line, text) in lines
        .filter(|(_, text)| !text.is_empty())
        .take(MOST_ROWS + 1)
    {
        match serde_json::from_str(text) {
            Ok(Value::Object(fields)) => rows.push(Row { line, fields }),
            Ok(_) => faults.push(Fault::new(
                line,
                "this line is JSON, but no object",
                "write one object per line: `{\"question\": …}`",
            )),
            Err(error) => {
                let cause = format!("this line is not JSON: {}", without_place(&error));
                faults.push(Fault::new(
                    line,
                    cause,
                    "write one JSON object per line, or name the file .csv",
                ));
            }
        }
    }
    (rows, faults)
}

fn list(source: &str) -> (Vec<Row>, Faults) {
    let entries: Vec<Value> = match serde_json::from_str(source) {
        Ok(entries) => entries,
        Err(error) => {
            let cause = format!("the list is not JSON: {}", without_place(&error));
            let mut faults = Faults::default();
            faults.push(Fault::new(error.line().max(1), cause, "mend it there"));
            return (Vec::new(), faults);
        }
    };
    let (mut rows, mut faults) = (Vec::new(), Faults::default());
    for (entry, line) in entries.into_iter().zip(lines_of_entries(source)) {
        match entry {
            Value::Object(fields) => rows.push(Row { line, fields }),
            _ => faults.push(Fault::new(
                line,
                "this entry of the list is no object",
                "write objects: `{\"question\": …}`",
            )),
        }
    }
    (rows, faults)
}

/// The line on which each entry of a list begins. The source is JSON.
fn lines_of_entries(source: &str) -> Vec<usize> {
    let (mut lines, mut line, mut depth) = (Vec::new(), 1, 0_usize);
    let (mut in_text, mut is_escaped, mut is_awaited) = (false, false, false);
    for c in source.chars() {
        if in_text {
            in_text = is_escaped || c != '"';
            is_escaped = !is_escaped && c == '\\';
            continue;
        }
        line += usize::from(c == '\n');
        if is_awaited && !c.is_whitespace() && c != ']' {
            lines.push(line);
            is_awaited = false;
        }
        match c {
            '"' => in_text = true,
            '[' | '{' => {
                is_awaited = depth == 0;
                depth += 1;
            }
            ']' | '}' => depth -= 1,
            ',' if depth == 1 => is_awaited = true,
            _ => {}
        }
    }
    lines
}

/// A message of the JSON reader without its own line, which is not the file's.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message
        .split(" at line ")
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn csv(source: &str, named: &[&str]) -> (Vec<Row>, Faults) {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(source.as_bytes());
    let (mut rows, mut faults, mut header) = (Vec::new(), Faults::default(), None::<Vec<String>>);
    let mut record = csv::StringRecord::new();
    while rows.len() <= MOST_ROWS {
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                let line = error.position().map_or(1, |at| at.line() as usize);
                faults.push(Fault::new(
                    line,
                    "this row is not CSV",
                    "put a field with quotes, commas or line ends in quotes",
                ));
                break;
            }
        }
        let line = record.position().map_or(1, |at| at.line() as usize);
        let names = header.get_or_insert_with(|| names(&record, named));
        if rows.is_empty()
            && faults.is_empty()
            && record
                .iter()
                .map(str::trim)
                .eq(names.iter().map(String::as_str))
        {
            continue;
        }
        if record.len() != names.len() {
            let [found, wanted] =
                [record.len(), names.len()].map(|n| text::count(n as u64, "field"));
            faults.push(Fault::new(
                line,
                format!("this row has {found}, the first has {wanted}"),
                "put a field with commas in quotes",
            ));
            continue;
        }
        let fields = names.iter().cloned().zip(record.iter().map(Value::from));
        rows.push(Row {
            line,
            fields: fields.collect(),
        });
    }
    (rows, faults)
}

/// Names that make a first row a header.
const HEADERS: [&str; 7] = [
    "question", "topic", "query", "text", "input", "prompt", "id",
];

/// The names of the columns: those of the first row where it is a header, else numbers.
fn names(first: &csv::StringRecord, named: &[&str]) -> Vec<String> {
    let written = first.iter().map(|name| name.trim().to_owned());
    let is_usual = |name: &str| HEADERS.contains(&name.to_lowercase().as_str());
    let is_header = |name: &str| is_usual(name.trim()) || named.contains(&name.trim());
    match first.iter().any(is_header) {
        true => written.collect(),
        false => (1..=first.len()).map(|n| n.to_string()).collect(),
    }
}
