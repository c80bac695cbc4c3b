//! How numbers are shown to people: the same in sentences, on the terminal, in Markdown and in HTML.

use super::findings::Unit;

/// A value with its interval, as people read it: `0.41 [0.12, 0.70]`.
pub fn shown(unit: Unit, value: f64, low: Option<f64>, high: Option<f64>) -> String {
    let one = |value: f64| number(unit, value);
    match low.zip(high) {
        Some((low, high)) => format!("{} [{}, {}]", one(value), one(low), one(high)),
        None => one(value),
    }
}

/// A number as its unit is shown.
pub fn number(unit: Unit, value: f64) -> String {
    let text = match unit {
        Unit::Share => format!("{:.1} %", value * 100.0),
        Unit::Score | Unit::Count | Unit::Minutes | Unit::Logits | Unit::Points => {
            format!("{value:.2}")
        }
        Unit::Alpha => format!("{value:.3}"),
        Unit::Seconds => format!("{value:.1}"),
        Unit::Tokens | Unit::Elo => format!("{value:.0}"),
    };
    // Rounding can leave a minus before nothing.
    match text.strip_prefix('-') {
        Some(rest) if !rest.contains(|c: char| ('1'..='9').contains(&c)) => rest.to_owned(),
        _ => text,
    }
}
