//! The slope of one measure on another within groups, clustered.

use std::collections::BTreeMap;

use super::estimate::{Estimate, NO_NUMBER, ROUNDING, Sizes, clustered, summed};

/// A point of a group. A group belongs to one cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The cluster's number.
    pub cluster: usize,
    /// The group's number: points are compared within it only.
    pub group: usize,
    /// The explanatory value.
    pub x: f64,
    /// The value to be explained.
    pub y: f64,
}

/// By how much y grows with x within groups: least squares after subtracting each group's means. Groups in
/// which x does not vary say nothing, and their points are not counted. There is no `sd`.
pub fn slope(points: &[Point]) -> Estimate {
    let telling = centred(points);
    // How much each cluster says of the slope.
    let weights = summed(telling.iter().map(|p| (p.cluster, p.x * p.x)));
    let estimate = Estimate {
        n: telling.len(),
        clusters: weights.len(),
        sizes: Sizes::of_sums(weights.into_values()),
        ..Estimate::default()
    };
    if points.iter().any(|p| !(p.x.is_finite() && p.y.is_finite())) {
        return estimate.because(NO_NUMBER);
    }
    if telling.is_empty() {
        return estimate.because("the measure varies within no group");
    }
    let total = |part: fn(&Point) -> f64| telling.iter().map(part).sum::<f64>();
    let (xx, xy, yy) = (
        total(|p| p.x * p.x),
        total(|p| p.x * p.y),
        total(|p| p.y * p.y),
    );
    let slope = xy / xx;
    let rest = |p: &Point| p.x * (p.y - slope * p.x);
    let se = clustered(summed(telling.iter().map(|p| (p.cluster, rest(p)))).values()) / xx;
    let estimate = Estimate {
        value: Some(slope),
        ..estimate
    };
    let rounding = ROUNDING * (yy / xx).sqrt();
    estimate.spread(se, rounding, "no variation around the line: no interval")
}

/// The points of groups in which x varies, less their group's means.
fn centred(points: &[Point]) -> Vec<Point> {
    let mut groups: BTreeMap<usize, Vec<Point>> = BTreeMap::new();
    for point in points {
        groups.entry(point.group).or_default().push(*point);
    }
    let varies = |group: &Vec<Point>| group.iter().any(|p| p.x != group[0].x);
    groups
        .into_values()
        .filter(varies)
        .flat_map(less_means)
        .collect()
}

fn less_means(group: Vec<Point>) -> impl Iterator<Item = Point> {
    let mean = |part: fn(&Point) -> f64| group.iter().map(part).sum::<f64>() / group.len() as f64;
    let (x, y) = (mean(|p| p.x), mean(|p| p.y));
    group.into_iter().map(move |p| Point {
        x: p.x - x,
        y: p.y - y,
        ..p
    })
}

#[cfg(test)]
mod tests;
