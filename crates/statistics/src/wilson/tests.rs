//! Tests of proportions: intervals against reference values.

use crate::tests::{close, fixture, list, number};

use super::*;

#[test]
fn s2_wilsons_intervals_are_those_of_statsmodels() {
    let reference = fixture(include_str!("../../fixtures/share.json"));
    for row in list(&reference, "wilson") {
        let interval = wilson(number(&row[0]), number(&row[1]));
        close(interval.map(|(low, _)| low), &row[2], 1e-12);
        close(interval.map(|(_, high)| high), &row[3], 1e-12);
    }
}

#[test]
fn s2_a_share_of_none_or_all_ends_at_0_or_1() {
    let (low, high) = wilson(0.0, 10.0).expect("an interval");
    assert_eq!((low, (high * 1e6).round()), (0.0, 277_533.0));
    let (low, high) = wilson(1.0, 10.0).expect("an interval");
    assert_eq!(((low * 1e6).round(), high), (722_467.0, 1.0));
}

#[test]
fn s2_no_share_of_no_cases() {
    for (p, n) in [(0.0, 0.0), (f64::NAN, 3.0), (0.5, f64::NAN), (0.5, f64::INFINITY), (1.5, 3.0)] {
        assert_eq!(wilson(p, n), None);
    }
}
