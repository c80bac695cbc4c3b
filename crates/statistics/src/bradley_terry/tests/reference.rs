//! The values of other programs: fixtures/bradley-terry/make.py.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::solution::Held;
use super::super::{Fit, Options, Solution, Table, Wins, fit, rating};
use super::{Row, both, comparisons, plain};
use crate::bootstrap;

#[derive(Deserialize)]
struct Case {
    entities: usize,
    comparisons: Vec<Row>,
}

fn values(case: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/bradley-terry/values.json");
    let all: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    all[case].clone()
}

fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

fn fitted(name: &str, options: &Options) -> Fit {
    let (entities, rows) = case(name);
    fit(entities, &comparisons(&rows), options)
}

fn thetas(fit: &Fit) -> Vec<f64> {
    fit.ratings.iter().map(|rating| rating.theta.unwrap()).collect()
}

/// The entities and the comparisons of a case.
pub(super) fn case(name: &str) -> (usize, Vec<Row>) {
    let Case { entities, comparisons } = read(&values(name));
    (entities, comparisons)
}

pub(super) fn assert_close(ours: &[f64], theirs: &[f64], tolerance: f64) {
    assert_eq!(ours.len(), theirs.len());
    let worst = ours.iter().zip(theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst <= tolerance, "{worst:e} apart: {ours:?} {theirs:?}");
}

#[test]
fn s3_strengths_are_those_of_evalica_and_choix() {
    let fit = fitted("plain", &plain());
    let theirs = values("plain");
    assert_close(&thetas(&fit), &read::<Vec<f64>>(&theirs["evalica"]), 1e-9);
    assert_close(&thetas(&fit), &read::<Vec<f64>>(&theirs["choix_ilsr"]), 1e-9);
    assert_eq!(fit.components, 1);
    assert!(thetas(&fit).iter().sum::<f64>().abs() < 1e-12);
}

#[test]
fn s3_strengths_from_draws_are_those_of_evalica() {
    let fit = fitted("draws", &plain());
    assert_close(&thetas(&fit), &read::<Vec<f64>>(&values("draws")["evalica"]), 1e-9);
    assert!(fit.ratings.iter().all(|r| r.draws > 0 && r.games == r.wins + r.draws + r.losses));
}

#[test]
fn s3_elo_is_that_of_fastchats_formula() {
    let logits = |elo: f64| elo * std::f64::consts::LN_10 / 400.0;
    for case in ["plain", "draws"] {
        let fit = fitted(case, &plain());
        let ours: Vec<f64> = fit.ratings.iter().map(|r| logits(r.elo.unwrap() - 1000.0)).collect();
        let theirs: Vec<f64> = read(&values(case)["fastchat_elo"]);
        let theirs: Vec<f64> = theirs.into_iter().map(logits).collect();
        assert_close(&ours, &theirs, 1e-5);
    }
}

#[test]
fn s3_order_and_side_effects_are_those_of_scipy() {
    let fit = fitted("effects", &both(0));
    let mut ours = thetas(&fit);
    ours.extend([fit.order.value.unwrap(), fit.side.value.unwrap()]);
    let theirs = values("effects");
    assert_close(&ours, &read::<Vec<f64>>(&theirs["newton"]), 1e-9);
    assert_close(&ours, &read::<Vec<f64>>(&theirs["scipy"]), 1e-9);
    let chance = 1.0 / (1.0 + (-fit.order.value.unwrap()).exp());
    assert_eq!(fit.order.expected_score, Some(chance));
}

#[test]
fn s3_strengths_held_by_the_ridge_are_those_of_scipy() {
    let (entities, rows) = case("unbeaten");
    let table = Table::new(entities, &comparisons(&rows), &plain());
    let all = [(0..entities).collect()];
    let nothing = vec![0.0; entities + 2];
    let best = Solution::fit(&table, &table.once(), &all, &plain(), &nothing).unwrap();
    let theirs: Vec<f64> = read(&values("unbeaten")["scipy"]);
    assert_close(&best.parameters[..entities], &theirs, 1e-9);
    assert_eq!(best.held, Held::Groups);
}

#[test]
fn s3_resamples_from_numpys_weights_give_numpys_values() {
    let case = values("effects");
    let Case { entities, comparisons: rows } = read(&case);
    let weights: Vec<Vec<u32>> = read(&case["bootstrap"]["weights"]);
    let (rows, options) = (comparisons(&rows), both(0));
    let table = Table::new(entities, &rows, &options);
    let all = table.once();
    let groups = Wins::new(entities, &table.cells, &all).sets().groups;
    let nothing = vec![0.0; entities + 2];
    let best = Solution::fit(&table, &all, &groups, &options, &nothing).unwrap();
    let ours: Vec<Vec<f64>> = weights
        .iter()
        .map(|weights| {
            let resample =
                Solution::fit(&table, &table.counts(weights), &groups, &options, &best.parameters);
            resample.unwrap().parameters
        })
        .collect();
    let theirs: Vec<Vec<f64>> = read(&case["bootstrap"]["parameters"]);
    assert_close(&ours.concat(), &theirs.concat(), 1e-9);
    let ends: [Vec<f64>; 2] = read(&case["bootstrap"]["ends"]);
    for parameter in 0..entities + 2 {
        let column = ours.iter().map(|parameters| parameters[parameter]).collect();
        let interval = bootstrap::between(column, 0.025).unwrap();
        assert_close(&interval, &[ends[0][parameter], ends[1][parameter]], 1e-9);
    }
}

#[test]
fn s3_intervals_hold_the_estimates_and_are_the_same_at_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let fit = pool.install(|| fitted("effects", &both(200)));
        format!("{fit:?}")
    };
    assert_eq!(run(1), run(3));
    let fit = fitted("effects", &both(200));
    for rating in &fit.ratings {
        let (elo, low, high) = (rating.elo.unwrap(), rating.low.unwrap(), rating.high.unwrap());
        assert!(low < elo && elo < high && rating.replicates == 200);
        assert_eq!(elo, rating::elo(rating.theta.unwrap()));
        assert!(rating.rank_best.unwrap() <= rating.rank_worst.unwrap());
    }
    assert!(fit.order.low < fit.order.value && fit.order.value < fit.order.high);
    assert_ne!(fit, fitted("effects", &Options { seed: 1, ..both(200) }));
}

#[test]
fn s3_saying_everything_thrice_on_the_same_topics_narrows_no_interval() {
    let (entities, rows) = case("effects");
    let once = fit(entities, &comparisons(&rows), &both(100));
    let thrice = fit(entities, &comparisons(&[&rows[..]; 3].concat()), &both(100));
    let ends = |fit: &Fit| -> Vec<f64> {
        fit.ratings.iter().flat_map(|r| [r.low, r.high]).flatten().collect()
    };
    assert_eq!(ends(&once).len(), 2 * entities);
    assert_close(&ends(&once), &ends(&thrice), 1e-6);
}
