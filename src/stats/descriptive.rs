//! How debates went: scores given, consensus, survival, speed, failures.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::{ConsensusRound, Distribution, Failure, Speed, Survival};
use super::view::{Sample, View, numbers};
use crate::event::Status;
use crate::facts::{Call, Purpose};
use statistics::estimate::{Estimate, Observation};
use statistics::quantile::percentile;
use statistics::survival::Lifetime;

/// How often each score was given, by format and criterion.
pub(super) fn distributions(view: &View<'_>) -> Vec<Distribution> {
    type Given = (BTreeMap<u64, usize>, Option<(u8, u8)>, BTreeSet<usize>);
    let mut all: BTreeMap<(&str, &str), Given> = BTreeMap::new();
    for (debate, facts) in view.all().filter(|(_, facts)| facts.ended()) {
        for score in &facts.scores {
            let Some(place) = score.criterion else {
                continue;
            };
            let criterion = &*facts.criteria[usize::from(place)];
            let given = all.entry((&*facts.format, criterion)).or_default();
            // Scores are no less than 0, so that the order of their bits is their own.
            *given.0.entry(score.value.max(0.0).to_bits()).or_default() += 1;
            given.1 = given.1.or(facts.scale());
            given.2.insert(debate);
        }
    }
    let one =
        |((format, criterion), (counts, scale, debates)): ((&str, &str), Given)| Distribution {
            format: format.to_owned(),
            criterion: criterion.to_owned(),
            scale,
            counts: counts
                .into_iter()
                .map(|(bits, n)| (f64::from_bits(bits), n))
                .collect(),
            debates: numbers(&debates),
        };
    all.into_iter().map(one).collect()
}

/// The share of weight behind the leading stance, by round.
pub(super) fn consensus(view: &View<'_>) -> Vec<ConsensusRound> {
    let mut rounds: BTreeMap<u32, Sample<Observation>> = BTreeMap::new();
    for (debate, facts) in view.all() {
        for (round, share) in &facts.leading {
            let behind = rounds.entry(*round).or_default();
            behind.add(debate, view.observation(debate, *share));
        }
    }
    let one = |(round, behind): (u32, Sample<Observation>)| ConsensusRound {
        round,
        leading: Estimate::mean(&behind.sample),
        debates: behind.numbers(),
    };
    rounds.into_iter().map(one).collect()
}

/// How long debaters stood; `None` without a knockout.
pub(super) fn survival(view: &View<'_>) -> Option<Survival> {
    let mut stood = Sample::default();
    for (debate, facts) in view.all().filter(|(_, facts)| facts.ended()) {
        for stint in &facts.stints {
            let (rounds, ended) = (stint.rounds, stint.ended);
            stood.add(debate, Lifetime { rounds, ended });
        }
    }
    (!stood.sample.is_empty()).then(|| Survival {
        spells: stood.sample.len(),
        steps: statistics::survival::survival(&stood.sample),
        debates: stood.numbers(),
    })
}

/// Tokens and times of calls by model and purpose.
pub(super) fn speeds(view: &View<'_>) -> Vec<Speed> {
    let mut all: BTreeMap<(&str, Purpose), Sample<Call>> = BTreeMap::new();
    for (debate, facts) in view.all() {
        for call in &facts.calls {
            let model = &*facts.used[usize::from(call.model)].model;
            all.entry((model, call.purpose))
                .or_default()
                .add(debate, *call);
        }
    }
    let speed = |((model, purpose), behind): (&(&str, Purpose), &Sample<Call>)| {
        speed(model, *purpose, behind)
    };
    all.iter().filter_map(speed).collect()
}

fn speed(model: &str, purpose: Purpose, behind: &Sample<Call>) -> Option<Speed> {
    let sorted = |value: fn(&Call) -> f64| {
        let mut values: Vec<f64> = behind.sample.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let tokens = sorted(|call| f64::from(call.tokens));
    let seconds = sorted(|call| f64::from(call.ms) / 1000.0);
    Some(Speed {
        model: model.to_owned(),
        purpose,
        calls: behind.sample.len(),
        tokens_p50: percentile(&tokens, 0.5)?,
        tokens_p95: percentile(&tokens, 0.95)?,
        seconds_p50: percentile(&seconds, 0.5)?,
        seconds_p95: percentile(&seconds, 0.95)?,
        debates: behind.numbers(),
    })
}

/// What went wrong: incidents by kind, and failed debates; the most frequent first.
pub(super) fn failures(view: &View<'_>) -> Vec<Failure> {
    let mut kinds: BTreeMap<&str, (usize, BTreeSet<usize>)> = BTreeMap::new();
    for (debate, facts) in view.all() {
        let failed = (facts.status == Status::Failed).then_some(("failed debate", 1));
        let incidents = facts
            .incidents
            .iter()
            .map(|(kind, n)| (&**kind, *n as usize));
        for (kind, count) in incidents.chain(failed) {
            let (all, debates) = kinds.entry(kind).or_default();
            *all += count;
            debates.insert(debate);
        }
    }
    let one = |(kind, (incidents, debates)): (&str, (usize, BTreeSet<usize>))| Failure {
        kind: kind.to_owned(),
        incidents,
        debates: numbers(&debates),
    };
    let mut failures: Vec<Failure> = kinds.into_iter().map(one).collect();
    failures.sort_by(|a, b| b.incidents.cmp(&a.incidents).then(a.kind.cmp(&b.kind)));
    failures
}
