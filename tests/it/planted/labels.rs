//! A judge with planted errors, and people who know better: what the shipped statistics make of both. People are asked about a fifth of
//! the debates; the judge is right in 85% of those that the first model won, and in 70% of the others.

use rebut::event::Vote;
use rebut::facts::labels::{LabelFacts, Said};
use rebut::facts::{Facts, Winner};
use rebut::stats::findings::{CorrectedRate, Findings, Labels};
use statistics::estimate::Estimate;

use super::world::{Dice, Must, Trial, blank, found, somebody, trial};
use Must::{AtLeast, AtMost, Between};

const DEBATES: usize = 1_000;
const TOPICS: usize = 200;
const MODELS: [&str; 2] = ["llama-8", "mistral-7"];
/// How often each model truly wins.
const TRUTH: f64 = 0.5;

pub(crate) static TRIALS: [Trial; 3] = [
    trial("labels: a judge's rate, corrected by people: covered", Between(0.93, 0.97), |seed| {
        covers(&first(seed).corrected)
    }),
    trial("labels: a judge's rate alone: covered", AtMost(0.05), |seed| {
        covers(&first(seed).judged)
    }),
    trial("labels: corrected, a tenth narrower than people alone", AtLeast(0.75), |seed| {
        let row = first(seed);
        Some(width(&row.corrected)? <= 0.9 * width(&row.people)?)
    }),
];

fn covers(estimate: &Estimate) -> Option<bool> {
    Some((estimate.low?..=estimate.high?).contains(&TRUTH))
}

fn width(estimate: &Estimate) -> Option<f64> {
    Some(estimate.high? - estimate.low?)
}

/// The first model's rate by the debates' own judges.
fn first(seed: u64) -> CorrectedRate {
    people(seed, Some(0.2)).corrected.remove(0)
}

/// What is found of people, drawn with a chance or picked.
pub(crate) fn people(seed: u64, chance: Option<f64>) -> Labels {
    findings(seed, chance).labels.expect("people were asked")
}

pub(crate) fn findings(seed: u64, chance: Option<f64>) -> Findings {
    found(corpus(seed, chance))
}

pub(crate) fn corpus(seed: u64, chance: Option<f64>) -> Vec<Facts> {
    let mut dice = Dice::new(seed);
    let debates = (0..DEBATES).map(|n| debate(&mut dice, n, chance));
    debates.collect()
}

fn debate(dice: &mut Dice, n: usize, chance: Option<f64>) -> Facts {
    let mut facts = blank("duel", n, n % TOPICS);
    // Seats are swapped.
    let seat = n / TOPICS % 2;
    facts.people =
        [somebody("agent_a", "A", MODELS[seat]), somebody("agent_b", "B", MODELS[1 - seat])].into();
    let wins = dice.normal(1.0) > 0.0;
    let is_right = dice.uniform() < if wins { 0.85 } else { 0.7 };
    let place = |first_wins: bool| if first_wins { seat } else { 1 - seat };
    let judged = Winner::Person(place(wins == is_right) as u8);
    (facts.winner, facts.own_winner) = (Some(judged), Some(judged));
    if n % 5 == n / 5 % 5 {
        let vote = [Vote::P, Vote::Q][place(wins)];
        facts.labels = Some(LabelFacts {
            answers: false,
            candidates: [[0].into(), [1].into()],
            said: [said(1, chance, vote), said(2, chance, vote)].into(),
        });
    }
    facts
}

fn said(repeat: u32, chance: Option<f64>, vote: Vote) -> Said {
    Said {
        rater: "r-1".into(),
        sheet: "0123456789abcdef".into(),
        repeat,
        chance,
        vote: Some(vote),
        frame: None,
    }
}
