//! Kaplan–Meier curves.

use std::collections::BTreeMap;

use serde::Serialize;

use super::quantile::normal_quantile;

/// How long something was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetime {
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
    /// How many were left at its beginning.
    pub at_risk: usize,
    /// How many ended in it.
    pub ended: usize,
    /// How many were censored in it.
    pub censored: usize,
    /// The share that lasts longer than this round.
    pub survival: f64,
    /// The lower end of its 95 % interval (Greenwood's, on the scale of log(−log)); `null` where the share is 0 or 1.
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
    let (mut at_risk, mut survival, mut variance) = (lifetimes.len(), 1.0, 0.0);
    let step = |(round, [censored, ended]): (u32, [usize; 2])| {
        let (standing, gone) = (at_risk as f64, ended as f64);
        survival *= (standing - gone) / standing;
        variance += gone / (standing * (standing - gone));
        let interval = interval(survival, variance);
        let step = Step {
            round,
            at_risk,
            ended,
            censored,
            survival,
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
        };
        at_risk -= ended + censored;
        step
    };
    rounds.into_iter().map(step).collect()
}

/// The interval of a share from the variance of its logarithm.
fn interval(survival: f64, variance: f64) -> Option<(f64, f64)> {
    if survival <= 0.0 || survival >= 1.0 {
        return None;
    }
    let spread = normal_quantile(0.975)? * variance.sqrt() / survival.ln().abs();
    Some((survival.powf(spread.exp()), survival.powf((-spread).exp())))
}

#[cfg(test)]
mod tests;
