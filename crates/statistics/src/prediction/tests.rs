//! Tests of corrected means against the values of the papers.

use crate::tests::{Random, close, counts, fixture, list, number};

use super::*;
use crate::estimate::{ONE_CLUSTER, Observation};

/// Judges right where people say 1 and where they say 0, by these shares.
const RIGHT: [f64; 2] = [0.70, 0.85];

fn cases(case: &serde_json::Value) -> Vec<Case> {
    let each = counts(&case["clusters"]).into_iter().enumerate();
    let rows = each.map(|(at, cluster)| Case {
        cluster,
        judge: number(&case["judge"][at]),
        people: case["people"][at]
            .as_f64()
            .map(|value| People { value, chance: number(&case["chance"][at]) }),
    });
    rows.collect()
}

#[test]
fn c5_a_corrected_mean_is_that_of_the_papers() {
    let reference = fixture(include_str!("../../fixtures/prediction.json"));
    for case in list(&reference, "cases") {
        let found = corrected(&cases(case));
        close(found.estimate.value, &case["value"], 1e-12);
        close(found.lambda, &case["lambda"], 1e-12);
        close(found.estimate.se, &case["se"], 1e-12);
    }
}

fn rated(cluster: usize, judge: f64, people: Option<f64>) -> Case {
    Case { cluster, judge, people: people.map(|value| People { value, chance: 0.5 }) }
}

#[test]
fn c5_a_judge_that_tells_nothing_leaves_people_alone() {
    let people = [0.0, 1.0, 1.0, 0.0, 1.0];
    let labelled = |judge: fn(f64) -> f64| {
        let own = people.iter().enumerate().map(move |(n, h)| rated(n, judge(*h), Some(*h)));
        own.collect::<Vec<_>>()
    };
    // It always says the same; it says the opposite; there is nothing that only it rated.
    let constant = [labelled(|_| 1.0), vec![rated(9, 1.0, None); 9]].concat();
    let opposite = [labelled(|h| 1.0 - h), vec![rated(9, 1.0, None), rated(8, 0.0, None)]].concat();
    for cases in [constant, opposite, labelled(|h| h)] {
        let found = corrected(&cases);
        assert_eq!(found.lambda, Some(0.0));
        assert!((found.estimate.value.expect("a mean") - 0.6).abs() < 1e-12);
        assert_eq!((found.estimate.n, found.estimate.clusters), (5, 5));
    }
}

#[test]
fn c5_without_labels_or_with_one_topic_there_is_no_interval() {
    let none = corrected(&[rated(0, 1.0, None)]);
    assert_eq!((none.estimate.value, none.lambda), (None, None));
    let one = [rated(0, 1.0, Some(1.0)), rated(0, 0.0, Some(0.0)), rated(0, 1.0, None)];
    let one = corrected(&one).estimate;
    assert_eq!(one.reason.as_deref(), Some(ONE_CLUSTER));
    assert_eq!(one.low, None);
    let nan = corrected(&[rated(0, f64::NAN, Some(1.0))]);
    assert_eq!(nan.estimate.value, None);
    let impossible =
        Case { people: Some(People { value: 1.0, chance: 0.0 }), ..rated(0, 1.0, None) };
    assert_eq!(corrected(&[impossible]).estimate.value, None);
}

#[test]
fn c5_unequal_chances_are_weighed_out() {
    // People say 1 in one half and 0 in the other, which is asked three times as often.
    let mut cases = Vec::new();
    for n in 0..400_usize {
        let is_one = n.is_multiple_of(2);
        let (asked, chance) = if is_one { (n.is_multiple_of(8), 0.25) } else { (n % 8 != 1, 0.75) };
        let value = f64::from(u8::from(is_one));
        cases.push(Case {
            cluster: n,
            judge: if n.is_multiple_of(5) { 1.0 - value } else { value },
            people: asked.then_some(People { value, chance }),
        });
    }
    let found = corrected(&cases).estimate.value.expect("a mean");
    assert!((found - 0.5).abs() < 0.05, "{found}");
}

#[test]
fn c5_a_biased_judge_is_corrected_and_the_interval_is_narrower_than_that_of_people_alone() {
    let (mut covers, mut naive, mut widths) = (0, 0, 0.0);
    let seeds = 300;
    for seed in 0..seeds {
        let mut random = Random::new(seed);
        let cases: Vec<Case> = (0..1000).map(|n| planted(&mut random, n)).collect();
        let found = corrected(&cases).estimate;
        let own = |value: Option<f64>| value.expect("an interval");
        covers += usize::from((own(found.low)..=own(found.high)).contains(&0.5));
        let judged: Vec<Observation> =
            cases.iter().map(|it| observed(it.cluster, it.judge)).collect();
        let judged = Estimate::share(&judged);
        naive += usize::from((own(judged.low)..=own(judged.high)).contains(&0.5));
        let asked = cases.iter().filter_map(|it| Some(observed(it.cluster, it.people?.value)));
        let alone = Estimate::mean(&asked.collect::<Vec<_>>());
        widths += (own(found.high) - own(found.low)) / (own(alone.high) - own(alone.low));
    }
    let share = |n: usize| n as f64 / seeds as f64;
    // 95% of 300 within three standard errors.
    assert!((0.91..=0.985).contains(&share(covers)), "{covers}");
    assert!(share(naive) < 0.05, "{naive}");
    assert!(widths / seeds as f64 <= 0.9, "{}", widths / seeds as f64);
}

fn observed(cluster: usize, value: f64) -> Observation {
    Observation { cluster, value }
}

fn planted(random: &mut Random, n: usize) -> Case {
    let truth = random.uniform() < 0.5;
    let right = random.uniform() < RIGHT[usize::from(truth)];
    let value = f64::from(u8::from(truth));
    Case {
        cluster: n,
        judge: if right { value } else { 1.0 - value },
        people: n.is_multiple_of(5).then_some(People { value, chance: 0.2 }),
    }
}
