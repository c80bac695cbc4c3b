//! The slope of one measure on another within groups, clustered, where points of the same kind are alike.

use std::collections::{BTreeMap, BTreeSet};

use super::estimate::{Estimate, NO_NUMBER, ROUNDING, Sizes, clustered, summed};
use super::groups::by_key;

/// What is left of a sum of squares where it follows from others, beside rounding.
const DEPENDENT: f64 = 1e-9;

/// Why there is no slope where a measure follows from kinds, or from what stands beside it.
const FOLLOWS: &str = "the measure does not vary apart from what it is of";

/// A point of a group. A group belongs to one cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The cluster's number.
    pub cluster: usize,
    /// The group's number: points are compared within it only.
    pub group: usize,
    /// Its kind, by number: kinds may differ in both values.
    pub kind: usize,
    /// The explanatory value.
    pub x: f64,
    /// The value to be explained.
    pub y: f64,
}

/// By how much y grows with x within groups and kinds: least squares with an effect of each group and of each kind. Groups in which
/// neither x nor the kind varies say nothing, and their points are not counted. There is no `sd`.
pub fn slope(points: &[Point]) -> Estimate {
    let first = |group: &[Point]| (group[0].x, group[0].kind);
    let centred = centred(points.iter().copied(), |group| {
        group.iter().any(|p| (p.x, p.kind) != first(group))
    });
    let telling = less_kinds(&centred);
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
    let squares = |points: &[Point]| points.iter().map(|p| p.x * p.x).sum::<f64>();
    if squares(&centred) <= 0.0 {
        return estimate.because("the measure varies within no group");
    }
    if squares(&telling) <= DEPENDENT * squares(&centred) {
        return estimate.because(FOLLOWS);
    }
    let total = |part: fn(&Point) -> f64| telling.iter().map(part).sum::<f64>();
    let (xx, xy, yy) = (total(|p| p.x * p.x), total(|p| p.x * p.y), total(|p| p.y * p.y));
    let slope = xy / xx;
    let rest = |p: &Point| p.x * (p.y - slope * p.x);
    let se = clustered(summed(telling.iter().map(|p| (p.cluster, rest(p)))).values()) / xx;
    let estimate = Estimate { value: Some(slope), ..estimate };
    let rounding = ROUNDING * (yy / xx).sqrt();
    estimate.spread(se, rounding, "no variation around the line: no interval")
}

/// The same where a further measure, which stands beside each point, is equal: least squares with an effect of that too.
pub fn slope_beside(points: &[(Point, f64)]) -> Estimate {
    if points.iter().any(|(p, beside)| !(p.x + p.y + beside).is_finite()) {
        return Estimate::none(NO_NUMBER);
    }
    let on_beside = |value: fn(&Point) -> f64| {
        let each = points.iter().map(|(p, beside)| Point { x: *beside, y: value(p), ..*p });
        less_kinds(&centred(each, |group| group.len() > 1))
    };
    let (x, y) = (on_beside(|p| p.x), on_beside(|p| p.y));
    let (of_x, of_y) = (grows(&x), grows(&y));
    let rest = |(x, y): (&Point, &Point)| Point {
        kind: 0,
        x: x.y - of_x * x.x,
        y: y.y - of_y * y.x,
        ..*x
    };
    let left: Vec<Point> = x.iter().zip(&y).map(rest).collect();
    let squares: f64 = left.iter().map(|p| p.x * p.x).sum();
    let before: f64 = x.iter().map(|p| p.y * p.y).sum();
    if squares > DEPENDENT * before { slope(&left) } else { Estimate::none(FOLLOWS) }
}

/// By how much y grows with x; not at all where x does not vary.
fn grows(points: &[Point]) -> f64 {
    let sum = |part: fn(&Point) -> f64| points.iter().map(part).sum::<f64>();
    let squares = sum(|p| p.x * p.x);
    if squares > 0.0 { sum(|p| p.x * p.y) / squares } else { 0.0 }
}

/// The points of groups that are wanted, less their group's means.
fn centred(
    points: impl Iterator<Item = Point>,
    wanted: impl Fn(&Vec<Point>) -> bool,
) -> Vec<Point> {
    let groups = by_key(points.map(|point| (point.group, point)));
    groups.into_values().filter(wanted).flat_map(less_means).collect()
}

fn less_means(group: Vec<Point>) -> impl Iterator<Item = Point> {
    let mean = |part: fn(&Point) -> f64| group.iter().map(part).sum::<f64>() / group.len() as f64;
    let (x, y) = (mean(|p| p.x), mean(|p| p.y));
    group.into_iter().map(move |p| Point { x: p.x - x, y: p.y - y, ..p })
}

/// What kinds add to both values of points that are less their group's means, taken off.
fn less_kinds(points: &[Point]) -> Vec<Point> {
    let kinds: BTreeSet<usize> = points.iter().map(|p| p.kind).collect();
    let places: BTreeMap<usize, usize> = kinds.into_iter().zip(0..).collect();
    let groups = || points.chunk_by(|a, b| a.group == b.group);
    let mut sums = Sums::new(places.len());
    groups().for_each(|group| sums.add(group, &places));
    let effects = sums.effects();
    let less = |group: &[Point]| {
        let of = |p: &Point| effects[places[&p.kind]];
        let mean = [0, 1].map(|n| group.iter().map(|p| of(p)[n]).sum::<f64>() / group.len() as f64);
        let one = |p: &Point| Point {
            x: p.x - (of(p)[0] - mean[0]),
            y: p.y - (of(p)[1] - mean[1]),
            ..*p
        };
        group.iter().map(one).collect::<Vec<Point>>()
    };
    groups().flat_map(less).collect()
}

/// The normal equations of the effects of kinds within groups: a row for each kind, with the sums of x and y at its end.
struct Sums(Vec<Vec<f64>>);

impl Sums {
    fn new(kinds: usize) -> Self {
        Self(vec![vec![0.0; kinds + 2]; kinds])
    }

    fn add(&mut self, group: &[Point], places: &BTreeMap<usize, usize>) {
        let kinds = self.0.len();
        let each = || group.iter().map(|p| (places[&p.kind], p));
        for (kind, point) in each() {
            let row = &mut self.0[kind];
            row[kind] += 1.0;
            row[kinds] += point.x;
            row[kinds + 1] += point.y;
            each().for_each(|(other, _)| row[other] -= 1.0 / group.len() as f64);
        }
    }

    /// The effects of each kind on x and y. One whose effect follows from those of others, as that of one of them always does, has none.
    fn effects(mut self) -> Vec<[f64; 2]> {
        let kinds = self.0.len();
        let counts: Vec<f64> = (0..kinds).map(|kind| self.0[kind][kind]).collect();
        let mut effects = vec![[0.0; 2]; kinds];
        let mut told = Vec::new();
        for kind in 0..kinds {
            let own = self.0[kind].clone();
            if own[kind] <= DEPENDENT * counts[kind].max(1.0) {
                continue;
            }
            told.push(kind);
            for other in (0..kinds).filter(|other| *other != kind) {
                let share = self.0[other][kind] / own[kind];
                self.0[other].iter_mut().zip(&own).for_each(|(part, own)| *part -= share * own);
            }
        }
        for kind in told {
            let row = &self.0[kind];
            effects[kind] = [row[kinds], row[kinds + 1]].map(|sum| sum / row[kind]);
        }
        effects
    }
}

#[cfg(test)]
mod tests;
