//! Means of what people say, with the help of what a judge says of many more: prediction-powered inference.
//!
//! After Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, "Prediction-powered inference" (2023, arXiv 2301.09633) and, for the tuning,
//! Angelopoulos, Duchi and Zrnic, "PPI++" (2023, arXiv 2311.01453): with n cases that both people (h) and the judge (j) rated and N more
//! that only the judge rated,
//!
//! θ = λ · mean of j over the N + mean of (h − λ j) over the n, λ = cov(h, j) / ((1 + n/N) var j), cut to 0 to 1.
//!
//! With β = λ (1 + n/N) this is the mean of (h − β j) over the n plus β times the mean of j over all n + N, which holds where the n were
//! drawn with unequal chances too: they then count 1 / chance. A judge that says nothing of people has λ = 0, and people stand alone.
//!
//! The interval sums what each case moves θ by within its cluster, so that cases of one topic, labelled or not, are no independent ones:
//! √(C/(C − 1) · Σ over clusters (Σ u)²) and Student's distribution of C − 1 degrees.

use super::estimate::{EMPTY, Estimate, NO_NUMBER, ROUNDING, Sizes, clustered, summed};

/// A case that a judge rated, and perhaps people too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Case {
    /// The cluster's number.
    pub cluster: usize,
    /// What the judge says.
    pub judge: f64,
    /// What people say, where they were asked.
    pub people: Option<People>,
}

/// What people say of a case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct People {
    /// The value.
    pub value: f64,
    /// The chance with which the case was drawn, above 0.
    pub chance: f64,
}

/// A mean of what people would say of all cases.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Corrected {
    /// The mean, with its clustered interval; `n` counts the cases that people rated.
    pub estimate: Estimate,
    /// How much of the judge's word counts: 0 none, 1 all.
    pub lambda: Option<f64>,
}

/// A labelled case as the sums need it.
struct Labelled {
    cluster: usize,
    weight: f64,
    people: f64,
    judge: f64,
}

/// What people would say on average of all cases, from what they say of some and the judge of all.
pub fn corrected(cases: &[Case]) -> Corrected {
    let labelled: Vec<Labelled> = cases.iter().filter_map(labelled).collect();
    let clusters = summed(labelled.iter().map(|it| (it.cluster, it.weight)));
    let estimate = Estimate {
        n: labelled.len(),
        clusters: clusters.len(),
        sizes: Sizes::of_sums(clusters.values().copied()),
        ..Estimate::default()
    };
    let is_sound = |it: &Labelled| (it.people + it.weight).is_finite() && it.weight > 0.0;
    if !cases.iter().all(|it| it.judge.is_finite()) || !labelled.iter().all(is_sound) {
        return Corrected::none(estimate.because(NO_NUMBER));
    }
    if labelled.is_empty() {
        return Corrected::none(estimate.because(EMPTY));
    }
    let (lambda, beta) = tuned(cases, &labelled);
    let all = cases.len() as f64;
    let mean_of_judge = cases.iter().map(|it| it.judge).sum::<f64>() / all;
    let weights: f64 = labelled.iter().map(|it| it.weight).sum();
    let rest = |it: &Labelled| it.people - beta * it.judge;
    let mean_of_rest = labelled.iter().map(|it| it.weight * rest(it)).sum::<f64>() / weights;
    // What each case moves the mean by.
    let by_judge = cases.iter().map(|it| (it.cluster, beta * (it.judge - mean_of_judge) / all));
    let by_people =
        labelled.iter().map(|it| (it.cluster, it.weight * (rest(it) - mean_of_rest) / weights));
    let moved = summed(by_judge.chain(by_people));
    let estimate = Estimate { value: Some(mean_of_rest + beta * mean_of_judge), ..estimate };
    Corrected {
        estimate: estimate.spread(clustered(moved.values()), ROUNDING, "no variation: no interval"),
        lambda: Some(lambda),
    }
}

impl Corrected {
    /// No number, and why.
    fn none(estimate: Estimate) -> Self {
        Self { estimate, lambda: None }
    }
}

fn labelled(case: &Case) -> Option<Labelled> {
    let people = case.people?;
    Some(Labelled {
        cluster: case.cluster,
        weight: 1.0 / people.chance,
        people: people.value,
        judge: case.judge,
    })
}

/// λ and β.
fn tuned(cases: &[Case], labelled: &[Labelled]) -> (f64, f64) {
    let (all, n) = (cases.len() as f64, labelled.len() as f64);
    if labelled.len() < 2 || cases.len() == labelled.len() {
        return (0.0, 0.0);
    }
    let mean = cases.iter().map(|it| it.judge).sum::<f64>() / all;
    let squares: f64 = cases.iter().map(|it| (it.judge - mean).powi(2)).sum();
    let more = 1.0 + n / (all - n);
    let lambda = covariance(labelled) / (more * squares / (all - 1.0));
    if squares <= ROUNDING * all || !lambda.is_finite() {
        (0.0, 0.0)
    } else {
        let lambda = lambda.clamp(0.0, 1.0);
        (lambda, lambda * more)
    }
}

/// The covariance of people and judge over the labelled cases.
fn covariance(labelled: &[Labelled]) -> f64 {
    let weights: f64 = labelled.iter().map(|it| it.weight).sum();
    let mean = |part: fn(&Labelled) -> f64| {
        let sum: f64 = labelled.iter().map(|it| it.weight * part(it)).sum();
        sum / weights
    };
    let (people, judge) = (mean(|it| it.people), mean(|it| it.judge));
    let products = labelled.iter().map(|it| it.weight * (it.people - people) * (it.judge - judge));
    let n = labelled.len() as f64;
    products.sum::<f64>() / weights * n / (n - 1.0)
}

#[cfg(test)]
mod tests;
