//! Accuracy of debates and of their controls on questions with known answers (rows C3 and C4).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::findings::{Answers, ArmAccuracy, ArmDifference};
use super::view::{View, numbers};
use crate::facts::{AnswerFacts, Facts};
use crate::question::AnswerStatus;
use statistics::estimate::{Estimate, Observation};
use statistics::mcnemar;
use statistics::paired::{self, Pair};

/// The arm of what is no control.
pub(super) const DEBATE: &str = "debate";

/// An answer with its debate's place and cluster.
struct Given<'c> {
    place: usize,
    facts: &'c Facts,
    answer: &'c AnswerFacts,
    cluster: usize,
}

/// How often answers were correct; `None` where no debate has a question.
pub(super) fn answers(view: &View<'_>) -> Option<Answers> {
    let given = given(view);
    if given.is_empty() {
        return None;
    }
    let mut by_arm: BTreeMap<(bool, &str, &str), Vec<&Given<'_>>> = BTreeMap::new();
    for one in &given {
        let is_control = *one.answer.arm != *DEBATE;
        let arm = by_arm.entry((is_control, &*one.answer.arm, &*one.facts.format));
        arm.or_default().push(one);
    }
    let arms: Vec<ArmAccuracy> = by_arm.into_values().map(|own| accuracy(&own)).collect();
    let compared = compared(&given, &arms);
    Some(Answers { arms, compared })
}

fn given<'c>(view: &View<'c>) -> Vec<Given<'c>> {
    let mut clusters: HashMap<String, usize> = HashMap::new();
    let mut all = Vec::new();
    for (place, facts) in view.all() {
        let Some(answer) = &facts.answer else {
            continue;
        };
        let name = match &answer.cluster {
            Some(cluster) => format!("{}/cluster/{cluster}", answer.set),
            None => format!("{}/question/{}", answer.set, answer.question),
        };
        let next = clusters.len();
        let cluster = *clusters.entry(name).or_insert(next);
        all.push(Given {
            place,
            facts,
            answer,
            cluster,
        });
    }
    all
}

impl Given<'_> {
    fn question(&self) -> (&str, &str) {
        (&self.answer.set, &self.answer.question)
    }

    fn is_missing(&self) -> bool {
        self.answer.status == AnswerStatus::Missing
    }

    fn observed(&self, holds: bool) -> Observation {
        Observation {
            cluster: self.cluster,
            value: f64::from(u8::from(holds)),
        }
    }
}

fn accuracy(own: &[&Given<'_>]) -> ArmAccuracy {
    let heard = || own.iter().filter(|one| !one.is_missing());
    let valid = |one: &&&Given<'_>| one.answer.status == AnswerStatus::Valid;
    let correct = |one: &&Given<'_>| one.observed(one.answer.correct);
    let share = |observed: Vec<Observation>| match observed.is_empty() {
        true => Estimate::none("there is no such answer"),
        false => Estimate::share(&observed),
    };
    let questions: BTreeSet<(&str, &str)> = own.iter().map(|one| one.question()).collect();
    let first = own.first();
    ArmAccuracy {
        arm: first.map_or("", |one| &one.answer.arm).to_owned(),
        format: first.map_or("", |one| &one.facts.format).to_owned(),
        questions: questions.len(),
        strict: share(heard().map(correct).collect()),
        answered: share(heard().filter(valid).map(correct).collect()),
        invalid: share(heard().map(|one| one.observed(!valid(&one))).collect()),
        missing: own.len() - heard().count(),
        ratio: ratio(own),
        matched: matched(own),
        debates: numbers(&own.iter().map(|one| one.place).collect()),
    }
}

/// The mean of tokens spent over tokens allotted.
fn ratio(own: &[&Given<'_>]) -> Option<f64> {
    let ratios: Vec<f64> = own.iter().filter_map(|one| one.answer.ratio).collect();
    (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64)
}

fn matched(own: &[&Given<'_>]) -> Option<bool> {
    let within = own
        .iter()
        .filter_map(|one| one.answer.within)
        .reduce(f64::min)?;
    // A mean that is as far off as may be, but for rounding, is matched.
    ratio(own).map(|ratio| (ratio - 1.0).abs() <= within + 1e-9)
}

/// The answers of both sides to one question, in runs that differ in nothing else.
#[derive(Default)]
struct Sides {
    cluster: usize,
    debate: Vec<bool>,
    control: Vec<bool>,
}

fn compared(given: &[Given<'_>], arms: &[ArmAccuracy]) -> Vec<ArmDifference> {
    let controls: BTreeSet<&str> = arms
        .iter()
        .map(|arm| &*arm.arm)
        .filter(|arm| *arm != DEBATE)
        .collect();
    let mut all: Vec<ArmDifference> = controls
        .into_iter()
        .map(|arm| against(given, arms, arm))
        .collect();
    paired::corrected(all.iter_mut().map(|it| &mut it.found));
    all
}

fn against(given: &[Given<'_>], arms: &[ArmAccuracy], arm: &str) -> ArmDifference {
    let mut sides: BTreeMap<String, Sides> = BTreeMap::new();
    for one in given.iter().filter(|one| !one.is_missing()) {
        let side = sides.entry(paired_by(one)).or_default();
        side.cluster = one.cluster;
        match &*one.answer.arm {
            DEBATE => side.debate.push(one.answer.correct),
            other if other == arm => side.control.push(one.answer.correct),
            _ => {}
        }
    }
    let matched = arms.iter().find(|it| it.arm == arm);
    ArmDifference {
        arm: arm.to_owned(),
        matched: matched.and_then(|it| it.matched),
        ..difference(sides.into_values())
    }
}

/// The difference over questions that both sides answered.
fn difference(sides: impl Iterator<Item = Sides>) -> ArmDifference {
    let sides = sides.filter(|it| !it.debate.is_empty());
    let (both, alone): (Vec<Sides>, Vec<Sides>) = sides.partition(|it| !it.control.is_empty());
    let single = both
        .iter()
        .all(|it| it.debate.len() == 1 && it.control.len() == 1);
    let only = |first: bool| {
        let own = both.iter().filter(|it| single && it.debate[0] == first);
        own.filter(|it| it.control[0] != first).count()
    };
    let (debate_only, arm_only) = (only(true), only(false));
    let pairs: Vec<Pair> = both.iter().map(Sides::pair).collect();
    ArmDifference {
        arm: String::new(),
        found: paired::difference(&pairs),
        debate_only,
        arm_only,
        mcnemar_p: (single && !pairs.is_empty()).then(|| mcnemar::exact(debate_only, arm_only)),
        unmatched: alone.len(),
        matched: None,
    }
}

impl Sides {
    fn pair(&self) -> Pair {
        let mean =
            |all: &[bool]| all.iter().filter(|correct| **correct).count() as f64 / all.len() as f64;
        Pair {
            cluster: self.cluster,
            a: mean(&self.debate),
            b: mean(&self.control),
        }
    }
}

/// What a debate and its controls share: the question, the job, and what the matrix assigned beside arms and sides.
fn paired_by(one: &Given<'_>) -> String {
    let cell = one.facts.cell.iter();
    let cell = cell.filter(|(path, _)| !["arm", "swap"].contains(&&**path));
    let cell: Vec<String> = cell
        .map(|(path, value)| format!("{path}={value}"))
        .collect();
    let (set, question) = one.question();
    format!("{}/{set}/{question}/{}", one.facts.job, cell.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest;

    /// A number from 0 to 1.
    fn drawn(seed: u64, name: &str) -> f64 {
        (digest::derive(seed, name) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Questions on which debates are right with one probability and a control with another. On half of them both meet the same
    /// difficulty.
    fn simulated(seed: u64, questions: usize, [debate, control]: [f64; 2]) -> Vec<Sides> {
        let question = |n: usize| {
            let own = |who: &str| drawn(seed, &format!("{who}/{n}"));
            let shared = own("shared") < 0.5;
            let first = own("debate");
            let second = if shared { first } else { own("control") };
            Sides {
                cluster: n,
                debate: vec![first < debate],
                control: vec![second < control],
            }
        };
        (0..questions).map(question).collect()
    }

    /// How often a difference is found in so many runs, and how often it lies in its interval.
    fn found(runs: u64, questions: usize, rates: [f64; 2]) -> (f64, f64) {
        let (mut found, mut covered) = (0_u32, 0_u32);
        let truth = rates[0] - rates[1];
        for seed in 0..runs {
            let difference = difference(simulated(seed, questions, rates).into_iter()).found;
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
        assert!(
            power >= 0.93 && (0.93..=0.97).contains(&covered),
            "{power} {covered}"
        );
        let (power, _) = found(1000, 200, [0.7, 0.6]);
        assert!((0.70..=0.82).contains(&power), "{power}");
        let (false_alarms, _) = found(1000, 200, [0.6, 0.6]);
        assert!((0.03..=0.07).contains(&false_alarms), "{false_alarms}");
    }

    #[test]
    fn c3_what_cannot_be_told_is_not() {
        let one = |debate, control| Sides {
            cluster: 0,
            debate,
            control,
        };
        let nothing = difference(std::iter::empty());
        assert_eq!(
            (nothing.found.estimate.value, nothing.mcnemar_p),
            (None, None)
        );
        let alone = difference([one(vec![true], vec![])].into_iter());
        assert_eq!((alone.unmatched, alone.found.estimate.n), (1, 0));
        let same =
            difference([one(vec![true], vec![true]), one(vec![false], vec![false])].into_iter());
        assert_eq!(same.mcnemar_p, Some(1.0));
        assert_eq!(
            (same.found.p, same.found.estimate.se),
            (None, None),
            "no variation is no certainty"
        );
        let repeated = difference([one(vec![true, false], vec![true])].into_iter());
        assert_eq!(
            (repeated.mcnemar_p, repeated.found.estimate.value),
            (None, Some(-0.5))
        );
    }
}
