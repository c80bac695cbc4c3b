//! Tests of slopes within groups against reference values.

use proptest::prelude::*;

use crate::estimate::ONE_CLUSTER;
use crate::tests::{close, counts, fixture, list, numbers};

use super::*;

fn points_from(points: &[(usize, usize, f64, f64)]) -> Vec<Point> {
    let points = points.iter().copied();
    points.map(|(cluster, group, x, y)| Point { cluster, group, kind: 0, x, y }).collect()
}

fn points(case: &serde_json::Value) -> Vec<Point> {
    let places = counts(&case["clusters"]).into_iter().zip(counts(&case["groups"]));
    let values = numbers(&case["x"]).into_iter().zip(numbers(&case["y"]));
    let points: Vec<_> = places.zip(values).map(|((c, g), (x, y))| (c, g, x, y)).collect();
    points_from(&points)
}

fn silent(estimate: &Estimate) -> &str {
    assert_eq!((estimate.se, estimate.low, estimate.high), (None, None, None));
    estimate.reason.as_deref().expect("a reason")
}

#[test]
fn s4_slopes_within_groups_are_those_of_statsmodels() {
    let reference = fixture(include_str!("../../fixtures/slope.json"));
    for case in list(&reference, "cases") {
        let mut points = points(case);
        let n = points.len();
        points.push(Point { cluster: 1_000, group: 1_000, kind: 0, x: 3.0, y: 4.0 });
        let found = slope(&points);
        assert_eq!(found.n, n);
        close(found.value, &case["value"], 1e-12);
        close(found.se, &case["se"], 1e-12);
        close(found.low, &case["low"], 1e-12);
        close(found.high, &case["high"], 1e-12);
    }
}

/// Points of three kinds: cluster, group, kind, x, y. Kind 0 has larger x, and kind 1 larger y.
const KINDS: [(usize, usize, usize, f64, f64); 48] = [
    (0, 0, 1, -0.14, 0.41),
    (0, 0, 2, -0.53, -1.31),
    (0, 1, 2, 0.37, -0.65),
    (0, 1, 1, -0.31, 1.17),
    (1, 2, 0, 0.33, 0.31),
    (1, 2, 2, 0.05, -1.09),
    (1, 3, 0, -0.15, -0.63),
    (1, 3, 2, -1.22, -0.93),
    (2, 4, 2, -0.22, -0.3),
    (2, 4, 1, -1.26, 0.57),
    (2, 5, 0, 0.86, -0.17),
    (2, 5, 2, -0.54, -0.9),
    (3, 6, 1, -0.4, 1.42),
    (3, 6, 2, 0.14, -0.19),
    (3, 7, 1, 0.06, 1.66),
    (3, 7, 0, 0.19, 0.72),
    (4, 8, 2, 0.13, 0.42),
    (4, 8, 0, 0.48, 2.19),
    (4, 9, 0, 0.2, 0.92),
    (4, 9, 1, 0.29, 1.8),
    (5, 10, 2, 0.03, 0.38),
    (5, 10, 0, 0.46, 0.31),
    (5, 11, 0, 0.86, -0.37),
    (5, 11, 1, -0.29, 0.77),
    (6, 12, 0, 0.14, -0.22),
    (6, 12, 1, 0.32, 0.13),
    (6, 13, 1, -0.05, 1.93),
    (6, 13, 0, 1.14, 0.46),
    (7, 14, 2, 0.46, -0.17),
    (7, 14, 1, -0.15, 1.55),
    (7, 15, 0, 0.7, 0.01),
    (7, 15, 1, -0.01, 1.13),
    (8, 16, 0, 0.79, 1.32),
    (8, 16, 2, -0.47, 0.54),
    (8, 17, 0, 1.09, 0.26),
    (8, 17, 1, 0.17, 0.66),
    (9, 18, 2, -0.75, 0.1),
    (9, 18, 0, 1.92, 1.07),
    (9, 19, 1, 0.1, 2.14),
    (9, 19, 0, 0.71, 0.96),
    (10, 20, 1, -0.52, 0.74),
    (10, 20, 2, -0.28, -1.24),
    (10, 21, 1, -0.43, 1.41),
    (10, 21, 0, 0.9, 0.41),
    (11, 22, 0, -0.2, -0.56),
    (11, 22, 2, -0.12, -1.63),
    (11, 23, 0, -0.07, 0.63),
    (11, 23, 1, -0.42, 1.5),
];

fn of_kinds(points: &[(usize, usize, usize, f64, f64)]) -> Vec<Point> {
    let point = |&(cluster, group, kind, x, y): &_| Point { cluster, group, kind, x, y };
    points.iter().map(point).collect()
}

/// The reference is least squares with a column for each group and kind (numpy), and the sandwich of clusters times C / (C - 1).
#[test]
fn s4_what_kinds_add_is_no_slope() {
    let found = slope(&of_kinds(&KINDS));
    assert_eq!((found.n, found.clusters), (48, 12));
    close(found.value, &(-0.049_899_420_126_032_19).into(), 1e-10);
    close(found.se, &0.127_657_891_406_198_9.into(), 1e-10);
}

/// How far kind 1 is above kind 0 where x is the same: the two are of one kind, and told apart by the measure.
#[test]
fn s4_a_slope_is_told_where_what_stands_beside_it_is_equal() {
    let points = of_kinds(&KINDS).into_iter().map(|p| {
        let kind = if p.kind == 1 { 0 } else { p.kind };
        let is_first = f64::from(p.kind == 1);
        let point = Point { kind, x: is_first, ..p };
        (point, p.x)
    });
    let found = slope_beside(&points.collect::<Vec<_>>());
    close(found.value, &0.847_815_212_651_478_6.into(), 1e-10);
    close(found.se, &0.126_728_185_927_938_75.into(), 1e-10);
    let follows = of_kinds(&KINDS).into_iter().map(|p| (p, 2.0 * p.x));
    let found = slope_beside(&follows.collect::<Vec<_>>());
    assert_eq!((found.value, silent(&found)), (None, FOLLOWS));
}

#[test]
fn s4_no_slope_where_the_measure_follows_from_the_kind() {
    let follows = KINDS.map(|(cluster, group, kind, _, y)| (cluster, group, kind, kind as f64, y));
    let found = slope(&of_kinds(&follows));
    assert_eq!(found.value, None);
    assert!(silent(&found).ends_with("apart from what it is of"));
}

#[test]
fn s4_no_slope_where_the_measure_does_not_vary() {
    let alone = points_from(&[(0, 0, 1.0, 2.0), (1, 1, 2.0, 3.0)]);
    let constant = points_from(&[(0, 0, 0.1, 2.0), (0, 0, 0.1, 3.0), (0, 0, 0.1, 4.0)]);
    for points in [points_from(&[]), alone, constant] {
        let found = slope(&points);
        assert_eq!((found.n, found.clusters, found.value), (0, 0, None));
        assert!(silent(&found).ends_with("within no group"));
    }
}

#[test]
fn s4_a_slope_of_one_topic_or_a_perfect_line_has_no_interval() {
    let one =
        points_from(&[(0, 0, 1.0, 2.0), (0, 0, 2.0, 3.0), (0, 1, 1.0, 1.0), (0, 1, 2.0, 4.0)]);
    let found = slope(&one);
    assert_eq!(found.value, Some(2.0));
    assert_eq!(silent(&found), ONE_CLUSTER);
    let line =
        points_from(&[(0, 0, 0.1, 0.3), (0, 0, 0.2, 0.6), (1, 1, 0.3, 1.9), (1, 1, 0.7, 3.1)]);
    let found = slope(&line);
    close(found.value, &3.0.into(), 1e-12);
    assert!(silent(&found).starts_with("no variation"));
    let flat =
        points_from(&[(0, 0, 0.1, 0.3), (0, 0, 0.2, 0.3), (1, 1, 0.3, 1.9), (1, 1, 0.7, 1.9)]);
    let found = slope(&flat);
    assert!(found.value.is_some_and(|value| value.abs() < 1e-12));
    assert!(silent(&found).starts_with("no variation"));
}

proptest! {
    #[test]
    fn s4_no_number_of_a_slope_is_nan_or_infinite(
        points in prop::collection::vec((0_usize..3, 0_usize..2, any::<f64>(), prop_oneof![any::<f64>(), -1.0..1.0]), 0..9)
    ) {
        let points: Vec<_> = points.into_iter().map(|(cluster, group, x, y)| (cluster, cluster * 2 + group, x, y)).collect();
        let found = slope(&points_from(&points));
        let numbers = [found.value, found.se, found.low, found.high];
        prop_assert!(numbers.iter().flatten().all(|x| x.is_finite()), "{found:?}");
        prop_assert!(found.reason.is_some() || numbers.iter().all(Option::is_some), "{found:?}");
    }
}
