//! Rows on a common axis: each has its name and value on a line of text and its marks below, so that long names and
//! narrow screens do not collide. If there is room, the style moves names and values to both sides of the marks.

use super::scale::Scale;
use super::svg::{Anchor, Label, Svg};

/// Pixels of a row.
const HEIGHT: f64 = 38.0;
/// The base line of its text.
const TEXT: f64 = 14.0;
/// The middle of its marks.
const MARKS: f64 = 26.0;
/// Pixels of the axis.
const AXIS: f64 = 26.0;
/// Characters of a name.
const NAME_CHARS: usize = 42;
/// The same beside ranks.
const RANKED_CHARS: usize = 36;
/// Names longer than this leave no room for a value beside them on a narrow screen.
const SHORT_NAME: usize = 22;

/// Rows in progress.
pub(crate) struct Rows {
    /// The drawing.
    pub(crate) svg: Svg,
    /// The axis.
    pub(crate) scale: Scale,
    row: usize,
    rows: usize,
}

impl Rows {
    /// The axis of this many rows, its grid drawn and its values in words; a reference value has its own line.
    pub(crate) fn new(
        rows: usize,
        scale: Scale,
        tick: impl Fn(f64) -> String,
        reference: Option<f64>,
    ) -> Self {
        let mut svg = Svg::rows();
        let bottom = HEIGHT * rows as f64 + 4.0;
        for value in scale.ticks() {
            let x = scale.at(value);
            svg.line("grid", (x, 0.0), (x, bottom));
            svg.text("tick", (x, bottom + 16.0), Anchor::Middle, &tick(value));
        }
        if let Some(value) = reference {
            let x = scale.at(value);
            svg.line("reference", (x, 0.0), (x, bottom));
        }
        Self { svg, scale, row: 0, rows }
    }

    /// Begins a row with its name and its value; the result is the middle of its marks.
    pub(crate) fn row(&mut self, rank: Option<&str>, name: &str, value: &str, muted: bool) -> f64 {
        let y = HEIGHT * self.row as f64;
        let class = if muted { "name muted" } else { "name" };
        match rank {
            None => {
                let at = (0.0, y + TEXT);
                self.svg.titled(class, at, Anchor::Start, name, NAME_CHARS);
            }
            Some(ranks) => self.svg.ranked(class, y + TEXT, ranks, name, RANKED_CHARS),
        }
        let is_long = name.chars().count() > SHORT_NAME;
        let class = if is_long { "value wide" } else { "value" };
        self.svg.text(class, (100.0, y + TEXT), Anchor::End, value);
        self.row += 1;
        y + MARKS
    }

    /// The whole drawing.
    pub(crate) fn finish(self, label: &Label) -> String {
        let height = HEIGHT * self.rows as f64 + AXIS;
        self.svg.finish(label, None, height)
    }
}
