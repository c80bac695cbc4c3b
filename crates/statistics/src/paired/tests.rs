//! Tests of paired differences: tests and corrections against reference values.

use crate::tests::{Random, close, counts, fixture, list, numbers};

use crate::estimate::Sizes;

use super::*;

const REFERENCE: &str = include_str!("../../fixtures/paired.json");

fn pairs_from(pairs: &[(usize, f64, f64)]) -> Vec<Pair> {
    let pairs = pairs.iter().copied();
    pairs.map(|(cluster, a, b)| Pair { cluster, a, b }).collect()
}

fn with_p(p: Option<f64>) -> Difference {
    Difference { p, ..Difference::default() }
}

#[test]
fn s2_differences_are_those_of_scipy_and_statsmodels() {
    for case in list(&fixture(REFERENCE), "cases") {
        let sides = numbers(&case["a"]).into_iter().zip(numbers(&case["b"]));
        let clusters = counts(&case["clusters"]).into_iter();
        let pairs: Vec<_> = clusters.zip(sides).map(|(c, (a, b))| (c, a, b)).collect();
        let found = difference(&pairs_from(&pairs));
        close(found.estimate.value, &case["value"], 1e-12);
        close(found.estimate.se, &case["se"], 1e-12);
        close(found.estimate.low, &case["low"], 1e-12);
        close(found.estimate.high, &case["high"], 1e-12);
        close(found.p, &case["p"], 1e-12);
        close(found.detectable, &case["detectable"], 1e-12);
        close(found.deff, &case["deff"], 1e-12);
    }
}

#[test]
fn s2_holms_correction_is_that_of_statsmodels() {
    for case in list(&fixture(REFERENCE), "holm") {
        let mut family: Vec<Difference> =
            numbers(&case["p"]).into_iter().map(|p| with_p(Some(p))).collect();
        family.insert(0, with_p(None));
        corrected(&mut family);
        assert_eq!(family[0].p_adjusted, None);
        for (ours, theirs) in family[1..].iter().zip(list(case, "holm")) {
            close(ours.p_adjusted, theirs, 1e-12);
        }
    }
    corrected(&mut []);
}

/// The smallest p must be below a third of 5%. By the tables, for 9 degrees: t(0.975) = 2.2622, t(1 - 0.05 / 6) = 2.9333 and
/// t(0.8) = 0.8834; the standard error is 1.
#[test]
fn s3_a_family_of_three_detects_less_than_one_pair() {
    let of = |p| Difference {
        p: Some(p),
        estimate: Estimate {
            clusters: 10,
            se: Some(1.0),
            sizes: Sizes::new([1.0; 10]),
            ..Estimate::default()
        },
        ..Difference::default()
    };
    let mut three = [of(0.2), of(0.01), of(0.5)];
    corrected(&mut three);
    let mut one = [of(0.2)];
    corrected(&mut one);
    close(one[0].detectable, &(2.2622 + 0.8834).into(), 1e-4);
    close(three[0].detectable, &(2.9333 + 0.8834).into(), 1e-4);
}

#[test]
fn s2_differences_without_variation_have_no_p() {
    let none = pairs_from(&[(0, 3.0, 3.0), (1, 4.0, 4.0), (2, 0.1 + 0.2, 0.3)]);
    let constant = pairs_from(&[(0, 3.3, 3.1), (1, 2.3, 2.1), (2, 1.7, 1.5)]);
    for (pairs, value) in [(none, 0.0), (constant, 0.2)] {
        let found = difference(&pairs);
        let mean = found.estimate.value.expect("a mean");
        assert!((mean - value).abs() < 1e-12, "{mean}");
        assert_eq!((found.estimate.se, found.p), (None, None));
        assert_eq!((found.detectable, found.deff), (None, None));
        assert!(found.estimate.reason.expect("a reason").contains("no variation"));
    }
}

#[test]
fn s2_differences_of_nothing_or_one_topic_have_no_p() {
    for pairs in
        [pairs_from(&[]), pairs_from(&[(0, 1.0, 2.0)]), pairs_from(&[(0, 1.0, 2.0), (0, 1.0, 3.0)])]
    {
        let found = difference(&pairs);
        assert_eq!((found.estimate.se, found.p, found.deff), (None, None, None));
        assert_eq!(found.detectable, None);
        assert!(found.estimate.reason.is_some());
    }
}

#[test]
fn s2_a_difference_that_is_not_there_is_found_in_5_percent() {
    let samples = 2_000;
    let found = (0..samples).filter(|seed| {
        let mut random = Random::new(seed << 32);
        let sides = random.topics(40, 5).into_iter().zip(random.topics(40, 5));
        let pairs: Vec<_> = sides.map(|(a, b)| (a.cluster, a.value, b.value)).collect();
        difference(&pairs_from(&pairs)).p < Some(0.05)
    });
    let rate = found.count() as f64 / samples as f64;
    assert!((0.03..=0.07).contains(&rate), "{rate}");
}

#[test]
fn s2_a_detectable_difference_is_found_in_80_percent() {
    let samples = 1_000;
    let shift = {
        let variance = 2.0 * (0.3 + 0.7 / 5.0) / 40.0;
        let multiple = student_quantile(0.975, 39.0).zip(student_quantile(0.8, 39.0));
        multiple.map_or(f64::NAN, |(t, u)| (t + u) * f64::sqrt(variance))
    };
    let found = (0..samples).filter(|seed| {
        let mut random = Random::new(seed << 32);
        let sides = random.topics(40, 5).into_iter().zip(random.topics(40, 5));
        let pairs: Vec<_> = sides.map(|(a, b)| (a.cluster, a.value + shift, b.value)).collect();
        difference(&pairs_from(&pairs)).p < Some(0.05)
    });
    let rate = found.count() as f64 / samples as f64;
    assert!((0.76..=0.84).contains(&rate), "{rate}");
}

/// Twelve equal clusters with a standard error of 0.5.
const TWELVE: Spread = Spread { clusters: 12, se: 0.5, df: 11.0 };

/// As many clusters as are needed, and one fewer, on the same spread.
#[test]
fn s3_so_many_clusters_are_needed_as_make_a_difference_detectable() {
    let needed = TWELVE.clusters_needed(-1.0, ALPHA).expect("some number does");
    let by = |clusters: usize| TWELVE.detectable_by(clusters, ALPHA);
    assert!(by(needed) <= Some(1.0), "{needed}");
    assert!(by(needed - 1) > Some(1.0), "{needed}");
    // By normal quantiles, (1.960 + 0.842)² · 0.25 · 12 = 23.5; Student's ask for a little more.
    assert!((24..=27).contains(&needed), "{needed}");
    assert!(TWELVE.clusters_needed(1.0, ALPHA / 3.0) > Some(needed));
    let unequal = Spread { df: 2.0, ..TWELVE };
    assert!(unequal.clusters_needed(1.0, ALPHA) > Some(needed));
}

#[test]
fn s3_no_number_of_clusters_shows_nothing() {
    for (se, difference) in [(0.5, 0.0), (0.5, 1e-4), (0.0, 1.0), (f64::NAN, 1.0), (0.5, f64::NAN)]
    {
        let spread = Spread { se, ..TWELVE };
        assert_eq!(spread.clusters_needed(difference, ALPHA), None, "{se} {difference}");
    }
}

/// How often a difference that is not there is found on topics of these sizes.
fn false_alarms(sizes: &[usize]) -> f64 {
    let samples = 2_000;
    let found = (0..samples).filter(|seed| {
        let mut random = Random::new(seed << 32);
        let topics = sizes.iter().enumerate();
        let pairs = topics.flat_map(|(cluster, size)| {
            let of_topic = 0.5 * random.normal();
            let each = (0..*size).map(|_| (cluster, of_topic + random.normal(), 0.0));
            each.collect::<Vec<_>>()
        });
        let found = difference(&pairs_from(&pairs.collect::<Vec<_>>()));
        let (low, high) = (found.estimate.low, found.estimate.high);
        let is_outside = low > Some(0.0) || high.is_some_and(|high| high < 0.0);
        assert_eq!(found.p < Some(0.05), is_outside, "{found:?}");
        is_outside
    });
    found.count() as f64 / samples as f64
}

#[test]
fn s2_topics_that_differ_much_in_size_raise_no_false_alarms() {
    let one = [vec![40], vec![2; 8]].concat();
    let two = [vec![20; 2], vec![1; 20]].concat();
    for sizes in [one, two] {
        let rate = false_alarms(&sizes);
        assert!(rate <= 0.06, "{sizes:?}: {rate}");
    }
}

#[test]
fn s2_what_unequal_topics_can_detect_goes_by_their_test() {
    let pairs = [(0, 6), (1, 1), (2, 1), (3, 1), (4, 1)].into_iter().flat_map(|(cluster, size)| {
        (0..size).map(move |n| (cluster, f64::from((cluster * 7 + n) as u32 % 5), 1.0))
    });
    let found = difference(&pairs_from(&pairs.collect::<Vec<_>>()));
    let (detectable, sizes) = (found.detectable.unwrap(), found.estimate.sizes);
    let (t, se) = (student_quantile(0.975, sizes.df).unwrap(), found.estimate.larger_se().unwrap());
    assert!(sizes.df < 3.0 && sizes.larger > 1.0, "{sizes:?}");
    let errors = t + student_quantile(0.8, sizes.df).unwrap();
    assert!((detectable - errors * se).abs() < 1e-12);
    // What is told of the test is what the interval and p come from.
    assert_eq!((found.test_se, found.df), (Some(se), Some(sizes.df)));
    assert!(found.estimate.se < found.test_se);
    let half = found.estimate.high.unwrap() - found.estimate.value.unwrap();
    assert!((half - t * found.test_se.unwrap()).abs() < 1e-12);
}
