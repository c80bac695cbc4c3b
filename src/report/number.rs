//! Numbers in cells: the full value for programs, the rounded one for people.

use serde::Serialize;

use crate::stats::findings::Unit;
use crate::stats::number::{Rounding, number};

/// A part of a cell: a number, or text between numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Piece {
    /// What people see.
    pub text: String,
    /// How a page marks it.
    pub mark: Mark,
    /// The number behind it as `report.json` has it, to the last digit; `null` for text.
    pub value: Option<String>,
}

/// How a page marks a part of a cell: no more than it needs, since tables are most of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mark {
    /// Not at all.
    None,
    /// As text that may run in the other direction than the page.
    Isolated,
    /// As a rounded number with the full one.
    Data,
}

impl Piece {
    /// Text.
    pub(crate) fn text(text: &str) -> Self {
        // Characters that run in the page's own direction, or in none.
        let is_ours = text.chars().all(|c| c.is_ascii() || "–—…−·×".contains(c));
        Self {
            text: text.to_owned(),
            mark: if is_ours { Mark::None } else { Mark::Isolated },
            value: None,
        }
    }

    /// A measured number.
    pub(crate) fn number(value: f64, rounding: Rounding) -> Self {
        let full = serde_json::Number::from_f64(value);
        Self {
            text: number(rounding, value),
            mark: Mark::Data,
            value: Some(full.map_or_else(|| "null".to_owned(), |n| n.to_string())),
        }
    }

    /// A measured number beside another one, by which its cell is sorted: pages give only that one in full.
    pub(crate) fn beside(value: f64, rounding: Rounding) -> Self {
        Self { mark: Mark::None, ..Self::number(value, rounding) }
    }

    /// A count, or a number that is a name, such as a seed.
    pub(crate) fn count(n: impl ToString) -> Self {
        Self { text: n.to_string(), mark: Mark::None, value: Some(n.to_string()) }
    }
}

/// What a unit is called in a column of units.
pub(crate) fn unit_word(unit: Unit) -> &'static str {
    match unit {
        Unit::Share => "share",
        Unit::Score => "score",
        Unit::Count => "per debate",
        Unit::PerStatement => "per statement",
        Unit::Tokens => "tokens",
        Unit::Minutes => "minutes",
        Unit::Seconds => "seconds",
        Unit::Elo => "Elo",
        Unit::Logits => "log-odds",
        Unit::Points => "points",
        Unit::Alpha => "alpha",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s5_a_number_keeps_its_full_value() {
        let piece = Piece::number(0.1 + 0.2, Unit::Share.into());
        assert_eq!(piece.text, "30.0%");
        assert_eq!(piece.value.as_deref(), Some("0.30000000000000004"));
    }
}
