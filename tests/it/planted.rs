//! Row S3 and S4: what is planted in corpora is found, and nothing else, by the shipped statistics. A few seeds of each trial here;
//! `cargo bench --bench verdicts -- 1..1000` prints the rates of many.

mod world;

use world::{Must, TRIALS, Trial};

/// What a trial finds with the first seeds: how often, and of how many.
fn of_seeds(trial: &Trial, seeds: u64) -> [usize; 2] {
    let said: Vec<bool> = (1..=seeds).filter_map(trial.found).collect();
    [said.iter().filter(|found| **found).count(), said.len()]
}

/// Plays the trials that have this in their names. By chance, one that is right within its bound fails once in a thousand.
fn play(words: &str, seeds: u64) {
    let chosen: Vec<&Trial> = TRIALS.iter().filter(|t| t.name.contains(words)).collect();
    assert!(!chosen.is_empty(), "{words}");
    for trial in chosen {
        let [found, all] = of_seeds(trial, seeds);
        let (found, all) = (found as f64, all as f64);
        let within = |share: f64| 3.1 * (share * (1.0 - share) / all).sqrt() + 0.5 / all;
        let holds = match trial.must {
            Must::AtMost(most) => found / all <= most + within(most),
            Must::AtLeast(least) => found / all >= least - within(least),
            Must::Between(least, most) => {
                (least - within(least)..=most + within(most)).contains(&(found / all))
            }
        };
        assert!(holds, "{found} of {all}: {}", trial.name);
    }
}

#[test]
fn s3_equal_models_get_no_false_sentence() {
    play("any false sentence", 8);
}

#[test]
fn s3_equal_models_get_no_verdict_from_seats_personas_or_judges() {
    play("any verdict", 8);
}

#[test]
fn s4_a_better_family_is_no_preference_for_it() {
    play("any false caution", 12);
}

#[test]
fn s3_what_is_detectable_is_found_after_the_correction() {
    play("what is detectable", 30);
}

#[test]
fn s3_a_better_model_leads_and_the_verdict_agrees_with_the_ranks() {
    play("better by 1.0", 8);
    play("rank and verdict agree", 20);
}

#[test]
fn s4_preferences_of_judges_are_told_one_by_one() {
    play("opposite preferences", 8);
    play("favours its family", 8);
}

#[test]
fn s4_length_is_told_and_taken_out_of_strengths() {
    play("twice the length: told", 8);
    play("equal length", 20);
}

#[test]
fn s2_survival_and_constant_shares_hold_the_truth_by_topics() {
    play("survival", 40);
    play("shares of 90 %", 40);
}
