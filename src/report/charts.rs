//! The charts, one file a kind. They draw what they are given and compute nothing.

pub(crate) mod curve;
pub(crate) mod heat;
pub(crate) mod histogram;
pub(crate) mod ranges;
mod rows;
pub(crate) mod tally;
pub(crate) mod whiskers;

use super::scale::Scale;
use crate::stats::findings::Unit;
use crate::stats::number::{Rounding, number};

/// A value of an axis, with enough decimals to tell its ticks apart.
fn tick(value: f64, rounding: Rounding, scale: &Scale) -> String {
    match rounding {
        Rounding::Unit(Unit::Share) => {
            let places = scale.places().saturating_sub(2);
            format!("{} %", number(Rounding::Decimals(places), value * 100.0))
        }
        _ => number(Rounding::Decimals(scale.places()), value),
    }
}
