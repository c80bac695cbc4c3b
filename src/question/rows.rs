//! The rows of a file, each with its line: CSV with a header, or JSON, one object per line or in one list.

use std::collections::HashSet;

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::faults::Faults;
use crate::text;

/// Maximum rows of a file.
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
    let mut faults = Faults::default();
    let mut rows = if is_csv {
        csv(source, named, &mut faults)
    } else if source.trim_start().starts_with('[') {
        list(source, &mut faults)
    } else {
        lines(source, &mut faults)
    };
    if rows.len() > MOST_ROWS {
        let line = rows[MOST_ROWS].line;
        let cause = format!("there are more than {} rows", text::grouped(MOST_ROWS));
        faults.add(line, cause, "split the file");
        rows.truncate(MOST_ROWS);
    }
    if rows.is_empty() && faults.is_empty() {
        faults.add(1, "the file is empty", "write one question or topic per row");
    }
    (rows, faults)
}

fn lines(source: &str, faults: &mut Faults) -> Vec<Row> {
    let mut rows = Vec::new();
    let lines = (1..).zip(source.lines().map(str::trim));
    let written = lines.filter(|(_, text)| !text.is_empty());
    for (line, text) in written.take(MOST_ROWS + 1) {
        match serde_json::from_str(text) {
            Ok(Value::Object(fields)) => rows.push(Row { line, fields }),
            Ok(_) => {
                let remedy = "write one object per line: `{\"question\": …}`";
                faults.add(line, "this line is JSON, but not an object", remedy);
            }
            Err(error) => {
                let cause = format!("this line is not JSON: {}", without_place(&error));
                faults.add(line, cause, "write one JSON object per line, or name the file .csv");
            }
        }
    }
    rows
}

fn list(source: &str, faults: &mut Faults) -> Vec<Row> {
    let entries: Vec<Value> = match serde_json::from_str(source) {
        Ok(entries) => entries,
        Err(error) => {
            let cause = format!("the list is not JSON: {}", without_place(&error));
            faults.add(error.line().max(1), cause, "fix it there");
            return Vec::new();
        }
    };
    let mut rows = Vec::new();
    for (entry, line) in entries.into_iter().zip(lines_of_entries(source)) {
        match entry {
            Value::Object(fields) => rows.push(Row { line, fields }),
            _ => {
                let remedy = "write objects: `{\"question\": …}`";
                faults.add(line, "this entry of the list is not an object", remedy);
            }
        }
    }
    rows
}

/// The line on which each entry of a list begins. The source is JSON.
fn lines_of_entries(source: &str) -> Vec<usize> {
    let (mut lines, mut line, mut before) = (Vec::new(), 1, 0);
    let mut at = source.find('[').map_or(source.len(), |at| at + 1);
    loop {
        let gap = source[at..].find(|c: char| !c.is_whitespace() && c != ',');
        at += gap.unwrap_or_default();
        let mut entries =
            serde_json::Deserializer::from_str(&source[at..]).into_iter::<IgnoredAny>();
        // The bracket that closes the list is not an entry.
        let Some(Ok(_)) = entries.next() else { return lines };
        line += source[before..at].matches('\n').count();
        lines.push(line);
        before = at;
        at += entries.byte_offset();
    }
}

/// A message of the JSON reader without its own line, which is not the file's.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let what = message.split(" at line ").next();
    what.unwrap_or_default().to_owned()
}

fn csv(source: &str, named: &[&str], faults: &mut Faults) -> Vec<Row> {
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).flexible(true).delimiter(delimiter(source, named));
    let line_of = |at: Option<&csv::Position>| at.map_or(1, |at| line_at(source, at));
    let (mut rows, mut header) = (Vec::new(), None);
    for record in reader.from_reader(source.as_bytes()).records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let remedy = "put a field with quotes, commas or line ends in quotes";
                faults.add(line_of(error.position()), "this row is not CSV", remedy);
                break;
            }
        };
        let line = line_of(record.position());
        let names = header.get_or_insert_with(|| names(&record, named));
        if let Some(name) = twice(names) {
            let cause = format!("the header names the column `{name}` twice");
            faults.add(line, cause, "rename or remove one of them");
            break;
        }
        let is_header = || record.iter().map(str::trim).eq(names.iter());
        if rows.is_empty() && faults.is_empty() && is_header() {
            continue;
        }
        if record.len() != names.len() {
            let counts = [record.len(), names.len()];
            let [found, wanted] = counts.map(|n| text::count(n, "field"));
            let cause = format!("this row has {found}, but the first has {wanted}");
            faults.add(line, cause, "put a field with commas in quotes");
            continue;
        }
        let fields = names.iter().cloned().zip(record.iter().map(Value::from)).collect();
        rows.push(Row { line, fields });
        if rows.len() > MOST_ROWS {
            break;
        }
    }
    rows
}

/// The line on which a row begins. The reader's place is the end of the row before, which may lie ahead of the rest of a Windows
/// line end, and of empty lines.
fn line_at(source: &str, at: &csv::Position) -> usize {
    let rest = source.as_bytes().iter().skip(at.byte() as usize);
    let ends = rest.take_while(|byte| matches!(byte, b'\r' | b'\n'));
    at.line() as usize + ends.filter(|byte| **byte == b'\n').count()
}

/// A name that two columns have. Columns without a name are nobody's.
fn twice(names: &[String]) -> Option<&String> {
    let mut seen = HashSet::new();
    let mut named = names.iter().filter(|name| !name.is_empty());
    named.find(|name| !seen.insert(*name))
}

/// Names that make a first row a header.
const HEADERS: [&str; 7] = ["question", "topic", "query", "text", "input", "prompt", "id"];

/// What separates the columns: commas, but semicolons or tabs where only these make the first line a header. Spreadsheets write them
/// too.
fn delimiter(source: &str, named: &[&str]) -> u8 {
    let header = source.lines().find(|line| !line.is_empty()).unwrap_or_default();
    let makes_header = |mark: &u8| {
        let mut names = header.split(char::from(*mark)).map(|name| name.trim_matches('"'));
        names.any(|name| is_header(name, named))
    };
    b",;\t".iter().copied().find(makes_header).unwrap_or(b',')
}

/// Whether a row with this is a header.
fn is_header(name: &str, named: &[&str]) -> bool {
    let name = name.trim();
    HEADERS.contains(&name.to_lowercase().as_str()) || named.contains(&name)
}

/// The names of the columns: those of the first row where it is a header, otherwise numbers.
fn names(first: &csv::StringRecord, named: &[&str]) -> Vec<String> {
    let written = first.iter().map(|name| name.trim().to_owned());
    if first.iter().any(|name| is_header(name, named)) {
        written.collect()
    } else {
        (1..=first.len()).map(|n| n.to_string()).collect()
    }
}
