//! Debates against their controls, on the same questions.

use std::collections::{BTreeMap, BTreeSet};

use super::curve::{self, Sampled};
use super::given::Given;
use crate::facts::Prefix;
use crate::stats::cell::besides_debated;
use crate::stats::findings::{ArmAccuracy, ArmDifference};
use crate::trace::DEBATE_ARM;
use statistics::paired::{self, Pair};
use statistics::sign::sign_test;

/// The answers of both sides to one question, in runs that differ in nothing else.
#[derive(Default)]
struct Sides<'c> {
    question: &'c str,
    cluster: usize,
    debate: Vec<bool>,
    control: Vec<bool>,
    /// The samples of the control's runs, if it counts samples.
    samples: Vec<&'c [Prefix]>,
    /// Whether the control is matched to what the debate is no more.
    is_stale: bool,
}

pub(super) fn compared(given: &[Given<'_>], arms: &[ArmAccuracy]) -> Vec<ArmDifference> {
    let controls: BTreeSet<&str> =
        arms.iter().map(|arm| &*arm.arm).filter(|arm| *arm != DEBATE_ARM).collect();
    let each = controls.into_iter().map(|arm| against(given, arms, arm));
    let mut all: Vec<ArmDifference> = each.collect();
    paired::corrected(all.iter_mut().map(|it| &mut it.found));
    // No share of correct answers is further from another than 1.
    all.iter_mut().for_each(|it| it.found.end_at(1.0));
    all
}

/// Where jobs don't have the control, nothing of it is missing.
fn against(given: &[Given<'_>], arms: &[ArmAccuracy], arm: &str) -> ArmDifference {
    let own = given.iter().filter(|one| *one.answer.arm == *arm);
    let jobs: BTreeSet<&str> = own.map(|one| &*one.facts.private.job).collect();
    let mut sides: BTreeMap<String, Sides<'_>> = BTreeMap::new();
    let is_asked = |one: &&Given<'_>| jobs.contains(&*one.facts.private.job);
    for one in given.iter().filter(is_asked).filter(|one| !one.is_missing()) {
        let side = sides.entry(paired_by(one)).or_default();
        (side.question, side.cluster) = (&one.answer.question, one.cluster);
        match &*one.answer.arm {
            DEBATE_ARM => side.debate.push(one.answer.correct),
            other if other == arm && one.is_stale => side.is_stale = true,
            other if other == arm => {
                side.control.push(one.answer.correct);
                side.samples.push(&one.answer.prefixes);
            }
            _ => {}
        }
    }
    let matched = arms.iter().find(|it| it.arm == arm);
    difference(arm, matched.and_then(|it| it.matched), sides.into_values())
}

/// The difference over what both sides answered. A pair whose control has gone stale is in no number.
fn difference<'c>(
    arm: &str,
    matched: Option<bool>,
    sides: impl Iterator<Item = Sides<'c>>,
) -> ArmDifference {
    let (stale, sides): (Vec<Sides<'_>>, Vec<Sides<'_>>) =
        sides.filter(|it| !it.debate.is_empty()).partition(|it| it.is_stale);
    let (both, alone): (Vec<Sides<'_>>, Vec<Sides<'_>>) =
        sides.into_iter().partition(|it| !it.control.is_empty());
    let pairs: Vec<Pair> = both.iter().map(Sides::pair).collect();
    let questions: BTreeSet<&str> = both.iter().map(|it| it.question).collect();
    let [debate_only, arm_only] = [true, false].map(|debate| only(&both, debate));
    let found = paired::difference(&pairs);
    let is_independent = found.estimate.clusters == pairs.len() && !pairs.is_empty();
    let discordant = debate_only.zip(arm_only).filter(|_| is_independent);
    ArmDifference {
        arm: arm.to_owned(),
        found,
        questions: questions.len(),
        debate_only,
        arm_only,
        worth: curve::worth(&both.iter().map(Sides::sampled).collect::<Vec<_>>()),
        mcnemar_p: discordant.map(|(debate, control)| mcnemar(debate, control)),
        unmatched: alone.len(),
        stale: stale.len(),
        matched,
    }
}

/// McNemar's exact p. Pairs that both have right, or both wrong, say nothing; without others it is 1.
fn mcnemar(debate_only: usize, arm_only: usize) -> f64 {
    sign_test(debate_only, arm_only).unwrap_or(1.0)
}

/// The pairs that only one side has right; `None` where a side ran more than once.
fn only(both: &[Sides<'_>], debate: bool) -> Option<usize> {
    let runs = both.iter().map(Sides::single).collect::<Option<Vec<_>>>()?;
    let own = |(first, second): &&(bool, bool)| *first == debate && *second != debate;
    Some(runs.iter().filter(own).count())
}

impl Sides<'_> {
    fn pair(&self) -> Pair {
        let mean =
            |all: &[bool]| all.iter().filter(|correct| **correct).count() as f64 / all.len() as f64;
        Pair { cluster: self.cluster, a: mean(&self.debate), b: mean(&self.control) }
    }

    /// The same with the control's samples.
    fn sampled(&self) -> Sampled<'_> {
        let Pair { cluster, a, .. } = self.pair();
        Sampled { cluster, debate: a, runs: &self.samples }
    }

    /// The two answers where each side ran once.
    fn single(&self) -> Option<(bool, bool)> {
        match (self.debate.as_slice(), self.control.as_slice()) {
            ([debate], [control]) => Some((*debate, *control)),
            _ => None,
        }
    }
}

/// What a debate and its controls share: the question, the job, and what the matrix assigned beside arms and sides.
fn paired_by(one: &Given<'_>) -> String {
    let (job, question) = (&one.facts.private.job, &one.answer.question);
    format!("{job}/{question}/{}", besides_debated(one.facts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest;

    fn of<'c>(sides: impl IntoIterator<Item = Sides<'c>>) -> ArmDifference {
        difference("", None, sides.into_iter())
    }

    /// A number from 0 to 1.
    fn drawn(seed: u64, name: &str) -> f64 {
        (digest::derive(seed, name) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Questions on which debates are right with one probability and a control with another. On half of them both meet the same
    /// difficulty.
    fn simulated(seed: u64, questions: usize, [debate, control]: [f64; 2]) -> Vec<Sides<'static>> {
        let question = |n: usize| {
            let own = |who: &str| drawn(seed, &format!("{who}/{n}"));
            let shared = own("shared") < 0.5;
            let first = own("debate");
            let second = if shared { first } else { own("control") };
            Sides {
                question: "",
                cluster: n,
                debate: vec![first < debate],
                control: vec![second < control],
                samples: Vec::new(),
                is_stale: false,
            }
        };
        (0..questions).map(question).collect()
    }

    /// How often a difference is found in this many runs, and how often it lies in its interval.
    fn found(runs: u64, questions: usize, rates: [f64; 2]) -> (f64, f64) {
        let (mut found, mut covered) = (0_u32, 0_u32);
        let truth = rates[0] - rates[1];
        for seed in 0..runs {
            let difference = of(simulated(seed, questions, rates)).found;
            found += u32::from(difference.p.is_some_and(|p| p < 0.05));
            let ends = difference.estimate.low.zip(difference.estimate.high);
            covered += u32::from(ends.is_some_and(|(low, high)| (low..=high).contains(&truth)));
        }
        let share = |n: u32| f64::from(n) / runs as f64;
        (share(found), share(covered))
    }

    #[test]
    fn c3_a_planted_difference_is_found_and_none_is_not() {
        let (power, covered) = found(1000, 400, [0.7, 0.6]);
        assert!(power >= 0.93 && (0.93..=0.97).contains(&covered), "{power} {covered}");
        let (power, _) = found(1000, 200, [0.7, 0.6]);
        assert!((0.70..=0.82).contains(&power), "{power}");
        let (false_alarms, _) = found(1000, 200, [0.6, 0.6]);
        assert!((0.03..=0.07).contains(&false_alarms), "{false_alarms}");
    }

    #[test]
    fn c3_what_cannot_be_told_is_not() {
        let one = |debate, control| Sides { debate, control, ..Sides::default() };
        let nothing = of([]);
        assert_eq!((nothing.found.estimate.value, nothing.mcnemar_p), (None, None));
        let alone = of([one(vec![true], vec![])]);
        assert_eq!((alone.unmatched, alone.found.estimate.n), (1, 0));
        let same = of([one(vec![true], vec![true]), one(vec![false], vec![false])]);
        assert_eq!(
            (same.debate_only, same.arm_only, same.mcnemar_p),
            (Some(0), Some(0), None),
            "two pairs of one cluster are not independent"
        );
        let other = Sides { cluster: 1, ..one(vec![false], vec![false]) };
        let apart = of([one(vec![true], vec![true]), other]);
        assert_eq!(apart.mcnemar_p, Some(1.0));
        assert_eq!(
            (same.found.p, same.found.estimate.se),
            (None, None),
            "no variation is no certainty"
        );
        let repeated = of([one(vec![true, false], vec![true])]);
        assert_eq!(
            (repeated.mcnemar_p, repeated.debate_only, repeated.found.estimate.value),
            (None, None, Some(-0.5))
        );
        let stale = Sides { is_stale: true, ..one(vec![true], vec![false]) };
        let stale = of([stale]);
        assert_eq!((stale.stale, stale.unmatched, stale.found.estimate.n), (1, 0, 0));
    }

    /// Questions in clusters of this many, which debate and control have right alike often, but each of them on whole clusters.
    fn of_passages(seed: u64, clusters: usize, size: usize) -> Vec<Sides<'static>> {
        let question = |n: usize| {
            let passage = n / size;
            let right = |who: &str| drawn(seed, &format!("{who}/{passage}")) < 0.6;
            Sides {
                cluster: passage,
                debate: vec![right("debate")],
                control: vec![right("control")],
                ..Sides::default()
            }
        };
        (0..clusters * size).map(question).collect()
    }

    #[test]
    fn c3_questions_of_one_passage_are_no_independent_cases() {
        let (mut alarms, mut exact) = (0_u32, 0_u32);
        for seed in 0..400 {
            let found = of(of_passages(seed, 40, 5));
            assert_eq!((found.questions, found.mcnemar_p), (1, None));
            alarms += u32::from(found.found.p.is_some_and(|p| p < 0.05));
            let counts = found.debate_only.zip(found.arm_only);
            exact += u32::from(counts.is_some_and(|(b, c)| mcnemar(b, c) < 0.05));
        }
        assert!(alarms <= 28, "clustered: {alarms} of 400");
        assert!(exact > 100, "as if independent: {exact} of 400");
    }
}
