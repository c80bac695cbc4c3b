//! The charts, one file a kind. They draw what they are given and compute nothing.

pub(crate) mod curve;
pub(crate) mod heat;
pub(crate) mod histogram;
pub(crate) mod ranges;
mod rows;
pub(crate) mod tally;
pub(crate) mod whiskers;

use super::number::{self, Rounding};
use super::scale::Scale;
use crate::stats::findings::Unit;

/// A value of an axis with as many decimals as tell its ticks apart.
fn tick(value: f64, form: Rounding, scale: &Scale) -> String {
    match form {
        Rounding::Unit(Unit::Share) => {
            let places = scale.places().saturating_sub(2);
            format!(
                "{} %",
                number::shown(value * 100.0, Rounding::Decimals(places))
            )
        }
        _ => number::shown(value, Rounding::Decimals(scale.places())),
    }
}
