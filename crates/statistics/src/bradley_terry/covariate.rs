//! The model with one more effect, of a number that differs between the two of a comparison: such as the length of their texts.
//!
//! Newton's method on single comparisons; standard errors are those of gradients summed by cluster (the sandwich), times C / (C - 1).

use std::collections::BTreeMap;

use super::Comparison;
use super::newton::{descent, probability};
use super::table::sign;
use crate::bootstrap::SAME;
use crate::estimate::{Estimate, Sizes, clustered, summed};

/// The last step is at most this long.
const LAST_STEP: f64 = 1e-9;
/// Six steps are usual. Where wins go one way, they never end.
const STEPS: usize = 30;

/// What comparisons say of strengths where the number is the same for both.
#[derive(Debug, Clone, PartialEq)]
pub struct Adjusted {
    /// The strengths in logits, by entity.
    pub theta: Vec<f64>,
    /// What the number is worth, in log-odds for each unit.
    pub worth: Estimate,
    clusters: BTreeMap<usize, Vec<f64>>,
    hessian: Vec<f64>,
    games: usize,
    sizes: Sizes,
}

/// A comparison as a row: what its log-odds depend on.
struct Row {
    cluster: usize,
    x: Vec<f64>,
    score: f64,
}

/// Fits strengths, the effects of speaking first and of being listed first, and that of `number`, which says by how much `a` has more
/// of it; `None` where there is no finite best fit, or not enough clusters.
pub fn adjusted(entities: usize, comparisons: &[(Comparison, f64)]) -> Option<Adjusted> {
    let rows: Vec<Row> = comparisons.iter().map(|c| row(entities, c)).collect();
    let size = entities + 3;
    let mut at = vec![0.0; size];
    for _ in 0..STEPS {
        let (gradient, hessian) = slopes(&rows, &at, entities);
        let step = descent(hessian.clone(), &gradient)?;
        at.iter_mut().zip(&step).for_each(|(at, step)| *at += step);
        if step.iter().all(|part| part.abs() <= LAST_STEP) {
            let sizes = summed(rows.iter().map(|row| (row.cluster, 1.0)));
            let mut found = Adjusted {
                theta: at[..entities].to_vec(),
                worth: Estimate::default(),
                clusters: by_cluster(&rows, &at),
                hessian,
                games: rows.len(),
                sizes: Sizes::new(sizes.into_values()),
            };
            let mut contrast = vec![0.0; size];
            contrast[size - 1] = 1.0;
            found.worth = found.estimate(at[size - 1], &contrast)?;
            return Some(found);
        }
        if at.iter().any(|part| !part.is_finite() || part.abs() > 50.0) {
            return None;
        }
    }
    None
}

impl Adjusted {
    /// How far one entity is ahead of another, in logits.
    pub fn lead(&self, above: usize, below: usize) -> Option<Estimate> {
        let mut contrast = vec![0.0; self.theta.len() + 3];
        (contrast[above], contrast[below]) = (1.0, -1.0);
        self.estimate(self.theta[above] - self.theta[below], &contrast)
    }

    /// How far an entity is above the average of all, in logits.
    pub fn strength(&self, entity: usize) -> Option<Estimate> {
        let all = self.theta.len();
        let mut contrast = vec![0.0; all + 3];
        contrast[..all].fill(-1.0 / all as f64);
        contrast[entity] += 1.0;
        let mean = self.theta.iter().sum::<f64>() / all as f64;
        self.estimate(self.theta[entity] - mean, &contrast)
    }

    fn estimate(&self, value: f64, contrast: &[f64]) -> Option<Estimate> {
        let negative: Vec<f64> = contrast.iter().map(|part| -part).collect();
        let weights = descent(self.hessian.clone(), &negative)?;
        let dot = |gradient: &Vec<f64>| gradient.iter().zip(&weights).map(|(g, w)| g * w).sum();
        let sums: BTreeMap<usize, f64> = self
            .clusters
            .iter()
            .map(|(cluster, g)| (*cluster, dot(g)))
            .collect();
        let estimate = Estimate {
            n: self.games,
            clusters: sums.len(),
            sizes: self.sizes,
            value: Some(value),
            ..Estimate::default()
        };
        let se = clustered(&sums);
        (sums.len() >= 10 && se > SAME).then(|| estimate.with_interval(se).checked())
    }
}

fn row(entities: usize, (comparison, number): &(Comparison, f64)) -> Row {
    let mut x = vec![0.0; entities + 3];
    x[comparison.a] += 1.0;
    x[comparison.b] -= 1.0;
    x[entities] = f64::from(sign(comparison.first));
    x[entities + 1] = f64::from(sign(comparison.listed));
    x[entities + 2] = *number;
    Row {
        cluster: comparison.cluster,
        x,
        score: comparison.outcome.score(),
    }
}

fn chance(row: &Row, at: &[f64]) -> f64 {
    probability(row.x.iter().zip(at).map(|(x, at)| x * at).sum())
}

/// The gradient and the lower half of the Hessian. What comparisons leave open, the sum of strengths and effects that never vary on their
/// own, is held by the smallest ridge that can be computed with.
fn slopes(rows: &[Row], at: &[f64], entities: usize) -> (Vec<f64>, Vec<f64>) {
    let size = at.len();
    let (mut gradient, mut hessian) = (vec![0.0; size], vec![0.0; size * size]);
    for row in rows {
        let p = chance(row, at);
        for (i, x) in row.x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            gradient[i] += (p - row.score) * x;
            for (j, y) in row.x[..=i].iter().enumerate() {
                hessian[i * size + j] += p * (1.0 - p) * x * y;
            }
        }
    }
    for i in 0..size {
        hessian[i * size + i] += 1e-6;
        gradient[i] += 1e-6 * at[i];
    }
    for i in 0..entities {
        for j in 0..=i {
            hessian[i * size + j] += 1.0 / entities as f64;
        }
    }
    (gradient, hessian)
}

/// The gradients of each cluster, added up.
fn by_cluster(rows: &[Row], at: &[f64]) -> BTreeMap<usize, Vec<f64>> {
    let mut sums: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for row in rows {
        let sum = sums
            .entry(row.cluster)
            .or_insert_with(|| vec![0.0; at.len()]);
        let slope = chance(row, at) - row.score;
        sum.iter_mut()
            .zip(&row.x)
            .for_each(|(sum, x)| *sum += slope * x);
    }
    sums
}
