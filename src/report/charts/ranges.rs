//! From the median to the 95th percentile: tokens and times of calls.

use super::ticks;
use crate::html::rows::Rows;
use crate::html::scale::Scale;
use crate::html::svg::{Label, Shape};
use crate::stats::findings::Unit;
use crate::stats::number::number;

/// A name with its median and 95th percentile.
pub(crate) type Range = (String, f64, f64);

/// The chart, from zero on; `None` without a row.
pub(crate) fn chart(label: &Label, rows: &[Range], unit: Unit) -> Option<String> {
    rows.first()?;
    let scale = Scale::over(rows.iter().map(|row| row.2).chain([0.0]))?;
    let mut drawing = Rows::new(rows.len(), scale, ticks(unit.into(), scale), None);
    for (name, p50, p95) in rows {
        let value = format!("{} · {}", number(unit, *p50), number(unit, *p95));
        let y = drawing.row(None, name, &value, false);
        let (from, to) = (scale.at(*p50), scale.at(*p95));
        drawing.svg.line("whisker plain", (from, y), (to, y));
        drawing.svg.mark("point plain", (from, y), Shape::Disc);
        drawing.svg.mark("point second", (to, y), Shape::Square);
    }
    Some(drawing.finish(label))
}
