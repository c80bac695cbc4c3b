//! People's labels (row C5): agreement of people with each other, with themselves and with judges, and judges' rates
//! corrected by people. One value per debate, clustered by topic.

mod corrected;
mod frame;
pub(crate) mod options;
pub(super) mod sentences;
mod sources;

use std::collections::{BTreeMap, BTreeSet};

use self::frame::Frames;
use self::sources::Source;
use super::counted_debates::{View, numbers};
use super::findings::{Labels, LikePeople};
use crate::event::Vote;
use crate::facts::Facts;
use crate::facts::labels::LabelFacts;
use statistics::agreement::Metric;

/// What people say; `None` where nobody was asked.
pub(super) fn labels(view: &View<'_>, seed: u64) -> Option<Labels> {
    let labelled: Vec<(usize, &LabelFacts)> =
        view.all().filter_map(|(debate, facts)| Some((debate, facts.labels.as_ref()?))).collect();
    if labelled.is_empty() {
        return None;
    }
    let raters: BTreeSet<&str> =
        labelled.iter().flat_map(|(_, own)| own.said.iter().map(|said| &*said.rater)).collect();
    let said = labelled.iter().map(|(debate, own)| (*debate, signs(own)));
    let frames = Frames::new(view);
    let again = repeated(&labelled);
    Some(Labels {
        raters: raters.len(),
        drawn: labelled.iter().filter(|(_, own)| own.chance().is_some()).count(),
        people: view.units(said).agreement(Metric::Nominal, seed),
        repeats: view.share(again.iter().copied()).or_none("nobody read a debate twice"),
        repeated: numbers(again.iter().map(|(debate, _)| *debate)),
        judges: like_people(view, seed),
        refusal: frames.refusal(),
        corrected: corrected::rates(view, &frames),
        debates: numbers(labelled.iter().map(|(debate, _)| *debate)),
    })
}

/// What each person said of a debate.
fn signs(own: &LabelFacts) -> Vec<f64> {
    own.votes().into_iter().map(|(_, vote)| vote.sign()).collect()
}

/// The debates that people read twice, and whether each said the same.
fn repeated(labelled: &[(usize, &LabelFacts)]) -> Vec<(usize, bool)> {
    let mut all: Vec<(usize, bool)> = Vec::new();
    for (debate, own) in labelled {
        let mut first: BTreeMap<(&str, &str), Vote> = BTreeMap::new();
        for said in &own.said {
            let who = (&*said.rater, &*said.sheet);
            match (said.vote, said.repeat) {
                (Some(vote), 1) => drop(first.insert(who, vote)),
                (Some(again), _) => {
                    all.extend(first.get(&who).map(|once| (*debate, *once == again)));
                }
                (None, _) => {}
            }
        }
    }
    all
}

/// How far each source of verdicts agrees with what most people say: over debates that were drawn, where any were. Those that were
/// chosen, such as the disputed ones, say nothing of the others.
fn like_people(view: &View<'_>, seed: u64) -> Vec<LikePeople> {
    let sources = Source::all(view, true).into_iter();
    let own = |facts: &'_ Facts| facts.labels.as_ref().and_then(LabelFacts::chance);
    let any_drawn = view.all().any(|(_, facts)| own(facts).is_some());
    let row = |source: Source| {
        let counts = |facts: &Facts| !any_drawn || own(facts).is_some();
        let both = view.all().filter(|(_, facts)| counts(facts));
        let both = both.filter_map(|(debate, facts)| {
            let both = [facts.labels.as_ref()?.winner()?, source.vote(facts)?];
            Some((debate, both.map(Vote::sign).to_vec()))
        });
        let found = view.units(both);
        (!found.sample.is_empty()).then(|| LikePeople {
            verdicts: source.to_string(),
            agreement: found.agreement(Metric::Nominal, seed),
            debates: found.numbers(),
        })
    };
    sources.filter_map(row).collect()
}
