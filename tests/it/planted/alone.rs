//! Debates whose answers are planted to be better than those of a model alone, by so much, and what the shipped statistics say of
//! them. Topics suit debates more or less.

use rebut::event::{Vote, WinnerReason};
use rebut::facts::panels::PanelFacts;
use rebut::facts::{Facts, OpenFacts};
use rebut::stats::findings::Findings;

use super::world::{Dice, Must, ONE_LARGE, Trial, blank, found, trial, two_large};
use Must::{AtLeast, AtMost, Between};

/// The comparisons of each of 150 topics.
const TOPICS: [usize; 150] = [2; 150];
/// How often neither answer is better.
const TIES: f64 = 0.2;
/// The standard deviation of topics, in log-odds of the debate's answer being better.
const OF_TOPICS: f64 = 0.5;
/// The log-odds by which the debate's answer is ahead in 60% of comparisons, ties as half.
const SIXTY: f64 = 0.53;

pub(crate) static TRIALS: [Trial; 5] = [
    trial(
        "compare: the debate's answer ahead in 60% of 300 comparisons: told",
        AtLeast(0.9),
        |seed| Some(beats(&found(compared(seed, &TOPICS, SIXTY, 1.0)))),
    ),
    trial("compare: answers equal, topics not: any difference told", Between(0.03, 0.07), |seed| {
        Some(differs(seed, &TOPICS))
    }),
    trial(
        "compare: answers equal, one topic has 40 of 56 comparisons: any difference told",
        AtMost(0.06),
        |seed| Some(differs(seed, &ONE_LARGE)),
    ),
    trial(
        "compare: answers equal, two topics have 40 of 60 comparisons: any difference told",
        AtMost(0.06),
        |seed| Some(differs(seed, &two_large())),
    ),
    trial(
        "compare: the debate's answer ahead in 60%, the other with a third fewer tokens: told",
        AtMost(0.0),
        |seed| Some(beats(&found(compared(seed, &TOPICS, SIXTY, 0.67)))),
    ),
];

/// Whether a sentence says that debates beat a model alone.
fn beats(found: &Findings) -> bool {
    let told = "Debates beat one model alone:";
    found.headlines.iter().any(|it| it.starts_with(told))
}

/// Whether a sentence says the reverse.
fn is_beaten(found: &Findings) -> bool {
    let told = "One model alone beats debates:";
    found.headlines.iter().any(|it| it.starts_with(told))
}

/// Whether a sentence says of equal answers that they differ, on topics with so many comparisons.
fn differs(seed: u64, sizes: &[usize]) -> bool {
    let found = found(compared(seed, sizes, 0.0, 1.0));
    beats(&found) || is_beaten(&found)
}

/// Comparisons on topics, of which each has so many.
fn compared(seed: u64, sizes: &[usize], ahead: f64, ratio: f64) -> Vec<Facts> {
    let mut dice = Dice::new(seed);
    let mut all = Vec::new();
    for (topic, size) in sizes.iter().enumerate() {
        let odds = (ahead + dice.normal(OF_TOPICS)).exp();
        for _ in 0..*size {
            let vote = match (dice.uniform(), dice.uniform()) {
                (tie, _) if tie < TIES => Vote::Tie,
                (_, at) if at < odds / (1.0 + odds) => Vote::P,
                _ => Vote::Q,
            };
            all.push(comparison(all.len(), topic, vote, ratio));
        }
    }
    all
}

pub(crate) fn comparison(n: usize, topic: usize, ahead: Vote, ratio: f64) -> Facts {
    let mut facts = blank("compare", n, topic);
    let query = format!("\"Topic {topic}?\"");
    facts.private.cell = [("query".into(), query.as_str().into())].into();
    // Drafts come in whole: single ratios are off by more than their mean may be.
    let ratio = ratio * (1.0 + 0.07 * ((n % 5) as f64 - 2.0));
    facts.open = Some(OpenFacts {
        arm: "compare".into(),
        own: None,
        record: "sha256:0".into(),
        ratio: Some(ratio),
        within: Some(0.1),
        words: Some([300, 300]),
        matched: [].into(),
    });
    facts.panels = [PanelFacts {
        name: "house".into(),
        id: "77ab".into(),
        winner: None,
        reason: Some(WinnerReason::Majority),
        candidates: [[].into(), [].into()],
        answers: true,
        ahead: Some(ahead),
        scale: None,
        criteria: [].into(),
        seats: [].into(),
    }]
    .into();
    facts
}
