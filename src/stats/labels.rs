//! People's labels (row C5): how far people agree, with each other, with themselves and with judges, and what judges' rates are once
//! they are corrected by people. One value a debate, clustered by topic.

mod corrected;
pub(super) mod sentences;
mod sources;

use std::collections::{BTreeMap, BTreeSet};

use self::sources::{Source, number};
use super::findings::{Labels, LikePeople, REPLICATES};
use super::view::{Sample, View, numbers};
use crate::event::Vote;
use crate::facts::Facts;
use crate::facts::labels::LabelFacts;
use statistics::agreement::{Metric, Unit, agreement};
use statistics::estimate::{Estimate, Observation};

/// What people say; `None` where nobody was asked.
pub(super) fn labels(view: &View<'_>, seed: u64) -> Option<Labels> {
    let labelled: Vec<(usize, &LabelFacts)> = view
        .all()
        .filter_map(|(debate, facts)| Some((debate, facts.labels.as_ref()?)))
        .collect();
    if labelled.is_empty() {
        return None;
    }
    let raters: BTreeSet<&str> = labelled
        .iter()
        .flat_map(|(_, own)| own.said.iter().map(|said| &*said.rater))
        .collect();
    let debates: BTreeSet<usize> = labelled.iter().map(|(debate, _)| *debate).collect();
    let votes = votes(view, &labelled);
    Some(Labels {
        raters: raters.len(),
        drawn: labelled
            .iter()
            .filter(|(_, own)| own.chance().is_some())
            .count(),
        people: agreement(&votes.sample, Metric::Nominal, REPLICATES, seed),
        repeats: repeats(view, &labelled),
        judges: like_people(view, seed),
        corrected: corrected::rates(view),
        debates: numbers(&debates),
    })
}

/// What each person said of each debate.
fn votes(view: &View<'_>, labelled: &[(usize, &LabelFacts)]) -> Sample<Unit> {
    let mut found = Sample::default();
    for (debate, own) in labelled {
        let ratings: Vec<f64> = own
            .votes()
            .into_iter()
            .map(|(_, vote)| number(vote))
            .collect();
        let cluster = view.cluster(*debate);
        if !ratings.is_empty() {
            found.add(*debate, Unit { cluster, ratings });
        }
    }
    found
}

/// Whether people who read a debate twice said the same.
fn repeats(view: &View<'_>, labelled: &[(usize, &LabelFacts)]) -> Estimate {
    let mut all: Vec<Observation> = Vec::new();
    for (debate, own) in labelled {
        let mut first: BTreeMap<(&str, &str), Vote> = BTreeMap::new();
        for said in &own.said {
            let who = (&*said.rater, &*said.sheet);
            match (said.vote, said.repeat) {
                (Some(vote), 1) => drop(first.insert(who, vote)),
                (Some(again), _) => all.extend(
                    first
                        .get(&who)
                        .map(|once| view.observation(*debate, f64::from(u8::from(*once == again)))),
                ),
                (None, _) => {}
            }
        }
    }
    match all.is_empty() {
        true => Estimate::none("nobody read a debate twice"),
        false => Estimate::share(&all),
    }
}

/// How far each source of verdicts agrees with what most people say: over debates that were drawn, where any were. Those that were
/// chosen, such as the disputed ones, say nothing of the others.
fn like_people(view: &View<'_>, seed: u64) -> Vec<LikePeople> {
    let sources = Source::all(view, true).into_iter();
    let own = |facts: &'_ Facts| facts.labels.as_ref().and_then(LabelFacts::chance);
    let any_drawn = view.all().any(|(_, facts)| own(facts).is_some());
    let row = |source: Source| {
        let mut found = Sample::default();
        let counts = |facts: &Facts| !any_drawn || own(facts).is_some();
        for (debate, facts) in view.all().filter(|(_, facts)| counts(facts)) {
            let people = facts.labels.as_ref().and_then(LabelFacts::winner);
            if let (Some(people), Some(judge)) = (people, source.vote(facts)) {
                let (cluster, ratings) =
                    (view.cluster(debate), vec![number(people), number(judge)]);
                found.add(debate, Unit { cluster, ratings });
            }
        }
        (!found.sample.is_empty()).then(|| LikePeople {
            verdicts: source.to_string(),
            agreement: agreement(&found.sample, Metric::Nominal, REPLICATES, seed),
            debates: found.numbers(),
        })
    };
    sources.filter_map(row).collect()
}
