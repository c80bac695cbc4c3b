//! Values with their intervals, one below the other: leaderboards, differences, biases, agreement.

use super::super::number::{Rounding, shown_with_interval};
use super::super::scale::Scale;
use super::super::svg::{Label, Shape};
use super::rows::Rows;
use crate::text;
use statistics::estimate::Estimate;

/// A value with its interval.
#[derive(Debug, Clone, Default)]
pub(crate) struct Whisker {
    /// What stands before the name: ranks.
    pub rank: Option<String>,
    /// Whose it is.
    pub name: String,
    /// The value; without it and without words the row is not drawn.
    pub value: Option<f64>,
    /// Words in place of a value that cannot be told.
    pub words: Option<&'static str>,
    /// The lower end.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// What lies within this of the reference could not have been found.
    pub blind: Option<f64>,
    /// Whether it stands on too little to be compared.
    pub muted: bool,
    /// Whether it is told from the reference.
    pub told: bool,
}

/// The axis of whiskers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis {
    /// How its values are shown.
    pub form: Rounding,
    /// A value to compare with: no difference, chance.
    pub reference: Option<f64>,
    /// Its ends, where the values do not decide.
    pub ends: Option<(f64, f64)>,
}

/// The chart of the rows that have a value; `None` where none has.
pub(crate) fn chart(label: &Label, rows: &[Whisker], axis: Axis) -> Option<String> {
    rows.iter().find(|row| row.value.is_some())?;
    let drawn: Vec<&Whisker> = rows.iter().filter(|row| row.is_drawn()).collect();
    let mut drawing = Rows::new(drawn.len(), scale(rows, axis)?, axis.form, axis.reference);
    for row in drawn {
        match row.value {
            Some(value) => draw(&mut drawing, row, value, axis),
            None => say(&mut drawing, row),
        }
    }
    Some(drawing.finish(label))
}

/// What to say of rows without a value, which only the table has.
pub(crate) fn undrawn(rows: &[Whisker]) -> Option<String> {
    let missing = rows.iter().filter(|row| !row.is_drawn()).count();
    let is_drawn = missing > 0 && missing < rows.len();
    is_drawn.then(|| {
        let rows = text::count(missing as u64, "row");
        format!("{rows} without a value: in the table only, with the reason.")
    })
}

/// The axis that holds all that is drawn; a reference stands in its middle.
fn scale(rows: &[Whisker], axis: Axis) -> Option<Scale> {
    if let Some((low, high)) = axis.ends {
        return Some(Scale::exactly(low, high));
    }
    let drawn = rows.iter().filter(|row| row.value.is_some());
    let drawn = drawn.flat_map(|row| [row.value, row.low, row.high]);
    let drawn = drawn.flatten();
    let Some(reference) = axis.reference else {
        return Scale::over(drawn);
    };
    let blind = rows.iter().filter_map(|row| row.blind);
    let reach = drawn.map(|value| (value - reference).abs()).chain(blind);
    let reach = reach.filter(|reach| reach.is_finite()).fold(0.0, f64::max);
    Scale::over([reference - reach, reference + reach])
}

/// A row that has words only.
fn say(drawing: &mut Rows, row: &Whisker) {
    let words = row.words.unwrap_or_default();
    drawing.row(row.rank.as_deref(), &row.name, words, row.muted);
}

fn draw(drawing: &mut Rows, row: &Whisker, value: f64, axis: Axis) {
    let shown = shown_with_interval(value, row.low, row.high, axis.form);
    let y = drawing.row(row.rank.as_deref(), &row.name, &shown, row.muted);
    let scale = drawing.scale;
    if let (Some(blind), Some(reference)) = (row.blind, axis.reference) {
        let (from, to) = (scale.at(reference - blind), scale.at(reference + blind));
        let at = (from, y - 8.0);
        drawing.svg.rect("blind", at, (to - from, 16.0));
    }
    let kind = row.kind();
    if let Some((low, high)) = row.low.zip(row.high) {
        let (low, high) = (scale.at(low), scale.at(high));
        let class = format!("whisker {kind}");
        drawing.svg.line(&class, (low, y), (high, y));
        for end in [low, high] {
            drawing.svg.line(&class, (end, y - 4.0), (end, y + 4.0));
        }
    }
    let class = format!("point {kind}");
    let shape = if row.told {
        Shape::Diamond
    } else {
        Shape::Disc
    };
    drawing.svg.mark(&class, (scale.at(value), y), shape);
}

impl Whisker {
    /// A row of an estimate; with few observations it is muted.
    pub(crate) fn from_estimate(name: String, estimate: &Estimate, small: usize) -> Self {
        Self {
            name,
            value: estimate.value,
            low: estimate.low,
            high: estimate.high,
            muted: estimate.n < small,
            ..Self::default()
        }
    }

    /// The same, told from a value that its interval leaves out.
    pub(crate) fn told_from(mut self, value: f64) -> Self {
        let ends = self.low.zip(self.high);
        self.told = ends.is_some_and(|(low, high)| low > value || high < value);
        self
    }

    /// Whether a chart has it.
    fn is_drawn(&self) -> bool {
        self.value.is_some() || self.words.is_some()
    }

    /// The class that draws it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            row if row.muted => "muted",
            row if row.told => "told",
            _ => "plain",
        }
    }
}
