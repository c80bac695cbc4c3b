//! Debates with planted gains over their controls, on questions with known answers, and what the shipped statistics say of them. On half of
//! the questions a debate and its control meet the same difficulty.

use rebut::facts::{AnswerFacts, Facts, Text};
use rebut::question::AnswerStatus;
use rebut::stats::findings::{ArmDifference, Findings};

use super::world::{Dice, Must, ONE_LARGE, Trial, blank, found, trial, two_large};
use Must::{AtLeast, AtMost, Between};

const DEBATE: &str = "debate";
const SINGLE: &str = "single";
const VOTING: &str = "self_consistency";
/// The standard deviation of passages, in log-odds of being right.
const OF_PASSAGES: f64 = 0.5;
/// Samples of a vote.
const SAMPLES: usize = 9;

pub(crate) static TRIALS: [Trial; 8] = [
    trial("controls: debates at 70%, voting at 60%, 400 questions: told", AtLeast(0.93), |seed| {
        Some(beats(&gain(seed, 400, 0.7), VOTING))
    }),
    trial(
        "controls: debates at 70%, voting at 60%, 200 questions: told, with what would be detected",
        Between(0.7, 0.82),
        |seed| {
            let found = gain(seed, 200, 0.7);
            difference(&found, VOTING)?.found.detectable?;
            Some(beats(&found, VOTING))
        },
    ),
    trial(
        "controls: debates and voting at 60%: any difference told",
        Between(0.03, 0.07),
        |seed| {
            let found = gain(seed, 200, 0.6);
            Some(is_told_apart(&found))
        },
    ),
    trial(
        "controls: both equal, one passage has 40 of 56 questions: any difference told",
        AtMost(0.06),
        |seed| Some(is_told_apart(&passages(seed, &ONE_LARGE))),
    ),
    trial(
        "controls: both equal, two passages have 40 of 60 questions: any difference told",
        AtMost(0.06),
        |seed| Some(is_told_apart(&passages(seed, &two_large()))),
    ),
    trial("controls: debates that only vote: told to beat one answer", AtLeast(0.95), |seed| {
        Some(beats(&votes(seed), SINGLE))
    }),
    trial("controls: debates that only vote: told to beat voting", AtMost(0.04), |seed| {
        Some(beats(&votes(seed), VOTING))
    }),
    trial(
        "controls: debates at 70%, voting at 60% with a third more tokens: told",
        AtMost(0.0),
        |seed| Some(beats(&found(answers(seed, 400, 0.7, 1.33)), VOTING)),
    ),
];

fn difference<'f>(found: &'f Findings, arm: &str) -> Option<&'f ArmDifference> {
    let mut all = found.answers.as_ref()?.compared.iter();
    all.find(|one| one.arm == arm)
}

/// Whether a sentence says that debates beat a control.
fn beats(found: &Findings, arm: &str) -> bool {
    let told = format!("Debates beat {}:", arm.replace('_', "-"));
    found.headlines.iter().any(|it| it.starts_with(&told))
}

/// Whether a sentence says that debates and voting differ, in either direction.
fn is_told_apart(found: &Findings) -> bool {
    let is_beaten = |it: &String| it.starts_with("Self-consistency beats debates:");
    beats(found, VOTING) || found.headlines.iter().any(is_beaten)
}

/// Questions on passages, of which each has so many and suits debates or voting more; both are as good on average.
fn passages(seed: u64, sizes: &[usize]) -> Findings {
    let mut dice = Dice::new(seed);
    let mut all = Vec::new();
    for (passage, size) in sizes.iter().enumerate() {
        let suits = dice.normal(OF_PASSAGES);
        for n in 0..*size {
            for (arm, ratio, odds) in [(DEBATE, None, suits), (VOTING, Some(1.0), -suits)] {
                let right = dice.uniform() * (1.0 + (-odds).exp()) < 1.0;
                let question = passage * 100 + n;
                let mut facts = answer(all.len(), question, arm, right, ratio);
                let answer = facts.answer.as_mut();
                answer.expect("it has one").cluster = Some(Text::from(&*format!("p{passage}")));
                all.push(facts);
            }
        }
    }
    found(all)
}

fn gain(seed: u64, questions: usize, debate: f64) -> Findings {
    found(answers(seed, questions, debate, 1.0))
}

/// Debates that are right at one rate, and voting at 60%.
fn answers(seed: u64, questions: usize, debate: f64, ratio: f64) -> Vec<Facts> {
    let mut dice = Dice::new(seed);
    let mut all = Vec::new();
    for question in 0..questions {
        let shared = dice.uniform() < 0.5;
        let first = dice.uniform();
        let second = if shared { first } else { dice.uniform() };
        all.push(answer(all.len(), question, DEBATE, first < debate, None));
        all.push(answer(all.len(), question, VOTING, second < 0.6, Some(ratio)));
    }
    all
}

/// Debates that do no more than vote: what one answer gains by it, and nothing above voting.
fn votes(seed: u64) -> Findings {
    let mut dice = Dice::new(seed);
    let mut all = Vec::new();
    for question in 0..400 {
        let rate = 0.5 + 0.4 * dice.uniform();
        let mut right = |samples: usize| {
            let right = (0..samples).filter(|_| dice.uniform() < rate).count();
            2 * right > samples
        };
        for (arm, samples, ratio) in
            [(DEBATE, SAMPLES, None), (SINGLE, 1, None), (VOTING, SAMPLES, Some(1.0))]
        {
            all.push(answer(all.len(), question, arm, right(samples), ratio));
        }
    }
    found(all)
}

#[test]
fn c3_what_a_job_never_asked_is_not_missing_and_nothing_beyond_the_scale_is_stated() {
    let mut all = Vec::new();
    for question in 0..6 {
        all.push(answer(all.len(), question, DEBATE, question % 2 == 0, None));
        all.push(answer(all.len(), question, SINGLE, question % 3 == 0, None));
        let mut other = answer(all.len(), question, DEBATE, true, None);
        other.private.job = "without-controls".into();
        all.push(other);
    }
    let whole = found(all.clone());
    let single = difference(&whole, SINGLE).expect("a difference");
    assert_eq!((single.unmatched, single.found.estimate.n), (0, 6));
    // 3.5 standard errors of 0.31 are more than from never right to always.
    assert_eq!((single.found.p.is_some(), single.found.detectable), (true, None));
    let is_said = |sentence: &String| sentence.ends_with("; too few to detect any difference.");
    assert!(whole.headlines.iter().any(is_said), "{:?}", whole.headlines);
    let mut rounds = whole.breakdowns[0].groups[0].measures.iter().filter(|it| it.name == "rounds");
    assert_eq!(rounds.next().and_then(|it| it.format.as_deref()), Some("duel"));
    assert!(rounds.next().is_none(), "controls have none");
    all.remove(1);
    let told = "Unmatched: 1 question that debates answered has no answer by ";
    let cautions = found(all).cautions;
    assert!(cautions.iter().any(|it| it.starts_with(told)), "{cautions:?}");
}

fn answer(n: usize, question: usize, arm: &str, correct: bool, ratio: Option<f64>) -> Facts {
    let mut facts = blank(if arm == DEBATE { "duel" } else { "vote" }, n, question);
    facts.answer = Some(AnswerFacts {
        arm: arm.into(),
        correct,
        ratio,
        within: ratio.map(|_| 0.1),
        cluster: None,
        ..posed(question, "")
    });
    facts
}

/// A question of a passage that a debate answered.
pub(crate) fn posed(question: usize, passage: &str) -> AnswerFacts {
    AnswerFacts {
        arm: DEBATE.into(),
        question: Text::from(&*format!("q{question}")),
        cluster: Some(passage.into()),
        choices: 0,
        status: AnswerStatus::Valid,
        correct: true,
        ratio: None,
        within: None,
        record: "sha256:0".into(),
        tokens: 0,
        prefixes: [].into(),
        matched: [].into(),
    }
}
