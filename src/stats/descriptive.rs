//! How debates went: scores given, consensus, survival, speed, failures.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::counted_debates::{Sample, View, numbers};
use super::findings::{ConsensusRound, Distribution, Failure, ReadAs, Speed, Survival};
use crate::event::Status;
use crate::facts::{Call, Facts, Purpose, Text};
use statistics::estimate::{Estimate, Observation};
use statistics::quantile::percentile;
use statistics::survival::Lifetime;

/// How often each score was given, by format and criterion.
pub(super) fn distributions(view: &View<'_>) -> Vec<Distribution> {
    type Given = (BTreeMap<u64, usize>, Option<(u8, u8)>, BTreeSet<usize>);
    let mut all: BTreeMap<(&str, &str), Given> = BTreeMap::new();
    for (debate, facts) in view.all().filter(|(_, facts)| facts.ended()) {
        for score in &facts.scores {
            let Some(place) = score.criterion else { continue };
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
            counts: counts.into_iter().map(|(bits, n)| (f64::from_bits(bits), n)).collect(),
            debates: numbers(debates),
        };
    all.into_iter().map(one).collect()
}

/// The share of weight behind the leading stance, by round, always over the same roundtables: those that stop keep their last share,
/// because they are the ones that agree.
pub(super) fn consensus(view: &View<'_>) -> Vec<ConsensusRound> {
    let ended = || view.all().filter(|(_, facts)| facts.ended());
    let last = ended()
        .flat_map(|(_, facts)| facts.leading.last())
        .map(|(round, _)| *round)
        .max()
        .unwrap_or(0);
    let mut rounds: BTreeMap<u32, (Sample<Observation>, usize)> = BTreeMap::new();
    for (debate, facts) in ended() {
        let first = facts.leading.first().map_or(last + 1, |(round, _)| *round);
        for round in first..=last {
            let until = facts.leading.iter().take_while(|(held, _)| *held <= round);
            let Some((latest, share)) = until.last() else { continue };
            let (behind, held) = rounds.entry(round).or_default();
            behind.add(debate, view.observation(debate, *share));
            *held += usize::from(*latest == round);
        }
    }
    let one = |(round, (behind, held)): (u32, (Sample<Observation>, usize))| ConsensusRound {
        round,
        leading: Estimate::mean(&behind.sample).within(0.0, 1.0),
        held,
        debates: behind.numbers(),
    };
    rounds.into_iter().map(one).collect()
}

/// How long debaters stood; `None` without a knockout.
pub(super) fn survival(view: &View<'_>) -> Option<Survival> {
    let mut stood = Sample::default();
    for (debate, facts) in view.all().filter(|(_, facts)| facts.ended()) {
        let cluster = view.cluster(debate);
        let lives = facts.stints.iter().map(|stint| Lifetime {
            cluster,
            rounds: stint.rounds,
            ended: stint.ended,
        });
        lives.for_each(|life| stood.add(debate, life));
    }
    (!stood.sample.is_empty()).then(|| Survival {
        steps: statistics::survival::survival(&stood.sample),
        debates: stood.numbers(),
    })
}

/// Tokens and times of calls by model and purpose.
pub(super) fn speeds(view: &View<'_>) -> Vec<Speed> {
    let mut all: BTreeMap<(&str, Purpose), Sample<Call>> = BTreeMap::new();
    for (debate, facts) in view.all() {
        for call in &facts.calls {
            let model = &*facts.used[usize::from(call.model)].0;
            all.entry((model, call.purpose)).or_default().add(debate, *call);
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

/// The word for a debate that failed, beside the kinds of incidents.
pub const FAILED: &str = "failed debate";

/// What went wrong: incidents by kind, and failed debates; the most frequent first.
pub(super) fn failures(view: &View<'_>) -> Vec<Failure> {
    let counts = most_frequent(view, |facts| {
        let failed = (facts.status == Status::Failed).then_some((FAILED, 1));
        named(&facts.incidents).chain(failed)
    });
    let one = |(kind, incidents, debates)| Failure { kind, incidents, debates };
    counts.map(one).collect()
}

/// What readers of structured replies had to do; the most frequent first.
pub(super) fn read_as(view: &View<'_>) -> Vec<ReadAs> {
    let counts = most_frequent(view, |facts| named(&facts.read_as));
    let one = |(how, replies, debates)| ReadAs { how, replies, debates };
    counts.map(one).collect()
}

fn named(counts: &[(Text, u32)]) -> impl Iterator<Item = (&str, usize)> {
    counts.iter().map(|(name, n)| (&**name, *n as usize))
}

/// What debates count, summed by name, with the debates it is from.
fn most_frequent<'c, I: Iterator<Item = (&'c str, usize)>>(
    view: &View<'c>,
    counts: impl Fn(&'c Facts) -> I,
) -> impl Iterator<Item = (String, usize, Vec<usize>)> {
    let mut all: BTreeMap<&str, (usize, BTreeSet<usize>)> = BTreeMap::new();
    for (debate, facts) in view.all() {
        for (name, count) in counts(facts) {
            let (sum, debates) = all.entry(name).or_default();
            *sum += count;
            debates.insert(debate);
        }
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|(name, (sum, _))| (Reverse(*sum), *name));
    all.into_iter().map(|(name, (sum, debates))| (name.to_owned(), sum, numbers(debates)))
}
