//! How numbers are shown to people: the same in sentences, on the terminal, in Markdown and in HTML.

use super::findings::Unit;
use crate::text::fixed;
use statistics::estimate::Estimate;

/// How a number is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// As its unit asks for.
    Unit(Unit),
    /// To a number of decimals.
    Decimals(usize),
    /// A p-value: three decimals, and nothing below a thousandth.
    PValue,
    /// The difference of two shares: hundredths, with one decimal.
    Points,
}

impl From<Unit> for Rounding {
    fn from(unit: Unit) -> Self {
        Self::Unit(unit)
    }
}

/// A value with its interval, as people read it: `0.41 [0.12, 0.70]`; the value alone where the interval is missing.
pub fn shown(
    rounding: impl Into<Rounding>,
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
) -> String {
    let rounding = rounding.into();
    let one = |value: f64| number(rounding, value);
    match low.zip(high) {
        Some((low, high)) => format!("{} [{}, {}]", one(value), one(low), one(high)),
        None => one(value),
    }
}

/// An estimate as people read it; `None` without a value.
pub fn estimated(unit: Unit, estimate: &Estimate) -> Option<String> {
    Some(shown(unit, estimate.value?, estimate.low, estimate.high))
}

/// A number as people read it.
pub fn number(rounding: impl Into<Rounding>, value: f64) -> String {
    match rounding.into() {
        Rounding::Decimals(places) => fixed(value, places),
        Rounding::PValue if value < 0.001 => "<0.001".to_owned(),
        Rounding::PValue => fixed(value, 3),
        Rounding::Points => fixed(value * 100.0, 1),
        Rounding::Unit(unit) => match unit {
            Unit::Share => format!("{}%", fixed(value * 100.0, 1)),
            Unit::Tokens | Unit::Elo => fixed(value, 0),
            Unit::Seconds => fixed(value, 1),
            Unit::Alpha => fixed(value, 3),
            Unit::Score
            | Unit::Count
            | Unit::PerStatement
            | Unit::Minutes
            | Unit::Logits
            | Unit::Points => fixed(value, 2),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s5_a_number_is_rounded_after_what_it_is() {
        assert_eq!(number(Unit::Share, 0.6128), "61.3%");
        assert_eq!(number(Unit::Elo, -0.4), "0");
        assert_eq!(number(Rounding::Points, -0.083), "-8.3");
        assert_eq!(number(Rounding::Decimals(3), -0.0004), "0.000");
        assert_eq!(number(Rounding::Decimals(1), -1.25), "-1.3");
        // A half as texts round it, though 6.175 is a little less in binary.
        assert_eq!(number(Unit::Score, 6.175), "6.18");
        assert_eq!(number(Rounding::PValue, 0.0004), "<0.001");
        assert_eq!(number(Rounding::PValue, 0.0316), "0.032");
    }

    #[test]
    fn s5_an_interval_is_shown_only_whole() {
        let score = |low, high| shown(Unit::Score, 3.42, low, high);
        assert_eq!(score(Some(3.1), Some(3.74)), "3.42 [3.10, 3.74]");
        assert_eq!(score(Some(3.1), None), "3.42");
    }
}
