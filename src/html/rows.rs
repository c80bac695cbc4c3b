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
/// Characters of a name and its value on a narrow screen.
const NARROW_CHARS: usize = 46;
/// Characters that ranks take.
const RANK_CHARS: usize = 6;

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
        let at = (0.0, y + TEXT);
        let (anchor, taken) = match rank {
            None => (Anchor::Start, 0),
            Some(ranks) => {
                self.svg.text("ranks", at, Anchor::Start, ranks);
                (Anchor::BesideRanks, RANK_CHARS)
            }
        };
        // On a narrow screen, a long name makes room for its value.
        let room = NARROW_CHARS.saturating_sub(value.chars().count() + taken);
        let names: &[_] = if name.chars().count() > room {
            &[(" wide", NAME_CHARS - taken), (" narrow", room)]
        } else {
            &[("", room)]
        };
        for (width, most) in names {
            self.svg.titled(&format!("{class}{width}"), at, anchor, name, *most);
        }
        self.svg.text("value", (100.0, y + TEXT), Anchor::End, value);
        self.row += 1;
        y + MARKS
    }

    /// The whole drawing.
    pub(crate) fn finish(self, label: &Label) -> String {
        self.svg.finish(label, None, HEIGHT * self.rows as f64 + AXIS)
    }
}
