//! Counts as bars, one below the other.

use super::ticks;
use crate::html::rows::Rows;
use crate::html::scale::Scale;
use crate::html::svg::Label;
use crate::stats::number::Rounding;

/// The chart of names and counts, from zero on; `None` without a count above zero.
pub(crate) fn chart(label: &Label, rows: &[(String, usize)]) -> Option<String> {
    let most = rows.iter().map(|(_, n)| *n).max().filter(|n| *n > 0)?;
    let scale = Scale::over([0.0, most.max(5) as f64])?;
    let mut drawing = Rows::new(rows.len(), scale, ticks(Rounding::Decimals(0), scale), None);
    for (name, n) in rows {
        let y = drawing.row(None, name, &n.to_string(), false);
        let width = scale.at(*n as f64);
        drawing.svg.rect("bar", (0.0, y - 6.0), (width, 11.0));
    }
    Some(drawing.finish(label))
}
