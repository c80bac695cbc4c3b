use crate::stats::reference::{close, fixture, list, number};

use super::*;

#[test]
fn s2_wilsons_intervals_are_those_of_statsmodels() {
    let reference = fixture(include_str!("../../../tests/fixtures/stats/share.json"));
    for row in list(&reference, "wilson") {
        let interval = wilson(number(&row[0]), number(&row[1]));
        close(interval.map(|(low, _)| low), &row[2], 1e-12);
        close(interval.map(|(_, high)| high), &row[3], 1e-12);
    }
}

#[test]
fn s2_wilsons_intervals_of_the_brief() {
    let rounded = |p, n| {
        wilson(p, n).map(|(low, high)| (format!("{low:.6}"), format!("{high:.6}")))
    };
    let pair = |low: &str, high: &str| Some((low.to_owned(), high.to_owned()));
    assert_eq!(rounded(0.0, 10.0), pair("0.000000", "0.277533"));
    assert_eq!(rounded(0.7, 10.0), pair("0.396777", "0.892209"));
    assert_eq!(wilson(0.0, 10.0).map(|(low, _)| low), Some(0.0));
    assert_eq!(wilson(1.0, 10.0).map(|(_, high)| high), Some(1.0));
}

#[test]
fn s2_no_share_of_no_cases() {
    for (p, n) in [(0.0, 0.0), (f64::NAN, 3.0), (0.5, f64::NAN), (0.5, f64::INFINITY), (1.5, 3.0)] {
        assert_eq!(wilson(p, n), None);
    }
}
