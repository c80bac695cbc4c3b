//! What tests share: reading what reference packages computed, comparing with it, and simulating samples.

use std::f64::consts::TAU;

use serde_json::Value;

use super::bootstrap::SplitMix;
use super::estimate::Observation;

/// Reads a file of `fixtures`.
pub(super) fn fixture(text: &str) -> Value {
    serde_json::from_str(text).expect("the fixture is JSON")
}

/// The array of that name.
pub(super) fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().expect("an array")
}

/// The numbers of an array.
pub(super) fn numbers(value: &Value) -> Vec<f64> {
    let items = value.as_array().expect("an array").iter();
    items.map(number).collect()
}

/// A number.
pub(super) fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// The numbers of an array of whole numbers.
pub(super) fn counts(value: &Value) -> Vec<usize> {
    let items = value.as_array().expect("an array").iter();
    items.map(count).collect()
}

/// A whole number, which Python may have written as 3.0.
pub(super) fn count(value: &Value) -> usize {
    number(value) as usize
}

/// Observations from arrays of `clusters` and `values`.
pub(super) fn observations(case: &Value) -> Vec<Observation> {
    let clusters = counts(&case["clusters"]).into_iter();
    let values = numbers(&case["values"]);
    clusters.zip(values).map(|(cluster, value)| Observation { cluster, value }).collect()
}

/// Both are numbers that differ by no more than the part `tolerance`, or both are none.
#[track_caller]
pub(super) fn close(ours: Option<f64>, theirs: &Value, tolerance: f64) {
    match (ours, theirs.as_f64()) {
        (None, None) => {}
        (Some(a), Some(b)) => {
            let apart = (a - b).abs();
            assert!(
                apart <= tolerance * b.abs(),
                "{a} is not {b}: {:e} of it apart",
                apart / b.abs()
            );
        }
        pair => panic!("{pair:?}"),
    }
}

/// Random numbers that are the same everywhere.
pub(super) struct Random(SplitMix);

impl Random {
    /// Those of a seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(SplitMix(seed))
    }

    /// From 0 to below 1.
    pub(super) fn uniform(&mut self) -> f64 {
        (self.0.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Standard normal, by Box and Muller.
    pub(super) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (TAU * self.uniform()).cos()
    }

    /// Values around 0 in topics of a size; 0.3 of their variance is the topics'.
    pub(super) fn topics(&mut self, topics: usize, size: usize) -> Vec<Observation> {
        let mut observations = Vec::new();
        for cluster in 0..topics {
            let shared = self.normal() * 0.3_f64.sqrt();
            observations.extend(
                (0..size).map(|_| Observation {
                    cluster,
                    value: shared + self.normal() * 0.7_f64.sqrt(),
                }),
            );
        }
        observations
    }
}
