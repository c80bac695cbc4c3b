//! How far judges agree: on totals, criteria, votes and winners.

use std::collections::{BTreeMap, BTreeSet};

use super::order_bias;
use super::ratings::{Ratings, ratings};
use crate::facts::Facts;
use crate::stats::findings::{AgreementRow, REPLICATES};
use crate::stats::view::{Sample, View};
use statistics::agreement::{Metric, Unit, agreement};

pub(super) fn agreements(
    view: &View<'_>,
    format: &str,
    totals: &Ratings<'_>,
    seed: u64,
) -> Vec<AgreementRow> {
    let named = view.of_format(format).flat_map(|(_, f)| &f.criteria);
    let criteria: BTreeSet<&str> = named.map(|criterion| &**criterion).collect();
    let row =
        |what: &str, metric, found: &Sample<Unit>| agreement_row(format, what, metric, found, seed);
    let mut rows = vec![row("total", Metric::Interval, &units(view, totals))];
    rows.extend(criteria.into_iter().map(|criterion| {
        let given = units(view, &ratings(view, format, Some(criterion)));
        row(criterion, Metric::Ordinal, &given)
    }));
    let votes = [
        ("keep", keeps(view, format)),
        ("winner", winners(view, format)),
        ("audience", audiences(view, format)),
    ];
    let cast = votes.iter().filter(|(_, found)| !found.sample.is_empty());
    rows.extend(cast.map(|(what, found)| row(what, Metric::Nominal, found)));
    rows
}

fn units(view: &View<'_>, ratings: &Ratings<'_>) -> Sample<Unit> {
    let mut found = Sample::default();
    for (thing, given) in ratings {
        let unit = Unit {
            cluster: view.cluster(thing.debate),
            ratings: given.iter().map(|rating| rating.value).collect(),
        };
        found.add(thing.debate, unit);
    }
    found
}

fn keeps(view: &View<'_>, format: &str) -> Sample<Unit> {
    let mut rounds: BTreeMap<(usize, u32), Vec<f64>> = BTreeMap::new();
    for (debate, facts) in view.ended(format) {
        for (round, keep) in facts
            .readings
            .iter()
            .filter_map(|r| Some((r.round, r.keep?)))
        {
            rounds
                .entry((debate, round))
                .or_default()
                .push(f64::from(u8::from(keep)));
        }
    }
    let mut found = Sample::default();
    for ((debate, _), ratings) in rounds {
        let cluster = view.cluster(debate);
        found.add(debate, Unit { cluster, ratings });
    }
    found
}

/// By round, what the majority of the judges and that of the audience would do, where both would do something.
fn audiences(view: &View<'_>, format: &str) -> Sample<Unit> {
    let mut found = Sample::default();
    for (debate, facts) in view.ended(format) {
        let rounds = facts.audience.iter().flat_map(|audience| &audience.rounds);
        for round in rounds {
            if let Some(both) = round.majority.zip(judges(facts, round.round)) {
                let ratings = vec![f64::from(u8::from(both.0)), f64::from(u8::from(both.1))];
                let cluster = view.cluster(debate);
                found.add(debate, Unit { cluster, ratings });
            }
        }
    }
    found
}

/// What the majority of the judges would do with the debater of a round.
fn judges(facts: &Facts, round: u32) -> Option<bool> {
    let own = facts.readings.iter().filter(|it| it.round == round);
    let votes: Vec<bool> = own.filter_map(|it| it.keep).collect();
    let keeps = votes.iter().filter(|keep| **keep).count();
    (2 * keeps != votes.len()).then_some(2 * keeps > votes.len())
}

/// Which of two contestants each judge has ahead: the place, or -1 for neither.
fn winners(view: &View<'_>, format: &str) -> Sample<Unit> {
    let mut found = Sample::default();
    for (debate, facts) in view.ended(format) {
        // A judge who reads a debate twice and decides differently has nobody ahead.
        let mut judges: BTreeMap<&str, Option<u8>> = BTreeMap::new();
        for (number, reading) in facts.readings.iter().enumerate() {
            if let Some(leader) = order_bias::leader(facts, number) {
                let said = judges.entry(&reading.judge).or_insert(leader);
                *said = said.filter(|said| leader == Some(*said));
            }
        }
        let ratings: Vec<f64> = judges
            .into_values()
            .map(|l| l.map_or(-1.0, f64::from))
            .collect();
        if !ratings.is_empty() {
            let cluster = view.cluster(debate);
            found.add(debate, Unit { cluster, ratings });
        }
    }
    found
}

fn agreement_row(
    format: &str,
    what: &str,
    metric: Metric,
    found: &Sample<Unit>,
    seed: u64,
) -> AgreementRow {
    AgreementRow {
        format: format.to_owned(),
        what: what.to_owned(),
        metric: match metric {
            Metric::Nominal => "nominal",
            Metric::Ordinal => "ordinal",
            Metric::Interval => "interval",
        }
        .to_owned(),
        agreement: agreement(&found.sample, metric, REPLICATES, seed),
        debates: found.numbers(),
    }
}
