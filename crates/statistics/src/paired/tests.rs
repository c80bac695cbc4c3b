use crate::reference::{Random, close, count, counts, fixture, list, numbers};

use super::*;

const REFERENCE: &str = include_str!("../../fixtures/paired.json");

fn pairs_from(pairs: &[(usize, f64, f64)]) -> Vec<Pair> {
    let pairs = pairs.iter().copied();
    pairs
        .map(|(cluster, a, b)| Pair { cluster, a, b })
        .collect()
}

fn with_p(p: Option<f64>) -> Difference {
    Difference {
        p,
        ..Difference::default()
    }
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
        close(found.p, &case["p"], 1e-12);
        close(found.detectable, &case["detectable"], 1e-12);
        close(found.deff, &case["deff"], 1e-12);
    }
}

#[test]
fn s2_holms_correction_is_that_of_statsmodels() {
    for case in list(&fixture(REFERENCE), "holm") {
        let mut family: Vec<Difference> = numbers(&case["p"])
            .into_iter()
            .map(|p| with_p(Some(p)))
            .collect();
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
fn s2_needed_pairs() {
    for row in list(&fixture(REFERENCE), "needed") {
        let [sd, delta, alpha, power, deff, _] = numbers(row)[..] else {
            panic!("{row}")
        };
        assert_eq!(needed(sd, delta, alpha, power, deff), Some(count(&row[5])));
    }
    for (sd, delta, alpha, power) in [
        (1.0, 0.0, 0.05, 0.8),
        (0.0, 1.0, 0.05, 0.8),
        (1.0, 1.0, 0.0, 0.8),
        (1.0, 1.0, 0.05, 1.0),
        (f64::NAN, 1.0, 0.05, 0.8),
        (1.0, 1e-300, 0.05, 0.8),
    ] {
        assert_eq!(needed(sd, delta, alpha, power, 1.0), None);
    }
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
        assert!(
            found
                .estimate
                .reason
                .expect("a reason")
                .contains("no variation")
        );
    }
}

#[test]
fn s2_differences_of_nothing_or_one_topic_have_no_p() {
    for pairs in [
        pairs_from(&[]),
        pairs_from(&[(0, 1.0, 2.0)]),
        pairs_from(&[(0, 1.0, 2.0), (0, 1.0, 3.0)]),
    ] {
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
        let pairs: Vec<_> = sides
            .map(|(a, b)| (a.cluster, a.value + shift, b.value))
            .collect();
        difference(&pairs_from(&pairs)).p < Some(0.05)
    });
    let rate = found.count() as f64 / samples as f64;
    assert!((0.76..=0.84).contains(&rate), "{rate}");
}

/// Twelve clusters give 1.0 with a standard error of 0.5; as many as are needed, and one fewer, on the same spread.
#[test]
fn s3_so_many_clusters_are_needed_as_make_a_difference_detectable() {
    let detectable_by = |clusters: usize| {
        let se = 0.5 * (12.0 / clusters as f64).sqrt();
        detectable_errors(clusters, ALPHA).map(|errors| errors * se)
    };
    let needed = clusters_needed(12, 0.5, -1.0, ALPHA).expect("some number does");
    assert!(detectable_by(needed) <= Some(1.0), "{needed}");
    assert!(detectable_by(needed - 1) > Some(1.0), "{needed}");
    // By normal quantiles, (1.960 + 0.842)² · 0.25 · 12 = 23.5; Student's ask for a little more.
    assert!((24..=27).contains(&needed), "{needed}");
    assert!(clusters_needed(12, 0.5, 1.0, ALPHA / 3.0) > Some(needed));
}

#[test]
fn s3_no_number_of_clusters_shows_nothing() {
    for (se, difference) in [
        (0.5, 0.0),
        (0.5, 1e-4),
        (0.0, 1.0),
        (f64::NAN, 1.0),
        (0.5, f64::NAN),
    ] {
        assert_eq!(
            clusters_needed(12, se, difference, ALPHA),
            None,
            "{se} {difference}"
        );
    }
}
