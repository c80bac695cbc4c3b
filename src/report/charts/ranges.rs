//! From the median to the 95th percentile: tokens and times of calls.

use super::super::number::{Rounding, shown};
use super::super::scale::Scale;
use super::super::svg::{Label, Shape};
use super::rows::Rows;

/// A median and a 95th percentile.
#[derive(Debug, Clone)]
pub(crate) struct Range {
    /// Whose they are.
    pub name: String,
    /// The median.
    pub p50: f64,
    /// The 95th percentile.
    pub p95: f64,
}

/// The chart, from zero on; `None` without a row.
pub(crate) fn chart(label: &Label, rows: &[Range], form: Rounding) -> Option<String> {
    rows.first()?;
    let scale = Scale::over(rows.iter().map(|row| row.p95).chain([0.0]))?;
    let mut drawing = Rows::new(rows.len(), scale, form, None);
    for row in rows {
        let value = format!("{} · {}", shown(row.p50, form), shown(row.p95, form));
        let y = drawing.row(None, &row.name, &value, false);
        let (from, to) = (scale.at(row.p50), scale.at(row.p95));
        drawing.svg.line("whisker plain", (from, y), (to, y));
        drawing.svg.mark("point plain", (from, y), Shape::Disc);
        drawing.svg.mark("point second", (to, y), Shape::Square);
    }
    Some(drawing.finish(label))
}
