use crate::reference::{close, count, counts, fixture, list};

use super::*;

fn lifetimes_from(lives: &[(u32, bool)]) -> Vec<Lifetime> {
    let lives = lives.iter().copied();
    lives
        .map(|(rounds, ended)| Lifetime { rounds, ended })
        .collect()
}

#[test]
fn s2_survival_is_that_of_lifelines() {
    let reference = fixture(include_str!("../../fixtures/survival.json"));
    for case in list(&reference, "cases") {
        let rounds = counts(&case["rounds"]).into_iter();
        let ended = list(case, "ended")
            .iter()
            .map(|e| e.as_bool() == Some(true));
        let lives: Vec<_> = rounds.map(|r| r as u32).zip(ended).collect();
        let steps = survival(&lifetimes_from(&lives));
        assert_eq!(steps.len(), list(case, "steps").len());
        for (step, row) in steps.iter().zip(list(case, "steps")) {
            let found = [step.round as usize, step.at_risk, step.ended, step.censored];
            assert_eq!(found, [0, 1, 2, 3].map(|at| count(&row[at])));
            close(Some(step.survival), &row[4], 1e-12);
            close(step.low, &row[5], 1e-12);
            close(step.high, &row[6], 1e-12);
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
