//! Values with their intervals, one below the other: leaderboards, differences, biases, agreement.

use super::ticks;
use crate::html::rows::Rows;
use crate::html::scale::Scale;
use crate::html::svg::{Label, Shape};
use crate::stats::findings::Unit;
use crate::stats::number::{Rounding, shown};
use crate::text;
use statistics::estimate::Estimate;
use statistics::paired::Difference;

/// Where a caption speaks of intervals.
const INTERVALS: &str = "{intervals}";
const INTERVALS_BY_TOPIC: &str = "{intervals by topic}";
/// What a reason for a missing interval ends with.
const NO_INTERVAL: &str = ": no interval";

/// Below this many observations, a number rests on too little to be compared.
pub(crate) const SMALL: usize = 10;

/// A value with its interval.
#[derive(Debug, Clone, Default)]
pub(crate) struct Whisker {
    /// The ranks before the name.
    pub rank: Option<String>,
    pub name: String,
    /// The value; without it and without words the row is not drawn.
    pub value: Option<f64>,
    /// Words in place of a value.
    pub words: Option<&'static str>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Why it has no interval, if that is known.
    pub reason: Option<String>,
    /// Differences from the reference within this could not have been found.
    pub blind: Option<f64>,
    /// Whether it rests on too little to be compared.
    pub muted: bool,
    /// Whether it clearly differs from the reference, where the interval does not decide.
    pub told: Option<bool>,
}

/// The axis of whiskers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis {
    pub rounding: Rounding,
    /// A value to compare with: no difference, chance.
    pub reference: Option<f64>,
    /// Whether that is what guessing comes to.
    pub is_guessing: bool,
    /// Its ends, where the values do not decide.
    pub ends: Option<(f64, f64)>,
}

impl Axis {
    /// As long as the values need.
    pub(crate) fn new(rounding: impl Into<Rounding>) -> Self {
        Self { rounding: rounding.into(), reference: None, is_guessing: false, ends: None }
    }

    /// With a value to compare with in its middle.
    pub(crate) fn around(reference: f64, rounding: impl Into<Rounding>) -> Self {
        Self { reference: Some(reference), ..Self::new(rounding) }
    }

    /// With what guessing comes to, where that is known.
    pub(crate) fn with_guessing(self, chance: Option<f64>) -> Self {
        Self { reference: chance, is_guessing: true, ..self }
    }

    /// The same between these ends.
    pub(crate) fn between(self, low: f64, high: f64) -> Self {
        Self { ends: Some((low, high)), ..self }
    }
}

/// The chart of the rows that have a value; `None` where none has.
pub(crate) fn chart(label: &Label, rows: &[Whisker], axis: Axis) -> Option<String> {
    rows.iter().find(|row| row.value.is_some())?;
    let drawn: Vec<&Whisker> = rows.iter().filter(|row| row.is_drawn()).collect();
    let scale = scale(rows, axis)?;
    let ticks = ticks(axis.rounding, scale);
    let mut drawing = Rows::new(drawn.len(), scale, ticks, axis.reference);
    for row in drawn {
        match row.value {
            Some(value) => draw(&mut drawing, row, value, axis),
            // A row that has words only.
            None => {
                let words = row.words.unwrap_or_default();
                drawing.row(row.rank.as_deref(), &row.name, words, row.muted);
            }
        }
    }
    Some(drawing.finish(label))
}

/// The values in words, for those who do not see the chart.
pub(crate) fn described(all: &[Whisker], axis: Axis) -> String {
    let value = |row: &Whisker| match row.value {
        Some(value) => Some(shown(axis.rounding, value, row.low, row.high)),
        None => row.words.map(str::to_owned),
    };
    let rows = all.iter().filter_map(|row| Some(format!("{}: {}", row.name, value(row)?)));
    format!("Values {}. {}.", intervals(all, ""), text::separated(rows, "; "))
}

/// A caption with what it says of intervals: that they are drawn, or why none is.
pub(crate) fn captioned(caption: &str, rows: &[Whisker]) -> String {
    caption
        .replace(INTERVALS, &intervals(rows, ""))
        .replace(INTERVALS_BY_TOPIC, &intervals(rows, " clustered by topic"))
}

/// `with 95% intervals`, or `without intervals (one topic)`.
fn intervals(rows: &[Whisker], clustered: &str) -> String {
    let drawn = rows.iter().filter(|row| row.value.is_some());
    if drawn.clone().any(Whisker::has_interval) {
        return format!("with 95% intervals{clustered}");
    }
    // One row's reason is not that of others.
    match text::distinct(drawn.map(|row| row.reason.as_deref()))[..] {
        [Some(why)] => format!("without intervals ({})", why.trim_end_matches(NO_INTERVAL)),
        _ => "without intervals".to_owned(),
    }
}

/// What the marks that occur mean: their classes and words.
pub(crate) fn keys(rows: &[Whisker], axis: Axis) -> Vec<(&'static str, &'static str)> {
    // Where nothing else tells, an interval does, which knows nothing of how many there are.
    let is_tested = rows.iter().all(|row| row.told.is_some());
    let told = axis.reference.map(|reference| match (reference, is_tested) {
        _ if axis.is_guessing => "interval excludes guessing (not corrected)",
        (0.5, true) => "clearly not one half",
        (0.5, false) => "interval excludes one half (not corrected)",
        (_, true) => "clearly not zero",
        (_, false) => "interval excludes zero (not corrected)",
    });
    let plain = axis.reference.map(|reference| match reference {
        _ if axis.is_guessing => "may be guessing",
        0.5 => "may be one half",
        _ => "may be zero",
    });
    let muted = Some("n under 10");
    let words = [("told", told), ("plain", plain), ("muted", muted)];
    let occurs = |class: &str| {
        let mut drawn = rows.iter().filter(|row| row.value.is_some());
        // Without an interval, nothing says what a value may be.
        drawn.any(|row| row.kind(axis) == class && (class != "plain" || row.has_interval()))
    };
    let words = words
        .into_iter()
        .filter(|(class, _)| occurs(class))
        .filter_map(|(class, text)| Some((class, text?)));
    words.collect()
}

/// What the band means in which differences could not have been found.
pub(crate) fn blind(rows: &[Whisker]) -> Option<&'static str> {
    let is_any = rows.iter().any(|row| row.value.is_some() && row.blind.is_some());
    is_any.then_some("found in fewer than 4 of 5 such runs")
}

/// A note on rows without a value, which only the table has.
pub(crate) fn undrawn(rows: &[Whisker]) -> Option<String> {
    let missing = rows.iter().filter(|row| !row.is_drawn()).count();
    let is_drawn = missing > 0 && missing < rows.len();
    is_drawn.then(|| {
        let rows = text::count(missing, "row");
        format!("{rows} without a value: in the table only, with the reason.")
    })
}

/// The axis that holds all that is drawn, and no less than a difference that matters on either side; a reference is in its middle.
fn scale(rows: &[Whisker], axis: Axis) -> Option<Scale> {
    if let Some((low, high)) = axis.ends {
        return Some(Scale::exactly(low, high));
    }
    let drawn = rows
        .iter()
        .filter(|row| row.value.is_some())
        .flat_map(|row| [row.value, row.low, row.high])
        .flatten();
    let least = least(axis.rounding);
    let Some(reference) = axis.reference else {
        let (low, high) = Scale::ends(drawn)?;
        let missing = (2.0 * least - (high - low)).max(0.0) / 2.0;
        return Scale::over([low - missing, high + missing]);
    };
    let blind = rows.iter().filter_map(|row| row.blind);
    let reach = drawn.map(|value| (value - reference).abs()).chain(blind);
    let reach = reach.filter(|reach| reach.is_finite()).fold(least, f64::max);
    let reach = if axis.rounding == Rounding::Points { reach.min(1.0) } else { reach };
    Scale::over([reference - reach, reference + reach])
}

/// How far an axis reaches at least from its middle, so that next to nothing does not fill a chart.
fn least(rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Unit(Unit::Share) | Rounding::Points => 0.25,
        Rounding::Unit(Unit::Score | Unit::Points | Unit::Logits) => 1.0,
        Rounding::Unit(Unit::Elo) => 100.0,
        _ => 0.0,
    }
}

fn draw(drawing: &mut Rows, row: &Whisker, value: f64, axis: Axis) {
    let text = shown(axis.rounding, value, row.low, row.high);
    let y = drawing.row(row.rank.as_deref(), &row.name, &text, row.muted);
    let scale = drawing.scale;
    if let (Some(blind), Some(reference)) = (row.blind, axis.reference) {
        let (from, to) = (scale.at(reference - blind), scale.at(reference + blind));
        drawing.svg.rect("blind", (from, y - 8.0), (to - from, 16.0));
    }
    let kind = row.kind(axis);
    if let Some((low, high)) = row.low.zip(row.high) {
        let (low, high) = (scale.at(low), scale.at(high));
        let class = format!("whisker {kind}");
        drawing.svg.line(&class, (low, y), (high, y));
        for end in [low, high] {
            drawing.svg.line(&class, (end, y - 4.0), (end, y + 4.0));
        }
    }
    let class = format!("point {kind}");
    let shape = if kind == "told" { Shape::Diamond } else { Shape::Disc };
    drawing.svg.mark(&class, (scale.at(value), y), shape);
}

impl Whisker {
    /// A row of a value and its interval.
    pub(crate) fn new(
        name: impl Into<String>,
        [value, low, high]: [Option<f64>; 3],
        muted: bool,
    ) -> Self {
        Self { name: name.into(), value, low, high, muted, ..Self::default() }
    }

    /// A row of an estimate.
    pub(crate) fn from_estimate(name: impl Into<String>, estimate: &Estimate) -> Self {
        let interval = [estimate.value, estimate.low, estimate.high];
        Self::new(name, interval, estimate.n < SMALL).because(estimate.reason.as_deref())
    }

    /// A row of a difference, with what could have been detected.
    pub(crate) fn from_difference(name: String, found: &Difference) -> Self {
        Self { blind: found.detectable, ..Self::from_estimate(name, &found.estimate) }
    }

    /// The same, with the reason why it has no interval.
    pub(crate) fn because(self, reason: Option<&str>) -> Self {
        Self { reason: reason.map(text::one_line), ..self }
    }

    fn has_interval(&self) -> bool {
        self.low.is_some() && self.high.is_some()
    }

    fn is_drawn(&self) -> bool {
        self.value.is_some() || self.words.is_some()
    }

    /// The class that draws it.
    fn kind(&self, axis: Axis) -> &'static str {
        let leaves_out = |value: f64| {
            let ends = self.low.zip(self.high);
            ends.is_some_and(|(low, high)| low > value || high < value)
        };
        let differs = || axis.reference.is_some_and(leaves_out);
        let told = self.told.unwrap_or_else(differs);
        if self.muted {
            "muted"
        } else if told {
            "told"
        } else {
            "plain"
        }
    }
}
