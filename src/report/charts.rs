//! The charts, one file per kind. They draw what they are given and compute nothing.

pub(crate) mod bars;
pub(crate) mod heat;
pub(crate) mod histogram;
pub(crate) mod ranges;
pub(crate) mod scatter;
pub(crate) mod whiskers;

use crate::html::scale::Scale;
use crate::stats::findings::Unit;
use crate::stats::number::{Rounding, number};

/// How the values of an axis are written, with enough decimals to tell its ticks apart.
fn ticks(rounding: Rounding, scale: Scale) -> impl Fn(f64) -> String {
    move |value| {
        let hundredths =
            || number(Rounding::Decimals(scale.places().saturating_sub(2)), value * 100.0);
        match rounding {
            Rounding::Unit(Unit::Share) => format!("{}%", hundredths()),
            Rounding::Points => hundredths(),
            _ => number(Rounding::Decimals(scale.places()), value),
        }
    }
}
