//! The numbers of groups as CSV (RFC 4180, with CRLF as exported tables have it): one row per group and measure.

use crate::stats::findings::{Breakdown, Group, Measure, Unit};
use crate::text::{csv, one_line};

/// A column's name and what a measure has there.
type Column = (&'static str, fn(&Measure) -> String);

/// The columns behind those of the keys.
const COLUMNS: [Column; 12] = [
    ("measure", |m| m.name.clone()),
    ("label", |m| m.label.clone()),
    ("scope", |m| m.format.clone().unwrap_or_default()),
    ("unit", |m| unit(m.unit)),
    ("n", |m| m.estimate.n.to_string()),
    ("topics", |m| m.estimate.clusters.to_string()),
    ("value", |m| number(m.estimate.value)),
    ("sd", |m| number(m.estimate.sd)),
    ("se", |m| number(m.estimate.se)),
    ("low", |m| number(m.estimate.low)),
    ("high", |m| number(m.estimate.high)),
    ("reason", |m| m.estimate.reason.clone().unwrap_or_default()),
];

/// All groups of one breakdown.
pub fn csv(breakdown: &Breakdown) -> String {
    let keys = breakdown.by.iter().map(String::as_str);
    let header = keys.chain(COLUMNS.map(|(name, _)| name)).map(one_line);
    let groups = breakdown.groups.iter();
    let rows = groups.flat_map(|group| group.measures.iter().map(|it| row(group, it)));
    let bytes = csv::records(std::iter::once(header.collect()).chain(rows));
    String::from_utf8_lossy(&bytes).into_owned()
}

fn row(group: &Group, measure: &Measure) -> Vec<String> {
    let values = COLUMNS.iter().map(|(_, value)| value(measure));
    let row = group.key.iter().cloned().chain(values);
    // It goes to stdout, which may be a terminal.
    row.map(|cell| one_line(&cell)).collect()
}

fn unit(unit: Unit) -> String {
    let word = serde_json::to_value(unit).unwrap_or_default();
    word.as_str().unwrap_or_default().to_owned()
}

fn number(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
