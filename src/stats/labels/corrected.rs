//! How often models win: by judges, by people, and by judges corrected by people. Only debates that were drawn at random correct anything.

use std::collections::{BTreeMap, BTreeSet};

use super::sources::{Source, number, sides};
use crate::facts::Facts;
use crate::facts::labels::LabelFacts;
use crate::stats::findings::CorrectedRate;
use crate::stats::view::{View, numbers};
use statistics::estimate::{Estimate, Observation};
use statistics::prediction::{Case, People, corrected};

/// Why nothing is corrected.
const NOT_DRAWN: &str = "no correction: the debates that people read were not drawn at random";

/// The fewest debates drawn and read that correct anything. At five a planted 95 % interval covered the truth in 77 % of trials.
pub(super) const LEAST: usize = 50;

/// Why too few correct nothing.
const TOO_FEW: &str = "no correction: people read fewer than 50 debates drawn at random";

/// The rates of every source and model.
pub(super) fn rates(view: &View<'_>) -> Vec<CorrectedRate> {
    let sources = Source::all(view, false).into_iter();
    sources
        .flat_map(|source| of_source(view, &source))
        .collect()
}

fn of_source(view: &View<'_>, source: &Source) -> Vec<CorrectedRate> {
    let mut by_model: BTreeMap<&str, Vec<(usize, Case)>> = BTreeMap::new();
    for (debate, facts) in view.all().filter(|(_, facts)| facts.comparable()) {
        let Some((vote, models)) = source.vote(facts).zip(models(facts)) else {
            continue;
        };
        for (model, sign) in models.into_iter().zip([1.0, -1.0]) {
            let share = |vote: f64| f64::midpoint(1.0, sign * vote);
            let case = Case {
                cluster: view.cluster(debate),
                judge: share(number(vote)),
                people: facts.labels.as_ref().and_then(|own| people(own, share)),
            };
            by_model.entry(model).or_default().push((debate, case));
        }
    }
    let each = by_model.into_iter();
    each.map(|(model, cases)| row(source, model, &cases))
        .collect()
}

/// The models of both sides, where each has one and they differ.
fn models(facts: &Facts) -> Option<[&str; 2]> {
    let model = |side: Vec<u8>| {
        let people = side
            .iter()
            .filter_map(|place| facts.people.get(usize::from(*place)));
        let debated = people.filter(|person| person.statements > 0);
        let all: BTreeSet<Option<&str>> = debated.map(|person| person.model.as_deref()).collect();
        let mut all = all.into_iter();
        match (all.next(), all.next()) {
            (Some(model), None) => model,
            _ => None,
        }
    };
    let [p, q] = sides(facts)?.map(model);
    let models = [p?, q?];
    (models[0] != models[1]).then_some(models)
}

/// What people say of a debate that was drawn: the mean over all who can say.
fn people(own: &LabelFacts, share: impl Fn(f64) -> f64) -> Option<People> {
    let votes = own.votes();
    let sum: f64 = votes.iter().map(|(_, vote)| share(number(*vote))).sum();
    let chance = own.chance()?;
    (!votes.is_empty()).then(|| People {
        value: sum / votes.len() as f64,
        chance,
    })
}

fn row(source: &Source, model: &str, cases: &[(usize, Case)]) -> CorrectedRate {
    let debates: BTreeSet<usize> = cases.iter().map(|(debate, _)| *debate).collect();
    let cases: Vec<Case> = cases.iter().map(|(_, case)| *case).collect();
    let observation = |cluster, value| Observation { cluster, value };
    let judged: Vec<Observation> = cases
        .iter()
        .map(|it| observation(it.cluster, it.judge))
        .collect();
    let asked = cases
        .iter()
        .filter_map(|it| Some(observation(it.cluster, it.people?.value)));
    let asked: Vec<Observation> = asked.collect();
    let refused = match asked.len() {
        0 => Some(NOT_DRAWN),
        n if n < LEAST => Some(TOO_FEW),
        _ => None,
    };
    let found = refused.is_none().then(|| corrected(&cases));
    CorrectedRate {
        verdicts: source.to_string(),
        model: model.to_owned(),
        judged: Estimate::share(&judged),
        people: match asked.is_empty() {
            true => Estimate::none(NOT_DRAWN),
            false => Estimate::share(&asked),
        },
        lambda: found.as_ref().and_then(|it| it.lambda),
        corrected: match found {
            Some(found) => found.estimate.within(0.0, 1.0),
            None => Estimate::none(refused.unwrap_or(NOT_DRAWN)),
        },
        debates: numbers(&debates),
    }
}
