//! From values to places on an axis, with ticks at round numbers.

/// An axis from one value to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    step: f64,
}

/// Ticks that an axis has about: so many texts stand side by side on a telephone.
const TICKS: f64 = 5.0;

impl Scale {
    /// The axis that holds all values, its ends at round numbers; `None` without a value.
    pub(crate) fn over(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        Self::ends(values).map(|(low, high)| Self::around(low, high))
    }

    /// The least and the most of all values; `None` without a value.
    pub(crate) fn ends(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
        let finite = values.into_iter().filter(|value| value.is_finite());
        finite.fold(None, |ends: Option<(f64, f64)>, value| {
            let (low, high) = ends.unwrap_or((value, value));
            Some((low.min(value), high.max(value)))
        })
    }

    /// The axis from one value to another, whatever ticks fall on it.
    pub(crate) fn exactly(low: f64, high: f64) -> Self {
        let step = round_step((high - low).max(f64::MIN_POSITIVE) / TICKS);
        Self { low, high, step }
    }

    fn around(low: f64, high: f64) -> Self {
        let least = high.abs().max(low.abs()).max(1.0) * 0.01;
        let missing = (least - (high - low)).max(0.0) / 2.0;
        let (low, high) = (low - missing, high + missing);
        let step = round_step((high - low) / TICKS);
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    /// Where a value stands, from 0 to 100; what lies outside stands at the end.
    pub(crate) fn at(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low) * 100.0).clamp(0.0, 100.0)
    }

    /// The round values on the axis.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        let first = (self.low / self.step - 1e-9).ceil();
        let last = (self.high / self.step + 1e-9).floor();
        let count = (last - first).max(0.0) as usize;
        (0..=count).map(|n| (first + n as f64) * self.step).collect()
    }

    /// Decimals that tell its ticks apart.
    pub(crate) fn places(&self) -> usize {
        (-self.step.log10().floor()).max(0.0) as usize
    }
}

/// The next of 1, 2, 5 times a power of ten.
fn round_step(raw: f64) -> f64 {
    let power = 10_f64.powf(raw.log10().floor());
    let mut factors = [1.0, 2.0, 5.0].into_iter();
    factors.find(|f| f * power >= raw * (1.0 - 1e-9)).unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s5_ticks_are_round_and_hold_all_values() {
        let scale = Scale::over([931.0, 1092.0]).unwrap();
        assert_eq!(scale.ticks(), [900.0, 950.0, 1000.0, 1050.0, 1100.0]);
        assert_eq!(scale.at(900.0), 0.0);
        assert_eq!(scale.at(1200.0), 100.0);
        let small = Scale::over([-0.12, 0.31]).unwrap();
        assert_eq!(small.places(), 1);
        assert_eq!(small.ticks().len(), 7);
    }

    #[test]
    fn s5_equal_values_have_an_axis_and_no_values_have_none() {
        let scale = Scale::over([3.0, 3.0]).unwrap();
        assert!(scale.at(3.0) > 20.0 && scale.at(3.0) < 80.0);
        assert_eq!(Scale::over([]), None);
        assert_eq!(Scale::over([f64::NAN]), None);
    }
}
