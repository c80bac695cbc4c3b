//! Tests of quantiles and tails against reference values.

use crate::tests::{close, fixture, list, number, numbers};

use super::*;

const REFERENCE: &str = include_str!("../../fixtures/quantile.json");

#[test]
fn s2_tails_and_quantiles_are_those_of_scipy() {
    let reference = fixture(REFERENCE);
    let arguments = |row: &serde_json::Value| numbers(row);
    for row in list(&reference, "normal") {
        close(normal_quantile(arguments(row)[0]), &row[1], 1e-12);
    }
    for row in list(&reference, "normal_two_sided") {
        close(Some(normal_two_sided(arguments(row)[0])), &row[1], 1e-12);
    }
    for row in list(&reference, "student") {
        let [p, df, _] = arguments(row)[..] else { panic!("{row}") };
        close(student_quantile(p, df), &row[2], 1e-12);
    }
    for row in list(&reference, "student_two_sided") {
        let [t, df, _] = arguments(row)[..] else { panic!("{row}") };
        close(Some(student_two_sided(t, df)), &row[2], 1e-12);
        close(Some(student_two_sided(-t, df)), &row[2], 1e-12);
    }
}

#[test]
fn s2_tails_and_quantiles_at_their_ends() {
    assert_eq!(normal_quantile(0.5), Some(0.0));
    assert_eq!(student_quantile(0.5, 3.0), Some(0.0));
    assert_eq!(normal_two_sided(0.0), 1.0);
    assert_eq!(student_two_sided(0.0, 3.0), 1.0);
    assert_eq!(student_two_sided(f64::INFINITY, 3.0), 0.0);
    for p in [0.0, 1.0, -1.0, 2.0, f64::NAN] {
        assert_eq!(normal_quantile(p), None);
        assert_eq!(student_quantile(p, 3.0), None);
    }
    for df in [0.0, f64::NAN] {
        assert_eq!(student_quantile(0.9, df), None);
    }
}

#[test]
fn s2_percentiles_are_bit_equal_to_numpys() {
    for case in list(&fixture(REFERENCE), "percentiles") {
        let sample = numbers(&case["sample"]);
        for (name, p) in [("p50", 0.5), ("p95", 0.95), ("p2_5", 0.025)] {
            assert_eq!(percentile(&sample, p), Some(number(&case[name])), "{name}");
        }
    }
    assert_eq!(percentile(&[], 0.5), None);
}
