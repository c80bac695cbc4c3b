//! Tests of slopes within groups against reference values.

use proptest::prelude::*;

use crate::estimate::ONE_CLUSTER;
use crate::test_reference::{close, counts, fixture, list, numbers};

use super::*;

fn points_from(points: &[(usize, usize, f64, f64)]) -> Vec<Point> {
    let points = points.iter().copied();
    points
        .map(|(cluster, group, x, y)| Point {
            cluster,
            group,
            x,
            y,
        })
        .collect()
}

fn points(case: &serde_json::Value) -> Vec<Point> {
    let places = counts(&case["clusters"])
        .into_iter()
        .zip(counts(&case["groups"]));
    let values = numbers(&case["x"]).into_iter().zip(numbers(&case["y"]));
    let points: Vec<_> = places
        .zip(values)
        .map(|((c, g), (x, y))| (c, g, x, y))
        .collect();
    points_from(&points)
}

fn silent(estimate: &Estimate) -> &str {
    assert_eq!(
        (estimate.se, estimate.low, estimate.high),
        (None, None, None)
    );
    estimate.reason.as_deref().expect("a reason")
}

#[test]
fn s4_slopes_within_groups_are_those_of_statsmodels() {
    let reference = fixture(include_str!("../../fixtures/slope.json"));
    for case in list(&reference, "cases") {
        let mut points = points(case);
        let n = points.len();
        points.push(Point {
            cluster: 1_000,
            group: 1_000,
            x: 3.0,
            y: 4.0,
        });
        let found = slope(&points);
        assert_eq!(found.n, n);
        close(found.value, &case["value"], 1e-12);
        close(found.se, &case["se"], 1e-12);
        close(found.low, &case["low"], 1e-12);
        close(found.high, &case["high"], 1e-12);
    }
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
    let one = points_from(&[
        (0, 0, 1.0, 2.0),
        (0, 0, 2.0, 3.0),
        (0, 1, 1.0, 1.0),
        (0, 1, 2.0, 4.0),
    ]);
    let found = slope(&one);
    assert_eq!(found.value, Some(2.0));
    assert_eq!(silent(&found), ONE_CLUSTER);
    let line = points_from(&[
        (0, 0, 0.1, 0.3),
        (0, 0, 0.2, 0.6),
        (1, 1, 0.3, 1.9),
        (1, 1, 0.7, 3.1),
    ]);
    let found = slope(&line);
    close(found.value, &3.0.into(), 1e-12);
    assert!(silent(&found).starts_with("no variation"));
    let flat = points_from(&[
        (0, 0, 0.1, 0.3),
        (0, 0, 0.2, 0.3),
        (1, 1, 0.3, 1.9),
        (1, 1, 0.7, 1.9),
    ]);
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
