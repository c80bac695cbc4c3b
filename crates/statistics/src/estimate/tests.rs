//! Tests of estimates: clustered errors against reference values, and when there is no interval.

use proptest::prelude::*;

use crate::tests::{Random, close, fixture, list, observations};

use super::*;

/// Observations from (cluster, value).
fn observations_from(pairs: &[(usize, f64)]) -> Vec<Observation> {
    let pairs = pairs.iter().copied();
    pairs.map(|(cluster, value)| Observation { cluster, value }).collect()
}

fn silent(estimate: &Estimate) -> Option<&str> {
    assert_eq!((estimate.se, estimate.low, estimate.high), (None, None, None));
    estimate.reason.as_deref()
}

#[test]
fn s2_means_and_clustered_errors_are_those_of_statsmodels() {
    let reference = fixture(include_str!("../../fixtures/mean.json"));
    for case in list(&reference, "cases") {
        let estimate = Estimate::mean(&observations(case));
        close(estimate.value, &case["value"], 1e-12);
        close(estimate.sd, &case["sd"], 1e-12);
        close(estimate.se, &case["se"], 1e-12);
        close(estimate.low, &case["low"], 1e-12);
        close(estimate.high, &case["high"], 1e-12);
    }
}

#[test]
fn s2_what_cannot_be_below_0_has_no_interval_below_it() {
    let estimate = Estimate::mean(&observations_from(&[(0, 1.0), (1, 1000.0)]));
    assert!(estimate.low < Some(0.0));
    assert_eq!(estimate.not_negative().low, Some(0.0));
}

#[test]
fn s2_shares_and_their_errors_are_those_of_statsmodels() {
    let reference = fixture(include_str!("../../fixtures/share.json"));
    for case in list(&reference, "cases") {
        let estimate = Estimate::share(&observations(case));
        close(estimate.value, &case["value"], 1e-12);
        close(estimate.se, &case["se"], 1e-12);
        close(estimate.low, &case["low"], 1e-12);
        close(estimate.high, &case["high"], 1e-12);
        assert_eq!(estimate.reason, None);
    }
}

#[test]
fn s2_nothing_is_no_mean_and_no_share() {
    for estimate in [Estimate::mean(&[]), Estimate::share(&[])] {
        assert_eq!((estimate.n, estimate.clusters), (0, 0));
        assert_eq!((estimate.value, estimate.sd), (None, None));
        assert_eq!(silent(&estimate), Some(EMPTY));
    }
}

#[test]
fn s2_one_topic_gives_no_interval() {
    let estimate = Estimate::mean(&observations_from(&[(4, 1.0), (4, 2.0), (4, 6.0)]));
    assert_eq!((estimate.n, estimate.clusters), (3, 1));
    assert_eq!((estimate.value, estimate.sd), (Some(3.0), Some(7.0_f64.sqrt())));
    assert_eq!(silent(&estimate), Some(ONE_CLUSTER));
    let estimate = Estimate::mean(&observations_from(&[(4, 1.0)]));
    assert_eq!((estimate.value, estimate.sd), (Some(1.0), None));
    assert_eq!(silent(&estimate), Some(ONE_CLUSTER));
    for values in [[0.0, 1.0], [1.0, 1.0]] {
        let share = Estimate::share(&observations_from(&values.map(|value| (0, value))));
        assert_eq!(share.value, Some((values[0] + values[1]) / 2.0));
        assert_eq!(silent(&share), Some(ONE_CLUSTER));
    }
}

#[test]
fn s2_equal_values_have_no_error_rather_than_none() {
    let estimate = Estimate::mean(&observations_from(&[(0, 0.1), (1, 0.1), (2, 0.1)]));
    assert_eq!((estimate.value, estimate.sd), (Some(0.1), Some(0.0)));
    assert_eq!(silent(&estimate), Some(ALL_EQUAL));
    let rounding = Estimate::mean(&observations_from(&[(0, 0.1 + 0.2), (1, 0.3)]));
    assert_eq!(silent(&rounding), Some(ALL_EQUAL));
}

#[test]
fn s2_topics_with_one_mean_have_no_error_rather_than_none() {
    let even = observations_from(&[(0, 0.1), (0, 0.4), (1, 0.4), (1, 0.1), (2, 0.2), (2, 0.3)]);
    let estimate = Estimate::mean(&even);
    close(estimate.value, &0.25.into(), 1e-15);
    assert_eq!(silent(&estimate), Some(EQUAL_CLUSTERS));
    let share = Estimate::share(&observations_from(&[(0, 0.0), (0, 1.0), (1, 1.0), (1, 0.0)]));
    assert_eq!(share.se, None);
    assert_eq!(share.reason.as_deref(), Some(EVEN_TOPICS));
    assert_eq!(share.low, wilson(0.5, 4.0).map(|(low, _)| low));
}

#[test]
fn s2_a_share_without_variation_has_wilsons_interval_and_says_so() {
    for value in [0.0, 0.5, 1.0] {
        let estimate =
            Estimate::share(&observations_from(&[0, 1, 2, 3].map(|cluster| (cluster, value))));
        assert_eq!((estimate.value, estimate.se), (Some(value), None));
        assert_eq!(estimate.low.zip(estimate.high), wilson(value, 4.0));
        assert_eq!(estimate.reason.as_deref(), Some(EQUAL_SHARES));
    }
    // Twenty debates on four topics may be four times the same.
    let often: Vec<(usize, f64)> = (0..20).map(|n| (n % 4, 1.0)).collect();
    let estimate = Estimate::share(&observations_from(&often));
    assert_eq!(estimate.low.zip(estimate.high), wilson(1.0, 4.0));
    let one = Estimate::share(&observations_from(&[(7, 1.0)]));
    assert_eq!((one.low, one.high), (None, None));
    assert_eq!(silent(&one), Some(ONE_CLUSTER));
}

#[test]
fn s2_a_share_with_a_topic_each_is_plain_wilson() {
    let won = |cluster| (cluster, if cluster < 7 { 1.0 } else { 0.0 });
    let observations: Vec<(usize, f64)> = (0..10).map(won).collect();
    let estimate = Estimate::share(&observations_from(&observations));
    let (low, high) = wilson(0.7, 10.0).expect("an interval");
    close(estimate.low, &low.into(), 1e-12);
    close(estimate.high, &high.into(), 1e-12);
    assert_eq!(estimate.reason, None);
}

#[test]
fn s2_what_is_no_share_is_refused() {
    for value in [-0.1, 1.1, f64::NAN] {
        let estimate = Estimate::share(&observations_from(&[(0, 1.0), (1, value)]));
        assert_eq!((estimate.value, estimate.low), (None, None));
        assert!(estimate.reason.is_some());
    }
}

#[test]
fn s2_values_that_are_no_numbers_or_overflow_give_a_reason() {
    let estimate = Estimate::mean(&observations_from(&[(0, 1.0), (1, f64::NAN)]));
    assert_eq!((estimate.n, estimate.value), (2, None));
    assert_eq!(silent(&estimate), Some(NO_NUMBER));
    let estimate = Estimate::mean(&observations_from(&[(0, 1e308), (1, -1e308), (2, 1e308)]));
    assert_eq!((estimate.n, estimate.value), (3, None));
    assert_eq!(silent(&estimate), Some(BEYOND));
}

proptest! {
    #[test]
    fn s2_no_number_of_an_estimate_is_nan_or_infinite(
        pairs in prop::collection::vec((0_usize..4, prop_oneof![any::<f64>(), 0.0..=1.0, Just(0.5), Just(1.0)]), 0..8)
    ) {
        let shares: Vec<_> = pairs.iter().map(|(cluster, value)| (*cluster, value.clamp(0.0, 1.0))).collect();
        for estimate in [Estimate::mean(&observations_from(&pairs)), Estimate::share(&observations_from(&pairs)), Estimate::share(&observations_from(&shares))] {
            let numbers = [estimate.value, estimate.sd, estimate.se, estimate.low, estimate.high];
            prop_assert!(numbers.iter().flatten().all(|x| x.is_finite()), "{estimate:?}");
            prop_assert_ne!(estimate.se, Some(0.0));
            prop_assert!(estimate.reason.is_some() || numbers.iter().all(Option::is_some), "{estimate:?}");
        }
    }
}

/// How often intervals hold the truth.
fn coverage(truth: f64, samples: u64, estimate: impl Fn(u64) -> Estimate) -> f64 {
    let holds = |e: &Estimate| e.low <= Some(truth) && e.high >= Some(truth);
    let held = (0..samples).map(estimate).filter(holds).count();
    held as f64 / samples as f64
}

#[test]
fn s2_intervals_of_means_hold_the_truth_in_95_percent() {
    let rate = coverage(0.0, 2_000, |seed| Estimate::mean(&Random::new(seed << 32).topics(40, 5)));
    assert!((0.93..=0.97).contains(&rate), "{rate}");
}

/// Wins with a chance of 0.6 in topics; two of the same topic correlate by 0.3.
fn wins(mut random: Random, topics: usize, size: usize) -> Vec<Observation> {
    let mut observations = Vec::new();
    for cluster in 0..topics {
        let common = random.uniform() < 0.6;
        observations.extend((0..size).map(|_| {
            let follows = random.uniform() < 0.3_f64.sqrt();
            let own = random.uniform() < 0.6;
            let won = if follows { common } else { own };
            Observation { cluster, value: f64::from(u8::from(won)) }
        }));
    }
    observations
}

#[test]
fn s2_intervals_of_shares_hold_the_truth_in_95_percent() {
    for topics in [40, 8] {
        let rate =
            coverage(0.6, 2_000, |seed| Estimate::share(&wins(Random::new(seed << 32), topics, 5)));
        assert!((0.93..=0.97).contains(&rate), "{topics} topics: {rate}");
    }
}

/// Four debates on each topic in which a position, or else the topic, decides more than who debates: the chance of a win goes up by `by`
/// in half of them and down in the others, or up or down in all. A part of them is drawn.
fn balanced(mut random: Random, topics: usize, by: [f64; 2], drawn: f64) -> Vec<Observation> {
    let mut observations = Vec::new();
    for cluster in 0..topics {
        let topic = if random.uniform() < 0.5 { by[1] } else { -by[1] };
        observations.extend([by[0], by[0], -by[0], -by[0]].map(|position| {
            let won = random.uniform() < 0.5 + position + topic;
            let value = if random.uniform() < drawn { 0.5 } else { f64::from(u8::from(won)) };
            Observation { cluster, value }
        }));
    }
    observations
}

#[test]
fn s2_intervals_of_shares_in_balanced_designs_are_no_wider_than_they_need_be() {
    for (by, drawn) in [
        ([0.0, 0.0], 0.0),
        ([0.2, 0.0], 0.0),
        ([0.4, 0.0], 0.0),
        ([0.3, 0.0], 0.3),
        ([0.0, 0.25], 0.0),
        ([0.0, 0.25], 0.3),
    ] {
        for (topics, range) in [(40, 0.935..=0.965), (12, 0.93..=0.97), (5, 0.93..=1.0)] {
            let rate = coverage(0.5, 2_000, |seed| {
                Estimate::share(&balanced(Random::new(seed << 32), topics, by, drawn))
            });
            assert!(range.contains(&rate), "{by:?} {drawn} {topics}: {rate}");
        }
    }
}

/// What a caution says has a p, and an interval that must not contradict it.
#[test]
fn s2_where_a_test_finds_a_share_to_differ_from_a_half_its_interval_seldom_holds_it() {
    let mut contradict = 0;
    for seed in 0..2_000_u64 {
        let own = balanced(Random::new(seed << 32), 20, [0.3, 0.0], 0.2);
        let share = Estimate::share(&own);
        let is_found = share.p_of(0.5).is_some_and(|p| p < 0.05);
        let holds = share.low.zip(share.high).is_some_and(|(low, high)| low < 0.5 && high > 0.5);
        contradict += usize::from(is_found == holds);
    }
    assert!(contradict < 20, "{contradict}");
}

/// 1,000 samples from clusters of these sizes whose means are all that varies: of the variances that are estimated, the mean and
/// the spread are those of the truth divided by `larger` and of a chi-squared of `df` degrees.
#[test]
fn s3_sizes_of_clusters_say_what_a_variance_is_worth() {
    let equal = Sizes::new([3.0; 12]);
    assert!((equal.df - 11.0).abs() < 1e-9 && (equal.larger - 1.0).abs() < 1e-9);
    let sizes = [8, 8, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1];
    let said = Sizes::new(sizes.map(|size| size as f64));
    let mut random = Random::new(5);
    let mut sample = || {
        let each = sizes.iter().enumerate().flat_map(|(cluster, size)| {
            let value = random.normal();
            vec![Observation { cluster, value }; *size as usize]
        });
        Estimate::mean(&each.collect::<Vec<_>>()).se.expect("an error").powi(2)
    };
    let drawn: Vec<f64> = (0..4_000).map(|_| sample()).collect();
    let mean = drawn.iter().sum::<f64>() / 4_000.0;
    let variance = drawn.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 4_000.0;
    let truth = sizes.iter().map(|n| (n * n) as f64).sum::<f64>() / 33.0_f64.powi(2);
    assert!((truth / mean / said.larger - 1.0).abs() < 0.05, "{mean} {said:?}");
    assert!((2.0 * mean * mean / variance / said.df - 1.0).abs() < 0.1, "{variance} {said:?}");
}

#[test]
fn c5_what_cannot_be_is_cut_off_value_and_interval() {
    let estimate =
        Estimate { value: Some(1.02), low: Some(0.1), high: Some(1.1), ..Estimate::default() };
    let cut = estimate.clone().within(0.0, 1.0);
    assert_eq!((cut.value, cut.low, cut.high), (Some(1.0), Some(0.1), Some(1.0)));
    let cut = Estimate { low: Some(-0.1), high: Some(0.9), ..estimate.clone() }.within(0.0, 1.0);
    assert_eq!((cut.low, cut.high), (Some(0.0), Some(0.9)));
    let whole = Estimate { low: Some(-0.1), ..estimate }.within(0.0, 1.0);
    assert_eq!((whole.value, whole.low, whole.high), (Some(1.0), None, None));
    assert_eq!(whole.reason.as_deref(), Some("no interval: it would span the whole scale"));
}

#[test]
fn c1_what_never_varies_counts_topics_as_tosses_of_a_coin() {
    let constant = |topics: usize| {
        let each = (0..topics).map(|cluster| Observation { cluster, value: 3.0 });
        Estimate::mean(&each.collect::<Vec<_>>())
    };
    assert_eq!(constant(40).p_or_tossed(0.0), Some(0.5_f64.powi(39)));
    assert_eq!(constant(40).p_or_tossed(3.0), None);
    assert_eq!(constant(1).p_or_tossed(0.0), None);
    let [one, other] = [1.0, 2.0].map(|value| Observation { cluster: value as usize, value });
    let varied = Estimate::mean(&[one, other]);
    assert_eq!(varied.p_or_tossed(0.0), varied.p_of(0.0));
}
