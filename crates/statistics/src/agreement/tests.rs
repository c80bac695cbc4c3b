//! Tests of agreement: Krippendorff's alpha against reference values, and its limits.

use crate::tests::{Random, close, fixture, list};

use super::*;

const METRICS: [(&str, Metric); 3] =
    [("nominal", Metric::Nominal), ("ordinal", Metric::Ordinal), ("interval", Metric::Interval)];

/// Units from rows of ratings, two units a topic.
fn units_from(rows: &[Vec<f64>]) -> Vec<Unit> {
    let rows = rows.iter().enumerate();
    rows.map(|(at, ratings)| Unit { cluster: at / 2, ratings: ratings.clone() }).collect()
}

/// Ratings of judges who partly agree, in topics of `size` units.
fn judged(seed: u64, topics: usize, size: usize) -> Vec<Unit> {
    let mut random = Random::new(seed << 32);
    let mut unit = |cluster| {
        let truth = random.uniform() * 4.0;
        let ratings = (0..3).map(|_| (truth + random.uniform() * 2.0).round());
        Unit { cluster, ratings: ratings.collect() }
    };
    (0..topics * size).map(|at| unit(at / size)).collect()
}

/// The judges' rows of a fixture as units; null is a missing rating.
fn units(case: &serde_json::Value) -> Vec<Unit> {
    let judges = list(case, "ratings");
    let count = judges[0].as_array().expect("an array").len();
    let ratings = |at: usize| judges.iter().filter_map(move |judge| judge[at].as_f64());
    let rows: Vec<Vec<f64>> = (0..count).map(|at| ratings(at).collect()).collect();
    units_from(&rows)
}

fn no_alpha(found: &Agreement) -> &str {
    assert_eq!((found.alpha, found.low, found.high), (None, None, None));
    found.reason.as_deref().expect("a reason")
}

/// The same mean can come out of two sums, and then differs in its last bit.
#[test]
fn s4_what_only_rounding_tells_apart_is_the_same() {
    let sum = 0.1 + 0.2;
    assert!(sum > 0.3);
    let units = units_from(&[vec![sum, 0.3], vec![0.3, sum], vec![5.0, 6.0], vec![0.3, 0.4]]);
    let found = agreement(&units, Metric::Nominal, 0, 1);
    assert_eq!(found.exact.value, Some(0.5));
}

#[test]
fn s4_alpha_is_that_of_the_krippendorff_package() {
    let reference = fixture(include_str!("../../fixtures/agreement.json"));
    for case in list(&reference, "cases") {
        for (name, metric) in METRICS {
            let found = agreement(&units(case), metric, 0, 1);
            close(found.alpha, &case[name], 1e-12);
        }
    }
    let example = METRICS.map(|(_, metric)| {
        let found = agreement(&units(&reference["cases"][0]), metric, 0, 1);
        found.alpha.map(|alpha| (alpha * 1e6).round())
    });
    assert_eq!(example, [743_421.0, 815_388.0, 849_107.0].map(Some));
}

#[test]
fn s4_one_judge_or_no_unit_gives_no_alpha() {
    for rows in [vec![], vec![vec![1.0], vec![], vec![3.0]]] {
        for (_, metric) in METRICS {
            let found = agreement(&units_from(&rows), metric, 10, 1);
            assert_eq!(no_alpha(&found), "no unit has two ratings");
            assert_eq!((found.units, found.ratings, found.exact.value), (0, 0, None));
        }
    }
}

#[test]
fn s4_equal_ratings_give_exact_agreement_but_no_alpha() {
    let rows = vec![vec![0.1; 3], vec![0.1; 2], vec![0.1]];
    for (_, metric) in METRICS {
        let found = agreement(&units_from(&rows), metric, 10, 1);
        assert_eq!(no_alpha(&found), "no variation: all ratings are equal");
        assert_eq!((found.units, found.ratings), (2, 5));
        assert_eq!((found.exact.value, found.exact.se), (Some(1.0), None));
        assert!(found.exact.low.is_none(), "both units are of one topic");
    }
}

#[test]
fn s4_agreement_in_every_resample_has_no_interval() {
    let rows: Vec<Vec<f64>> = (0..20).map(|at| vec![f64::from(at % 5); 3]).collect();
    for (_, metric) in METRICS {
        let found = agreement(&units_from(&rows), metric, 200, 1);
        assert_eq!(found.alpha, Some(1.0));
        assert_eq!((found.low, found.high), (None, None));
        assert!(found.reason.is_some());
    }
}

#[test]
fn s4_one_topic_gives_alpha_without_interval() {
    let found = agreement(&units_from(&[vec![1.0, 2.0], vec![2.0, 2.0]]), Metric::Ordinal, 200, 1);
    assert!(found.alpha.is_some());
    assert_eq!((found.low, found.high), (None, None));
    assert_eq!(found.reason.as_deref(), Some(ONE_CLUSTER));
}

#[test]
fn s4_resamples_without_variation_are_left_out() {
    let mut rows = vec![vec![0.1; 3]; 18];
    rows.extend([vec![0.1, 0.2], vec![0.2, 0.2]]);
    let found = agreement(&units_from(&rows), Metric::Interval, 400, 1);
    // (9/10)^10 = 0.35 of them lack the topic that varies.
    assert!(found.low < found.alpha && found.alpha <= found.high, "{found:?}");
}

#[test]
fn s4_ratings_that_are_no_numbers_or_overflow_give_a_reason() {
    for (_, metric) in METRICS {
        let found = agreement(&units_from(&[vec![1.0, f64::NAN], vec![1.0, 2.0]]), metric, 10, 1);
        assert_eq!(no_alpha(&found), NO_NUMBER);
    }
    let found = agreement(&units_from(&[vec![1e300, -1e300]]), Metric::Interval, 10, 1);
    assert_eq!(no_alpha(&found), BEYOND);
}

#[test]
fn s4_exact_agreement_is_the_share_of_equal_pairs() {
    let rows = [vec![1.0, 1.0, 2.0], vec![1.0, 1.0], vec![3.0, 1.0, 2.0, 4.0], vec![5.0]];
    let found = agreement(&units_from(&rows), Metric::Nominal, 0, 1);
    close(found.exact.value, &((1.0 / 3.0 + 1.0 + 0.0) / 3.0).into(), 1e-15);
    assert_eq!((found.exact.n, found.exact.clusters), (3, 2));
}

#[test]
fn s4_a_resample_counts_a_topic_as_often_as_it_is_drawn() {
    let units = judged(1, 5, 3);
    let drawn = [2, 0, 1, 3, 0];
    let repeated: Vec<&Unit> =
        units.iter().flat_map(|unit| vec![unit; drawn[unit.cluster] as usize]).collect();
    let all: Vec<&Unit> = units.iter().collect();
    for (_, metric) in METRICS {
        let expected = Table::new(&repeated, metric).alpha(&[1; 3]).expect("an alpha");
        close(Table::new(&all, metric).alpha(&drawn), &expected.into(), 1e-12);
    }
}

#[test]
fn s4_the_interval_is_the_same_at_any_number_of_threads() {
    let units = judged(2, 20, 3);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let found = || agreement(&units, Metric::Ordinal, 300, 7);
        pool.expect("a pool").install(found)
    };
    assert_eq!(with(1), with(2));
    assert_eq!(with(1), with(16));
    assert_ne!(with(1).low, agreement(&units, Metric::Ordinal, 300, 8).low);
}

#[test]
fn s4_many_different_ratings_of_one_unit_are_no_trouble() {
    let ratings: Vec<f64> = (0..20_000).map(|at| f64::from(at * 7919 % 20_011)).collect();
    for (_, metric) in METRICS {
        let found = agreement(&units_from(&[ratings.clone(), vec![1.0, 2.0]]), metric, 2, 1);
        assert!(found.alpha.is_some_and(|alpha| alpha.abs() < 0.01), "{found:?}");
    }
}

/// How often intervals hold the truth. Three judges judge five things of each of 40 topics; a part `alpha` of the variance of
/// what they give is the things', and of that 0.3 the topics'.
fn coverage(alpha: f64, samples: u64, replicates: usize) -> f64 {
    let units = |seed: u64| {
        let mut random = Random::new(seed << 32);
        let things = random.topics(40, 5);
        let unit = |thing: &Observation| Unit {
            cluster: thing.cluster,
            ratings: [(); 3]
                .map(|()| thing.value * alpha.sqrt() + random.normal() * (1.0 - alpha).sqrt())
                .to_vec(),
        };
        things.iter().map(unit).collect::<Vec<Unit>>()
    };
    let found = |seed| agreement(&units(seed), Metric::Interval, replicates, seed);
    let holds = |found: &Agreement| found.low <= Some(alpha) && found.high >= Some(alpha);
    let held = (0..samples).map(found).filter(holds).count();
    held as f64 / samples as f64
}

#[test]
fn s4_intervals_of_alpha_hold_the_truth_in_about_95_percent() {
    let rate = coverage(0.7, 150, 200);
    assert!((0.91..=0.98).contains(&rate), "{rate}");
}

/// docs/src/reference/methods.md has these figures; another machine's logarithms may change a few of the 2,000.
#[test]
#[ignore = "takes minutes"]
fn s4_intervals_of_alpha_hold_the_truth_in_95_percent() {
    for (alpha, expected) in [(0.3, 0.9435), (0.7, 0.94)] {
        let rate = coverage(alpha, 2_000, 1_000);
        assert!((rate - expected).abs() < 0.002, "{rate}");
    }
}
