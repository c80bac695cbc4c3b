//! How far raters agree: Krippendorff's alpha and exact agreement.
//!
//! Alpha is 1 − observed / expected disagreement. Both have one form: what a set of ratings disagrees by, as if every
//! rating were compared with every other of the set, each rating weighing 1. The observed sets are the units, the
//! expected set is all ratings together. Sums of squares make this linear in the number of ratings.

use std::collections::BTreeMap;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::bootstrap::{interval, weights};
use super::estimate::{BEYOND, Estimate, NO_NUMBER, ONE_CLUSTER, Observation, ROUNDING};

/// What several raters rated. A missing rating is simply absent.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// The cluster's number.
    pub cluster: usize,
    /// The ratings.
    pub ratings: Vec<f64>,
}

/// How the difference between two ratings is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// All differences count the same.
    Nominal,
    /// By the number of ratings between the two.
    Ordinal,
    /// By the square of the difference.
    Interval,
}

/// Agreement between raters, with an interval from resampling clusters.
#[derive(Debug, Clone, PartialEq, Serialize, Default, JsonSchema)]
pub struct Agreement {
    /// Units with at least two ratings.
    pub units: usize,
    /// Their ratings.
    pub ratings: usize,
    /// Krippendorff's alpha: 1 is agreement, 0 is chance.
    pub alpha: Option<f64>,
    /// The lower end of its 95% interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The share of equal ratings among the pairs of a unit, over units.
    pub exact: Estimate,
    /// Why something is missing.
    pub reason: Option<String>,
}

/// How far raters agree on units, with an interval from `replicates` resamples of clusters, fixed by `seed`.
pub fn agreement(units: &[Unit], metric: Metric, replicates: usize, seed: u64) -> Agreement {
    let pairable: Vec<&Unit> = units.iter().filter(|u| u.ratings.len() > 1).collect();
    let mut result = Agreement {
        units: pairable.len(),
        ratings: pairable.iter().map(|u| u.ratings.len()).sum(),
        ..Agreement::default()
    };
    if units.iter().flat_map(|u| &u.ratings).any(|r| !r.is_finite()) {
        return result.because(NO_NUMBER);
    }
    let table = Table::new(&pairable, metric);
    result.exact = Estimate::share(&table.exact);
    if pairable.is_empty() {
        return result.because("no unit has two ratings");
    }
    result.alpha = table.alpha(&vec![1; table.clusters.len()]);
    match result.alpha {
        None if table.values.len() == 1 => result.because("no variation: all ratings are equal"),
        None => result.because(BEYOND),
        Some(_) => result.with_interval(&table, replicates, seed),
    }
}

impl Agreement {
    fn because(mut self, reason: &str) -> Self {
        self.reason = Some(reason.to_owned());
        self
    }

    fn with_interval(mut self, table: &Table, replicates: usize, seed: u64) -> Self {
        let clusters = table.clusters.len();
        if clusters == 1 {
            return self.because(ONE_CLUSTER);
        }
        let alphas: Vec<f64> = (0..replicates as u64)
            .into_par_iter()
            .filter_map(|replicate| table.alpha(&weights(clusters, replicate, seed)))
            .collect();
        match interval(alphas, clusters) {
            Ok([low, high]) => (self.low, self.high) = (Some(low), Some(high)),
            Err(reason) => return self.because(&reason.to_string()),
        }
        self
    }
}

/// How often a set of ratings holds which values: the value's place among all, and how often.
type Counts = Vec<(usize, f64)>;

/// What a topic adds to both disagreements.
#[derive(Default)]
struct Cluster {
    /// The different sets of ratings of its units, and how many units have them.
    sets: Vec<(Counts, f64)>,
    /// All its ratings.
    totals: Counts,
    /// What its units disagree by, if no other topic's ratings change it.
    settled: Option<f64>,
}

/// The ratings of units, ready for resampling.
struct Table {
    metric: Metric,
    /// The different values in order.
    values: Vec<f64>,
    clusters: Vec<Cluster>,
    /// The share of equal pairs by unit.
    exact: Vec<Observation>,
}

impl Table {
    fn new(units: &[&Unit], metric: Metric) -> Self {
        let mut values: Vec<f64> = units.iter().flat_map(|u| &u.ratings).copied().collect();
        values.sort_by(f64::total_cmp);
        let rounding = rounding(&values);
        values.dedup_by(|value, kept| *value - *kept <= rounding);
        let mut sets: BTreeMap<usize, BTreeMap<Vec<usize>, usize>> = BTreeMap::new();
        let mut exact = Vec::new();
        for unit in units {
            let places = places(unit, &values);
            exact.push(Observation { cluster: unit.cluster, value: equal_pairs(&counts(&places)) });
            *sets.entry(unit.cluster).or_default().entry(places).or_default() += 1;
        }
        let clusters = sets.into_values();
        Self {
            metric,
            clusters: clusters.map(|sets| Cluster::new(sets, metric, &values)).collect(),
            values,
            exact,
        }
    }

    /// Alpha where each cluster counts as often as its weight says; `None` where nothing varies.
    fn alpha(&self, weights: &[u32]) -> Option<f64> {
        let drawn = || {
            self.clusters.iter().zip(weights).filter_map(|(cluster, weight)| {
                (*weight > 0).then_some((cluster, f64::from(*weight)))
            })
        };
        let mut totals: Counts = (0..self.values.len()).map(|value| (value, 0.0)).collect();
        for (cluster, weight) in drawn() {
            for (value, count) in &cluster.totals {
                totals[*value].1 += weight * count;
            }
        }
        if totals.iter().filter(|(_, count)| *count > 0.0).count() < 2 {
            return None;
        }
        let midpoints = (self.metric == Metric::Ordinal).then(|| midpoints(&totals));
        let positions = midpoints.as_deref().unwrap_or(&self.values);
        let observed: f64 = drawn()
            .map(|(cluster, weight)| weight * cluster.disagreement(self.metric, positions))
            .sum();
        let expected = self.metric.disagreement(&totals, positions);
        Some(1.0 - observed / expected).filter(|alpha| alpha.is_finite())
    }
}

impl Cluster {
    fn new(sets: BTreeMap<Vec<usize>, usize>, metric: Metric, values: &[f64]) -> Self {
        let mut all: Vec<usize> =
            sets.iter().flat_map(|(places, times)| places.repeat(*times)).collect();
        all.sort_unstable();
        let sets: Vec<(Counts, f64)> =
            sets.iter().map(|(places, times)| (counts(places), *times as f64)).collect();
        let mut new = Self { sets, totals: counts(&all), settled: None };
        let is_settled = metric != Metric::Ordinal;
        new.settled = is_settled.then(|| new.disagreement(metric, values));
        new
    }

    fn disagreement(&self, metric: Metric, positions: &[f64]) -> f64 {
        let each = self.sets.iter().map(|(set, times)| times * metric.disagreement(set, positions));
        self.settled.unwrap_or_else(|| each.sum())
    }
}

impl Metric {
    /// What a set of ratings disagrees by, whose values stand at these positions.
    fn disagreement(self, counts: &Counts, positions: &[f64]) -> f64 {
        match self {
            Self::Nominal => mixture(counts),
            Self::Ordinal | Self::Interval => spread(counts, positions),
        }
    }
}

/// What only rounding tells apart is one value: means of the same scores differ in their last bits with the order of summing.
fn rounding(values: &[f64]) -> f64 {
    ROUNDING * values.iter().map(|value| value.abs()).fold(0.0, f64::max)
}

/// The places of a unit's ratings among all values, in order: each stands for what rounding tells from it.
fn places(unit: &Unit, values: &[f64]) -> Vec<usize> {
    let place = |rating: &f64| values.partition_point(|value| value <= rating) - 1;
    let mut places: Vec<usize> = unit.ratings.iter().map(place).collect();
    places.sort_unstable();
    places
}

/// The counts of places that are in order.
fn counts(places: &[usize]) -> Counts {
    let runs = places.chunk_by(|a, b| a == b);
    runs.map(|run| (run[0], run.len() as f64)).collect()
}

fn size(counts: &Counts) -> f64 {
    counts.iter().map(|(_, count)| count).sum()
}

/// Disagreement where any two distinct values differ by 1.
fn mixture(counts: &Counts) -> f64 {
    let size = size(counts);
    let equal: f64 = counts.iter().map(|(_, count)| count * count).sum();
    (size * size - equal) / (size - 1.0)
}

/// Disagreement where two values differ by the square of the distance between their positions.
fn spread(counts: &Counts, positions: &[f64]) -> f64 {
    let size = size(counts);
    let sum: f64 = counts.iter().map(|(at, count)| count * positions[*at]).sum();
    let mean = sum / size;
    let squares = counts.iter().map(|(at, count)| count * (positions[*at] - mean).powi(2));
    2.0 * size * squares.sum::<f64>() / (size - 1.0)
}

/// For each value the number of ratings below it and half of its own: squared distances between these are the ordinal
/// metric.
fn midpoints(totals: &Counts) -> Vec<f64> {
    let below = totals.iter().scan(0.0, |below, (_, count)| {
        let midpoint = *below + count / 2.0;
        *below += count;
        Some(midpoint)
    });
    below.collect()
}

/// The share of pairs of ratings that are equal.
fn equal_pairs(counts: &Counts) -> f64 {
    let size = size(counts);
    let equal: f64 = counts.iter().map(|(_, count)| count * (count - 1.0)).sum();
    equal / (size * (size - 1.0))
}

#[cfg(test)]
mod tests;
