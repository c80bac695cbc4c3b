//! Accuracy of debates and of their controls on questions with known answers (rows C3 and C4).

mod against;
pub(super) mod clusters;
mod curve;
mod given;
pub(super) mod matching;

use std::collections::BTreeSet;

use self::clusters::Clusters;
use self::given::Given;
use self::matching::Records;
use super::counted_debates::{View, numbers};
use super::findings::{Answers, ArmAccuracy};
use crate::facts::{AnswerFacts, Facts};
use crate::question::AnswerStatus;
use crate::trace::DEBATE_ARM;
use statistics::estimate::{Estimate, Observation};
use statistics::groups::by_key;

/// How often answers were correct; `None` if no debate has a question.
pub(super) fn answers(view: &View<'_>) -> Option<Answers> {
    let given = given(view);
    if given.is_empty() {
        return None;
    }
    let by_arm = by_key(given.iter().map(|one| {
        let is_control = *one.answer.arm != *DEBATE_ARM;
        ((is_control, &*one.answer.arm, &*one.facts.format), one)
    }));
    let arms: Vec<ArmAccuracy> = by_arm.into_values().map(|own| accuracy(&own)).collect();
    let compared = against::compared(&given, &arms);
    Some(Answers { chance: chance(&given), arms, compared })
}

/// What guessing comes to, where all questions have equally many choices.
fn chance(given: &[Given<'_>]) -> Option<f64> {
    let first = given.first()?.answer.choices;
    let is_shared = first > 0 && given.iter().all(|one| one.answer.choices == first);
    is_shared.then(|| 1.0 / first as f64)
}

fn given<'c>(view: &View<'c>) -> Vec<Given<'c>> {
    let answered: Vec<(usize, &Facts, &AnswerFacts)> = view
        .all()
        .filter_map(|(place, facts)| Some((place, facts, facts.answer.as_ref()?)))
        .collect();
    let clusters = Clusters::new(answered.iter().map(|(_, _, answer)| *answer));
    let records = view.read().filter_map(|facts| Some((facts, &*facts.answer.as_ref()?.record)));
    let records = Records::new(records);
    let given = |(place, facts, answer): (usize, &'c Facts, &'c AnswerFacts)| Given {
        place,
        facts,
        answer,
        cluster: clusters.of(answer),
        is_stale: records.has_left(&answer.matched),
    };
    answered.into_iter().map(given).collect()
}

fn accuracy(own: &[&Given<'_>]) -> ArmAccuracy {
    let (stale, current): (Vec<&Given<'_>>, Vec<&Given<'_>>) =
        own.iter().copied().partition(|one| one.is_stale);
    let heard = || current.iter().filter(|one| !one.is_missing());
    let valid = |one: &&&Given<'_>| one.answer.status == AnswerStatus::Valid;
    let correct = |one: &&Given<'_>| one.observed(one.answer.correct);
    let questions: BTreeSet<&str> = heard().map(|one| &*one.answer.question).collect();
    let spent = current
        .iter()
        .filter_map(|one| Some((one.facts, one.answer.ratio.zip(one.answer.within)?)));
    let cells = matching::cells(spent);
    ArmAccuracy {
        arm: own.first().map_or("", |one| &one.answer.arm).to_owned(),
        format: own.first().map_or("", |one| &one.facts.format).to_owned(),
        questions: questions.len(),
        strict: share(heard().map(correct)),
        answered: share(heard().filter(valid).map(correct)),
        invalid: share(heard().map(|one| one.observed(!valid(&one)))),
        tokens: Estimate::mean(&heard().map(|one| one.spent()).collect::<Vec<_>>()).not_negative(),
        curve: curve::curve(&heard().copied().collect::<Vec<_>>()),
        missing: current.len() - heard().count(),
        stale: stale.len(),
        matched: (!cells.is_empty()).then(|| cells.iter().all(|cell| cell.matched)),
        cells,
        debates: numbers(own.iter().map(|one| one.place)),
    }
}

fn share(observed: impl Iterator<Item = Observation>) -> Estimate {
    let observed: Vec<Observation> = observed.collect();
    Estimate::share(&observed).or_none("there is no such answer")
}
