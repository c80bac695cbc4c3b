//! How often models win: by judges, by people, and by judges corrected by people. Only debates that were drawn at random correct anything.

use std::collections::{BTreeMap, BTreeSet};

use super::frame::Frames;
use super::sources::{Source, sides};
use crate::facts::Facts;
use crate::facts::labels::LabelFacts;
use crate::stats::counted_debates::{View, numbers};
use crate::stats::findings::CorrectedRate;
use statistics::estimate::Estimate;
use statistics::prediction::{Case, Corrected, People, corrected};

/// Why nothing is corrected.
const NOT_DRAWN: &str = "no correction: the debates that people read were not drawn at random";

/// Minimum debates drawn and read that correct anything. At five a planted 95% interval covered the truth in 77% of trials.
pub(super) const LEAST: usize = 50;

/// Why too few correct nothing.
const TOO_FEW: &str = "no correction: people read fewer than 50 debates drawn at random";

/// The rates of every source and model.
pub(super) fn rates(view: &View<'_>, frames: &Frames) -> Vec<CorrectedRate> {
    let sources = Source::all(view, false).into_iter();
    sources.flat_map(|source| of_source(view, &source, frames)).collect()
}

/// Over the debates that people's were drawn from; over all, if nothing can be corrected.
fn of_source(view: &View<'_>, source: &Source, frames: &Frames) -> Vec<CorrectedRate> {
    let mut by_model: BTreeMap<&str, Vec<(usize, Case)>> = BTreeMap::new();
    let refusal = frames.refusal().map(|why| format!("no correction: {why}"));
    let counts = |facts: &Facts| facts.comparable() && (refusal.is_some() || frames.hold(facts));
    for (debate, facts) in view.all().filter(|(_, facts)| counts(facts)) {
        let Some((vote, models)) = source.vote(facts).zip(models(facts)) else { continue };
        for (model, sign) in models.into_iter().zip([1.0, -1.0]) {
            let share = |vote: f64| f64::midpoint(1.0, sign * vote);
            let case = Case {
                cluster: view.cluster(debate),
                judge: share(vote.sign()),
                people: facts.labels.as_ref().and_then(|own| people(own, share)),
            };
            by_model.entry(model).or_default().push((debate, case));
        }
    }
    let each = by_model.into_iter();
    each.map(|(model, cases)| row(view, source, (model, &cases), refusal.as_deref())).collect()
}

/// The models of both sides, where each has one and they differ.
fn models(facts: &Facts) -> Option<[&str; 2]> {
    let model = |side: Vec<u8>| {
        let people = side.iter().map(|place| &facts.people[usize::from(*place)]);
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
    let sum: f64 = votes.iter().map(|(_, vote)| share(vote.sign())).sum();
    let chance = own.chance()?;
    (!votes.is_empty()).then(|| People { value: sum / votes.len() as f64, chance })
}

fn row(
    view: &View<'_>,
    source: &Source,
    (model, cases): (&str, &[(usize, Case)]),
    refusal: Option<&str>,
) -> CorrectedRate {
    let judged = cases.iter().map(|(debate, it)| (*debate, it.judge));
    let asked = cases.iter();
    let people = view.share(asked.filter_map(|(debate, it)| Some((*debate, it.people?.value))));
    let refused = match people.n {
        0 => Some(NOT_DRAWN),
        n if n < LEAST => Some(TOO_FEW),
        _ => refusal,
    };
    let found = match refused {
        Some(why) => Corrected { estimate: Estimate::none(why), lambda: None },
        None => corrected(&cases.iter().map(|(_, case)| *case).collect::<Vec<_>>()),
    };
    CorrectedRate {
        verdicts: source.to_string(),
        model: model.to_owned(),
        judged: view.share(judged),
        people: people.or_none(NOT_DRAWN),
        lambda: found.lambda,
        corrected: found.estimate.within(0.0, 1.0),
        debates: numbers(cases.iter().map(|(debate, _)| *debate)),
    }
}
