//! Kaplan–Meier curves of lifetimes in clusters.
//!
//! The variance of the logarithm of a share is that of the sums over clusters of what each lifetime adds to it (Williams 1995).
//! With one lifetime a cluster that is Greenwood's.

use std::collections::BTreeMap;

use serde::Serialize;

use super::estimate::{clustered, degrees};
use super::quantile::student_quantile;

/// How long something was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetime {
    /// The cluster's number.
    pub cluster: usize,
    /// The rounds it lasted.
    pub rounds: u32,
    /// Whether it ended then; otherwise it is censored.
    pub ended: bool,
}

/// One step of a curve.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Step {
    /// The round.
    pub round: u32,
    /// The number at risk at its beginning.
    pub at_risk: usize,
    /// The number that ended in it.
    pub ended: usize,
    /// The number censored in it.
    pub censored: usize,
    /// The share that lasted longer than this round.
    pub survival: f64,
    /// The lower end of its 95% interval (clustered, on the log(−log) scale); `null` if the share is 0 or 1, or with one cluster.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// The curve of lifetimes: a step for every round in which any ended or were censored. Those censored in a round count as at
/// risk in it.
pub fn survival(lifetimes: &[Lifetime]) -> Vec<Step> {
    let mut rounds: BTreeMap<u32, [usize; 2]> = BTreeMap::new();
    for life in lifetimes {
        rounds.entry(life.rounds).or_default()[usize::from(life.ended)] += 1;
    }
    let mut at_risk = lifetimes.len();
    let mut survival = 1.0;
    let mut variance = Variance::new(lifetimes);
    let step = |(round, [censored, ended]): (u32, [usize; 2])| {
        survival *= (at_risk - ended) as f64 / at_risk as f64;
        variance.add(round, at_risk, ended);
        let (low, high) = variance.interval(survival).unzip();
        let step = Step { round, at_risk, ended, censored, survival, low, high };
        at_risk -= ended + censored;
        step
    };
    rounds.into_iter().map(step).collect()
}

/// The variance of the logarithm of a share, as rounds go by.
struct Variance<'l> {
    lifetimes: &'l [Lifetime],
    /// What the lifetimes of each cluster add to the logarithm.
    sums: BTreeMap<usize, f64>,
    /// The variance that independent lifetimes would have.
    greenwood: f64,
}

impl<'l> Variance<'l> {
    fn new(lifetimes: &'l [Lifetime]) -> Self {
        Self {
            lifetimes,
            sums: lifetimes.iter().map(|life| (life.cluster, 0.0)).collect(),
            greenwood: 0.0,
        }
    }

    fn add(&mut self, round: u32, at_risk: usize, ended: usize) {
        let (standing, gone) = (at_risk as f64, ended as f64);
        self.greenwood += gone / (standing * (standing - gone));
        for life in self.lifetimes.iter().filter(|life| life.rounds >= round) {
            let ends = f64::from(life.ended && life.rounds == round);
            let beyond = (ends - gone / standing) / (standing - gone);
            *self.sums.entry(life.cluster).or_default() += beyond;
        }
    }

    /// The interval of a share. Clusters that resemble each other by chance make it no narrower than independent lifetimes would.
    fn interval(&self, survival: f64) -> Option<(f64, f64)> {
        if survival <= 0.0 || survival >= 1.0 {
            return None;
        }
        let t = student_quantile(0.975, degrees(self.sums.len())?)?;
        let error = clustered(self.sums.values()).max(self.greenwood.sqrt());
        let spread = t * error / survival.ln().abs();
        Some((survival.powf(spread.exp()), survival.powf((-spread).exp())))
    }
}

#[cfg(test)]
mod tests;
