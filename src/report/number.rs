//! How a number is shown, in every form of the report: its full value for machines, its rounding for people.

use serde::Serialize;

use crate::stats::findings::Unit;
use crate::stats::number;

/// How a number is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// After what it counts.
    Unit(Unit),
    /// With so many decimals.
    Decimals(usize),
    /// A p-value: three decimals, and nothing below a thousandth.
    PValue,
}

/// What a cell of a table is made of: a number, or a text between numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Piece {
    /// What people see.
    pub text: String,
    /// The number behind it as `report.json` has it, to the last digit; `null` for a text.
    pub value: Option<String>,
}

impl Piece {
    /// A text.
    pub(crate) fn text(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            value: None,
        }
    }

    /// A number that was measured.
    pub(crate) fn number(value: f64, form: Rounding) -> Self {
        Self {
            text: shown(value, form),
            value: Some(full(value)),
        }
    }

    /// A number that is a name, such as a seed.
    pub(crate) fn exact(n: u64) -> Self {
        Self {
            text: n.to_string(),
            value: Some(n.to_string()),
        }
    }

    /// A number that was counted.
    pub(crate) fn count(n: usize) -> Self {
        Self {
            text: n.to_string(),
            value: Some(n.to_string()),
        }
    }
}

/// A number as people see it.
pub(crate) fn shown(value: f64, form: Rounding) -> String {
    match form {
        Rounding::Unit(unit) => number::number(unit, value),
        Rounding::PValue if value < 0.001 => "<0.001".to_owned(),
        Rounding::PValue => fixed(value, 3),
        Rounding::Decimals(places) => fixed(value, places),
    }
}

/// `3.42 [3.10, 3.74]`, or the value alone where the interval is missing.
pub(crate) fn shown_with_interval(
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
    form: Rounding,
) -> String {
    let ends = low.zip(high);
    let interval =
        ends.map(|(low, high)| format!(" [{}, {}]", shown(low, form), shown(high, form)));
    format!("{}{}", shown(value, form), interval.unwrap_or_default())
}

/// What a number counts, in a word, to stand behind it or over an axis.
pub(crate) fn unit_word(unit: Unit) -> &'static str {
    match unit {
        Unit::Share => "share",
        Unit::Score => "score",
        Unit::Count => "a debate",
        Unit::Tokens => "tokens",
        Unit::Minutes => "minutes",
        Unit::Seconds => "seconds",
        Unit::Elo => "Elo",
        Unit::Logits => "log-odds",
        Unit::Points => "points",
        Unit::Alpha => "alpha",
    }
}

/// The number as JSON writes it.
fn full(value: f64) -> String {
    serde_json::Number::from_f64(value).map_or_else(|| "null".to_owned(), |n| n.to_string())
}

/// So many decimals, never a negative zero.
fn fixed(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    let is_zero = text.chars().all(|c| matches!(c, '-' | '0' | '.'));
    text[usize::from(is_zero && text.starts_with('-'))..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s5_a_number_is_rounded_after_what_it_is() {
        assert_eq!(shown(0.6128, Rounding::Unit(Unit::Share)), "61.3 %");
        assert_eq!(shown(-0.0004, Rounding::Decimals(3)), "0.000");
        assert_eq!(shown(-1.25, Rounding::Decimals(1)), "-1.2");
        assert_eq!(shown(0.0004, Rounding::PValue), "<0.001");
        assert_eq!(shown(0.0316, Rounding::PValue), "0.032");
    }

    #[test]
    fn s5_a_number_keeps_its_full_value() {
        assert_eq!(
            Piece::number(0.1 + 0.2, Rounding::Unit(Unit::Share)),
            Piece {
                text: "30.0 %".to_owned(),
                value: Some("0.30000000000000004".to_owned())
            }
        );
    }

    #[test]
    fn s5_an_interval_is_shown_only_whole() {
        let form = Rounding::Unit(Unit::Score);
        assert_eq!(
            shown_with_interval(3.42, Some(3.1), Some(3.74), form),
            "3.42 [3.10, 3.74]"
        );
        assert_eq!(shown_with_interval(3.42, Some(3.1), None, form), "3.42");
    }
}
