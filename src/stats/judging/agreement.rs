//! Agreement between judges: on totals, criteria, votes and winners. Seats of one model are one judge, for whom the first of them
//! speaks: how well a model agrees with itself tells how often it repeats what it said.

use std::collections::BTreeSet;

use super::alike;
use super::instrument::Instrument;
use super::ratings::{Ratings, ratings};
use crate::facts::{Facts, Kind};
use crate::stats::counted_debates::{Sample, View};
use crate::stats::findings::{AgreementRow, Rated};
use crate::stats::group::judge_of;
use statistics::agreement::{Metric, Unit};
use statistics::groups::by_key;

pub(super) fn agreements(
    view: &View<'_>,
    by: Instrument<'_>,
    totals: &Ratings<'_>,
    seed: u64,
) -> Vec<AgreementRow> {
    let named = view.of_format(by.format).flat_map(|(_, f)| &f.criteria);
    let criteria: BTreeSet<&str> = named.map(|criterion| &**criterion).collect();
    let mut found = vec![(Rated::Total, Metric::Interval, units(view, totals))];
    if by.kind == Kind::Verdict {
        found.push((Rated::WithinDebate, Metric::Interval, within_debates(view, totals)));
    }
    found.extend(criteria.into_iter().map(|criterion| {
        let given = units(view, &ratings(view, by, Some(criterion)));
        (Rated::Criterion(criterion.to_owned()), Metric::Ordinal, given)
    }));
    let votes = match by.kind {
        Kind::Ballot => vec![
            (Rated::Keep, keeps(view, by.format)),
            (Rated::Audience, audiences(view, by.format)),
        ],
        Kind::Verdict => vec![(Rated::Winner, winners(view, by.format))],
    };
    found.extend(votes.into_iter().map(|(what, found)| (what, Metric::Nominal, found)));
    found.retain(|(what, _, found)| *what == Rated::Total || !found.sample.is_empty());
    let row = |(what, metric, found)| agreement_row(by, what, metric, &found, seed);
    found.into_iter().map(row).collect()
}

fn units(view: &View<'_>, ratings: &Ratings<'_>) -> Sample<Unit> {
    let each = ratings.iter().map(|(thing, given)| {
        let said = given.iter().map(|rating| (rating.model, rating.value));
        (thing.debate, view.debates[thing.debate].first_of_models(said).collect())
    });
    view.units(each)
}

/// What each judge gave above its own mean in a debate that somebody wins: by this it is decided. Judges who agree on which debates
/// are good may not agree on who is better.
fn within_debates(view: &View<'_>, totals: &Ratings<'_>) -> Sample<Unit> {
    let debates = totals.chunk_by(|(a, _), (b, _)| a.debate == b.debate);
    let decided = debates.filter(|own| view.debates[own[0].0.debate].has_winner);
    let units = decided.flat_map(|own| {
        let ratings = own.iter().flat_map(|(_, ratings)| ratings);
        let by_judge = ratings.map(|rating| ((rating.judge, rating.model), rating.value));
        let mut given = by_key(by_judge);
        // Who did not judge everyone has no mean to compare with.
        given.retain(|_, values| values.len() == own.len() && own.len() > 1);
        let mean = |values: &Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let said = given.into_iter().map(|((_, model), values)| (model, values));
        let facts = view.debates[own[0].0.debate];
        let given: Vec<Vec<f64>> = facts.first_of_models(said).collect();
        let of = |place: usize| given.iter().map(move |values| values[place] - mean(values));
        let each = (0..own.len()).map(|place| (own[place].0.debate, of(place).collect()));
        each.collect::<Vec<(usize, Vec<f64>)>>()
    });
    view.units(units)
}

fn keeps(view: &View<'_>, format: &str) -> Sample<Unit> {
    let debates = view.ended(format);
    let all = debates.flat_map(|(debate, f)| f.readings.iter().map(move |it| (debate, it)));
    let kept = all
        .filter_map(|(debate, it)| Some(((debate, it.round), (judge_of(it), f64::from(it.keep?)))));
    view.units(
        by_key(kept).into_iter().map(|((debate, _), own)| {
            (debate, view.debates[debate].first_of_models(own).collect())
        }),
    )
}

/// By round, what the majority of the judges and that of the audience would do, where both would do something.
fn audiences<'c>(view: &View<'c>, format: &str) -> Sample<Unit> {
    let both = |(debate, facts): (usize, &'c Facts)| {
        let rounds = facts.audience.iter().flat_map(|audience| &audience.rounds);
        rounds.filter_map(move |round| {
            let both = [round.majority?, judges(facts, round.round)?];
            Some((debate, both.map(f64::from).to_vec()))
        })
    };
    view.units(view.ended(format).flat_map(both))
}

/// What the majority of the judges would do with the debater of a round.
fn judges(facts: &Facts, round: u32) -> Option<bool> {
    let own = facts.readings.iter().filter(|it| it.round == round);
    let votes: Vec<bool> = own.filter_map(|it| it.keep).collect();
    let keeps = votes.iter().filter(|keep| **keep).count();
    (2 * keeps != votes.len()).then_some(2 * keeps > votes.len())
}

/// Which of two sides each judge has ahead: 0, 1, or -1 for neither.
fn winners(view: &View<'_>, format: &str) -> Sample<Unit> {
    let leaders = |facts: &Facts| {
        let places = facts.first_of_models(alike::leaders(facts).into_values());
        places.map(|place| place.map_or(-1.0, f64::from)).collect()
    };
    let ended = view.ended(format);
    view.units(ended.map(|(debate, facts)| (debate, leaders(facts))))
}

fn agreement_row(
    by: Instrument<'_>,
    what: Rated,
    metric: Metric,
    found: &Sample<Unit>,
    seed: u64,
) -> AgreementRow {
    AgreementRow {
        format: by.format.to_owned(),
        kind: by.kind,
        what,
        metric: match metric {
            Metric::Nominal => "nominal",
            Metric::Ordinal => "ordinal",
            Metric::Interval => "interval",
        }
        .to_owned(),
        agreement: found.agreement(metric, seed),
        debates: found.numbers(),
    }
}
