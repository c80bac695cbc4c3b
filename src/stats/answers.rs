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
    let unmatched = sides
        .values()
        .filter(|it| !it.debate.is_empty() && it.control.is_empty())
        .count();
    sides.retain(|_, it| !it.debate.is_empty() && !it.control.is_empty());
    let single = sides
        .values()
        .all(|it| it.debate.len() == 1 && it.control.len() == 1);
    let only = |first: bool| {
        sides
            .values()
            .filter(|it| single && it.debate[0] == first && it.control[0] != first)
            .count()
    };
    let (debate_only, arm_only) = (only(true), only(false));
    let pairs: Vec<Pair> = sides.values().map(Sides::pair).collect();
    ArmDifference {
        arm: arm.to_owned(),
        found: paired::difference(&pairs),
        debate_only,
        arm_only,
        mcnemar_p: (single && !pairs.is_empty()).then(|| mcnemar::exact(debate_only, arm_only)),
        unmatched,
        matched: arms
            .iter()
            .find(|it| it.arm == arm)
            .and_then(|it| it.matched),
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
