//! A number with its uncertainty.

use serde::Serialize;

/// A number with its uncertainty, or the reason why it has none.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Estimate {
    /// Observations.
    pub n: usize,
    /// Distinct clusters (topics) among them.
    pub clusters: usize,
    /// The value.
    pub value: Option<f64>,
    /// The standard deviation between observations.
    pub sd: Option<f64>,
    /// The standard error, clustered.
    pub se: Option<f64>,
    /// The lower end of the 95 % interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Why something is missing.
    pub reason: Option<String>,
}
