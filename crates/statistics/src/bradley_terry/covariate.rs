//! The model with one more effect, of a number that differs between the two of a comparison: such as the length of their texts.
//!
//! Fitted to single comparisons; standard errors are those of gradients summed by cluster (the sandwich), times C / (C - 1).

use std::collections::BTreeMap;

use super::Comparison;
use super::newton::{Point, descent, probability, solve};
use super::table::{Count, sign};
use crate::bootstrap::SAME;
use crate::estimate::{Estimate, Sizes, clustered, summed};

/// What holds what comparisons leave open, the sum of strengths and effects that never vary on their own: the smallest ridge
/// that can be computed with.
const RIDGE: f64 = 1e-6;
/// A parameter beyond this is without a finite best fit but for the ridge.
const MOST: f64 = 50.0;

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
    columns: Vec<(usize, f64)>,
    score: f64,
}

/// Fits strengths, the effects of speaking first and of being listed first, and that of `number`, which says by how much `a` has more
/// of it; `None` where there is no finite best fit, or not enough clusters.
pub fn adjusted(entities: usize, comparisons: &[(Comparison, f64)]) -> Option<Adjusted> {
    let rows: Vec<Row> = comparisons.iter().map(|c| row(entities, c)).collect();
    let at = solve(&vec![0.0; entities + 3], |at| point(&rows, at, entities))?;
    if at.iter().any(|part| part.abs() > MOST) {
        return None;
    }
    let sizes = summed(rows.iter().map(|row| (row.cluster, 1.0)));
    let mut found = Adjusted {
        theta: at[..entities].to_vec(),
        worth: Estimate::default(),
        clusters: by_cluster(&rows, &at),
        hessian: point(&rows, &at, entities).hessian,
        games: rows.len(),
        sizes: Sizes::new(sizes.into_values()),
    };
    let mut contrast = vec![0.0; at.len()];
    contrast[entities + 2] = 1.0;
    found.worth = found.estimate(at[entities + 2], &contrast)?;
    Some(found)
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
        let sums: BTreeMap<usize, f64> =
            self.clusters.iter().map(|(cluster, g)| (*cluster, dot(g))).collect();
        let estimate = Estimate {
            n: self.games,
            clusters: sums.len(),
            sizes: self.sizes,
            value: Some(value),
            ..Estimate::default()
        };
        let se = clustered(sums.values());
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
        columns: x.into_iter().enumerate().filter(|(_, x)| *x != 0.0).collect(),
        score: comparison.outcome.score(),
    }
}

fn point(rows: &[Row], at: &[f64], entities: usize) -> Point {
    let mut point = Point::new(at.len());
    for row in rows {
        let once = Count { games: 1.0, score: row.score };
        point.add_games(at, &row.columns, once);
    }
    for (n, value) in at.iter().enumerate() {
        point.add_ridge(n, *value, RIDGE);
    }
    point.fix_sum(&(0..entities).collect::<Vec<usize>>());
    point
}

/// The gradients of each cluster, added up.
fn by_cluster(rows: &[Row], at: &[f64]) -> BTreeMap<usize, Vec<f64>> {
    let mut sums: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for row in rows {
        let sum = sums.entry(row.cluster).or_insert_with(|| vec![0.0; at.len()]);
        let logits = row.columns.iter().map(|(n, x)| at[*n] * x).sum();
        let slope = probability(logits) - row.score;
        for (n, x) in &row.columns {
            sum[*n] += slope * x;
        }
    }
    sums
}
