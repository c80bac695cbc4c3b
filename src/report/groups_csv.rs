//! The numbers of groups as CSV (RFC 4180, with CRLF as exported tables have it): one row a group and measure.

use csv::{Terminator, WriterBuilder};

use crate::stats::findings::{Breakdown, Group, Measure};
use crate::text::one_line;

/// The columns behind those of the keys.
const COLUMNS: [&str; 12] = [
    "measure", "label", "scope", "unit", "n", "topics", "value", "sd", "se", "low", "high",
    "reason",
];

/// All groups of one breakdown.
pub fn csv(breakdown: &Breakdown) -> Result<String, csv::Error> {
    let mut writer = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(Vec::new());
    let keys = breakdown.by.iter().map(String::as_str);
    let header = keys.chain(COLUMNS).map(one_line);
    writer.write_record(header.collect::<Vec<_>>())?;
    for group in &breakdown.groups {
        for measure in &group.measures {
            writer.write_record(row(group, measure))?;
        }
    }
    let bytes = writer.into_inner().map_err(|e| e.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn row(group: &Group, measure: &Measure) -> Vec<String> {
    let e = &measure.estimate;
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let unit = serde_json::to_value(measure.unit).unwrap_or_default();
    let mut row = group.key.clone();
    row.extend([
        measure.name.clone(),
        measure.label.clone(),
        measure.format.clone().unwrap_or_default(),
        unit.as_str().unwrap_or_default().to_owned(),
        e.n.to_string(),
        e.clusters.to_string(),
        number(e.value),
        number(e.sd),
        number(e.se),
        number(e.low),
        number(e.high),
        e.reason.clone().unwrap_or_default(),
    ]);
    // It goes to stdout, which may be a terminal.
    row.iter().map(|cell| one_line(cell)).collect()
}
