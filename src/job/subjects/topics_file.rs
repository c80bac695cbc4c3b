//! `topics:`: a file with a topic per row, each a cell (row C4).

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::list_file::{assigned, check_slurs, source, told};
use super::subject;
use crate::job::checks::{check_named, check_text};
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
    let (listed, faults) = listed(name, &source, (key, subject::length(format)), |topic| {
        check_slurs(job, [topic].into_iter())
    });
    let cells = listed.into_iter().map(|it| it.cell(key, place)).collect();
    told(name, &source, reader.problems, faults, cells)
}

/// A topic of a file, and what further columns or keys say of it, by the names of tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedTopic {
    /// The topic.
    pub(crate) topic: String,
    /// The tags.
    pub(crate) tags: Vec<(String, String)>,
}

/// The name of the only column of a table without a header.
const ONLY: &str = "1";

/// What a format calls its topics, how many characters they have, and whether they may have several lines.
type Kind<'k> = (&'k str, (RangeInclusive<usize>, bool));

/// The topics of a file, and what is wrong with it. `check` may refuse a topic.
pub(crate) fn listed(
    name: &str,
    source: &str,
    kind: Kind<'_>,
    check: impl Fn(&str) -> Result<(), Refusal>,
) -> (Vec<ListedTopic>, Faults) {
    let lower = name.to_lowercase();
    let (rows, mut faults) = if lower.ends_with(".txt") || lower.ends_with(".md") {
        plain_rows(kind.0, source)
    } else {
        question::rows(name, source, &[])
    };
    if lower.ends_with(".csv") && rows.first().is_some_and(|it| lacks_header(it, &kind)) {
        // Said of the header, and not again of each row.
        let (cause, remedy) = no_topic(kind.0);
        let remedy = format!(
            "{remedy} in the first line, or name the file .txt and write one topic per line"
        );
        faults.add(1, cause, remedy);
        return (Vec::new(), faults);
    }
    let (mut all, mut seen) = (Vec::new(), BTreeMap::new());
    for row in &rows {
        match listed_topic(row, &kind, &check) {
            Ok(listed) => {
                if let Some(first) = seen.insert(listed.topic.clone(), row.line) {
                    let cause = format!("this topic is the same as on line {first}");
                    faults.add(row.line, cause, "remove one of them");
                }
                all.push(listed);
            }
            Err((cause, remedy)) => faults.add(row.line, cause, remedy),
        }
    }
    (all, faults)
}

impl ListedTopic {
    fn cell(self, key: &str, place: &Place) -> Cell {
        let assign = |path: &str, text| assigned(path, Data::Text(text), place);
        let tags =
            self.tags.into_iter().map(|(name, value)| assign(&format!("tags.{name}"), value));
        std::iter::once(assign(key, self.topic)).chain(tags).collect()
    }
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

/// The name of the column or key of a row's topic. A table of one column needs no header.
fn column<'r>(row: &'r Row, key: &str) -> Option<&'r str> {
    let names = row.fields.keys().map(String::as_str);
    let named = |wanted: &&str| names.clone().find(|name| name.eq_ignore_ascii_case(wanted));
    let usual = [key, "topic", "query", "question"];
    let only = || names.clone().next().filter(|name| *name == ONLY && row.fields.len() == 1);
    usual.iter().find_map(named).or_else(only)
}

/// Whether the first row of a table says that there is no column of topics: it is neither a header with one nor a topic itself.
fn lacks_header(first: &Row, (key, (length, lines)): &Kind<'_>) -> bool {
    let text = |name: &str| first.fields[name].as_str().unwrap_or_default().trim();
    column(first, key)
        .is_none_or(|name| name == ONLY && check_text(text(name), length, *lines).is_err())
}

fn no_topic(key: &str) -> Refusal {
    (format!("there is no `{key}`"), format!("name the column or key `{key}`"))
}

/// The topic of a row; further columns are tags.
fn listed_topic(
    row: &Row,
    kind: &Kind<'_>,
    check: impl Fn(&str) -> Result<(), Refusal>,
) -> Result<ListedTopic, Refusal> {
    let (key, (length, lines)) = kind;
    let own = column(row, key).ok_or_else(|| no_topic(key))?;
    let topic = row.fields[own].as_str().unwrap_or_default().trim();
    let what = match own {
        ONLY => "this topic".to_owned(),
        own => format!("its `{own}`"),
    };
    check_named(&what, topic, length, *lines)?;
    named(&what, check(topic))?;
    let mut tags = Vec::new();
    for (name, value) in row.fields.iter().filter(|(name, _)| name.as_str() != own) {
        let value = match value {
            Value::Null => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        check_named("the name of a column", name, &(1..=200), false)?;
        check_named(&format!("its `{name}`"), &value, &(0..=200), false)?;
        tags.push((name.replace('.', "_"), value));
    }
    Ok(ListedTopic { topic: topic.to_owned(), tags })
}
