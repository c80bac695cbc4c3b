//! Tests of survival curves against reference values.

use crate::quantile::{normal_quantile, student_quantile};
use crate::tests::{Random, close, count, counts, fixture, list, number};

use super::*;

fn lifetimes_from(lives: &[(u32, bool)]) -> Vec<Lifetime> {
    let lives = lives.iter().copied().enumerate();
    lives.map(|(cluster, (rounds, ended))| Lifetime { cluster, rounds, ended }).collect()
}

#[test]
fn s2_survival_is_that_of_lifelines() {
    let reference = fixture(include_str!("../../fixtures/survival.json"));
    for case in list(&reference, "cases") {
        let rounds = counts(&case["rounds"]).into_iter();
        let ended = list(case, "ended").iter().map(|e| e.as_bool() == Some(true));
        let lives: Vec<_> = rounds.map(|r| r as u32).zip(ended).collect();
        let steps = survival(&lifetimes_from(&lives));
        assert_eq!(steps.len(), list(case, "steps").len());
        for (step, row) in steps.iter().zip(list(case, "steps")) {
            let found = [step.round as usize, step.at_risk, step.ended, step.censored];
            assert_eq!(found, [0, 1, 2, 3].map(|at| count(&row[at])));
            close(Some(step.survival), &row[4], 1e-12);
            // Theirs are of the normal quantile and of variances without C / (C - 1).
            let wider = wider(lives.len());
            for (ours, theirs) in [(step.low, &row[5]), (step.high, &row[6])] {
                let Some(end) = ours else {
                    assert!(theirs.is_null());
                    continue;
                };
                let far = |end: f64| (end.ln() / step.survival.ln()).ln();
                let ratio = far(end) / far(number(theirs));
                assert!((ratio / wider - 1.0).abs() < 1e-9, "{ratio} {wider}");
            }
        }
    }
}

#[test]
fn s2_a_curve_at_1_or_0_has_no_interval() {
    let steps = survival(&lifetimes_from(&[(1, false), (2, true), (2, true)]));
    let found: Vec<_> = steps.iter().map(|s| (s.survival, s.low, s.high)).collect();
    assert_eq!(found, [(1.0, None, None), (0.0, None, None)]);
}

#[test]
fn s2_no_lifetimes_are_no_curve() {
    assert_eq!(survival(&[]), []);
}

/// How much wider an interval of this many clusters is than one of the normal distribution.
fn wider(clusters: usize) -> f64 {
    let count = clusters as f64;
    let t = student_quantile(0.975, count - 1.0).expect("a quantile");
    t / normal_quantile(0.975).expect("a quantile") * (count / (count - 1.0)).sqrt()
}

#[test]
fn s2_lifetimes_of_one_topic_have_no_interval() {
    let one = |cluster| Lifetime { cluster, rounds: 1 + cluster as u32 % 2, ended: true };
    let alone: Vec<Lifetime> = (0..6).map(|n| Lifetime { cluster: 0, ..one(n) }).collect();
    let apart: Vec<Lifetime> = (0..6).map(one).collect();
    assert_eq!(survival(&alone)[0].low, None);
    assert!(survival(&apart)[0].low.is_some());
    // As if every debate had been held twice.
    let twice: Vec<Lifetime> = apart.iter().chain(&apart).copied().collect();
    let ends = |lives: &[Lifetime]| (survival(lives)[0].low, survival(lives)[0].high);
    let ((low, high), (own_low, own_high)) = (ends(&twice), ends(&apart));
    close(low, &own_low.into(), 1e-9);
    close(high, &own_high.into(), 1e-9);
}

/// Stints of six rounds at most: each ends with a chance of 0.25 a round, which its topic shifts by 1.0 on the scale of logits.
fn stints(seed: u64, topics: usize, size: usize) -> Vec<Lifetime> {
    let mut random = Random::new(seed << 32);
    let mut lives = Vec::new();
    for cluster in 0..topics {
        let odds = (random.normal() - 3.0_f64.ln()).exp();
        for _ in 0..size {
            let mut rounds = 1;
            while rounds < 6 && random.uniform() * (1.0 + odds) > odds {
                rounds += 1;
            }
            let ended = rounds < 6 || random.uniform() * (1.0 + odds) <= odds;
            lives.push(Lifetime { cluster, rounds, ended });
        }
    }
    lives
}

/// The share of samples whose interval after three rounds holds the truth, and the same of Greenwood's.
fn coverage(samples: u64, topics: usize) -> f64 {
    let truth = after_three_rounds();
    let holds = |seed| {
        let steps = survival(&stints(seed, topics, 10));
        let third = steps.iter().find(|step| step.round == 3).expect("a step");
        third.low.is_some_and(|low| low <= truth) && third.high.is_some_and(|high| high >= truth)
    };
    (0..samples).filter(|seed| holds(*seed)).count() as f64 / samples as f64
}

/// The chance to last longer than three rounds, over topics: the mean of (1 - p)^3 where logit p is normal.
fn after_three_rounds() -> f64 {
    let at = |z: f64| {
        let odds = (z - 3.0_f64.ln()).exp();
        (-z * z / 2.0).exp() * (1.0 + odds).powi(-3)
    };
    let (mut sum, mut all) = (0.0, 0.0);
    for step in -8000..=8000 {
        let z = f64::from(step) / 1000.0;
        sum += at(z);
        all += (-z * z / 2.0).exp();
    }
    sum / all
}

/// Without clusters 70 of 100 intervals would hold it. 93 to 97 of 100, three standard deviations wide.
#[test]
fn s2_survival_holds_the_truth_where_topics_matter() {
    let held = coverage(1_000, 40);
    assert!((0.93..=0.97).contains(&held), "{held}");
}
