//! Leaderboards: points, and strengths from debates with a winner (rows S3, O2, O3).

use std::collections::{BTreeMap, BTreeSet};

use super::claim::VERDICT;
use super::duel::{Duel, FEW, by_default, duel, fitted, set_aside};
use super::findings::{
    Comparisons, Confounded, Leaderboards, Match, PointsBoard, PointsRow, StrengthBoard,
    StrengthRow,
};
use super::key::Key;
use super::swapped::swapped;
use super::view::{Sample, View};
use super::{beside, compare};
use crate::facts::Person;
use statistics::bradley_terry::{Fit, Outcome, Rating};
use statistics::estimate::{Estimate, Observation};

/// What is ranked.
const RANKED: [Key; 2] = [Key::Model, Key::Persona];

/// All leaderboards for which there are debates. Strengths of models must not say what their scores, in `compared`, do not bear out.
pub(super) fn leaderboards(view: &View<'_>, compared: &[Comparisons], seed: u64) -> Leaderboards {
    let sides = RANKED.iter().flat_map(|key| [(key, false), (key, true)]);
    Leaderboards {
        points: sides.filter_map(|(key, x)| points(view, key, x)).collect(),
        strengths: RANKED
            .iter()
            .filter_map(|key| strengths(view, key, compared, seed))
            .collect(),
    }
}

fn points(view: &View<'_>, key: &Key, x: bool) -> Option<PointsBoard> {
    let mut all: BTreeMap<&str, Sample<Observation>> = BTreeMap::new();
    let knockouts = view
        .all()
        .filter(|(_, f)| f.profile().rotates && f.comparable());
    for (debate, facts) in knockouts {
        let side = |(place, _): &(u8, &Person)| facts.is_of_team(*place) != x;
        for (_, person) in facts.contestants().filter(side) {
            // Nobody who never debated has points.
            let Some(points) = person.points.filter(|_| person.statements > 0) else {
                continue;
            };
            let behind = all.entry(key.of_person(person)?).or_default();
            behind.add(debate, view.observation(debate, points));
        }
    }
    let row = |(name, behind): (&str, Sample<Observation>)| PointsRow {
        name: name.to_owned(),
        total: behind.sample.iter().map(|o| o.value).sum(),
        mean: Estimate::mean(&behind.sample),
        debates: behind.numbers(),
    };
    let mut rows: Vec<PointsRow> = all.into_iter().map(row).collect();
    rows.sort_by(|a, b| {
        b.mean
            .value
            .unwrap_or(0.0)
            .total_cmp(&a.mean.value.unwrap_or(0.0))
    });
    (!rows.is_empty()).then(|| PointsBoard {
        of: key.to_string(),
        side: if x { "x" } else { "debaters" }.to_owned(),
        rows,
    })
}

fn strengths(
    view: &View<'_>,
    key: &Key,
    compared: &[Comparisons],
    seed: u64,
) -> Option<StrengthBoard> {
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    let (mut duels, mut broken) = (Vec::new(), Vec::new());
    for (debate, facts) in view.all().filter(|(_, facts)| facts.has_winner) {
        match duel(view, key, debate, facts) {
            Ok(duel) => duels.push(duel),
            Err(reason) => {
                *left_out.entry(reason.to_owned()).or_default() += 1;
                broken.extend(by_default(view, key, debate, facts));
            }
        }
    }
    if duels.is_empty() && left_out.is_empty() {
        return None;
    }
    let confounded = set_aside(key, &mut duels);
    for found in &confounded {
        let reason = left_out.entry(format!("not the same {}", found.by.word()));
        *reason.or_default() += found.debates.len();
    }
    let names: BTreeSet<&str> = duels.iter().flat_map(|duel| duel.sides).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let mut fit = fitted(&names, &duels, seed);
    if *key == Key::Model {
        let borne_out = |above, below| compare::bear_out(compared, names[above], names[below]);
        fit.rank(FEW, |lead| {
            lead.is_sure(VERDICT) && borne_out(lead.above, lead.below)
        });
    }
    let mut board = board(key, &names, &duels, fit, left_out, confounded);
    beside::available(&mut board, view, key);
    beside::spoken(&mut board, view, &duels);
    beside::failures_lost(&mut board, &names, &duels, broken);
    beside::equal_length(&mut board, &names, &duels);
    Some(board)
}

fn board(
    key: &Key,
    names: &[&str],
    duels: &[Duel<'_>],
    fit: Fit,
    left_out: BTreeMap<String, usize>,
    confounded: Vec<Confounded>,
) -> StrengthBoard {
    let order = shown_order(&fit.ratings);
    let shown: Vec<&str> = order.iter().map(|rating| names[rating.entity]).collect();
    StrengthBoard {
        of: key.to_string(),
        comparisons: fit.comparisons,
        draws: duels
            .iter()
            .filter(|duel| duel.outcome == Outcome::Draw)
            .count(),
        clusters: fit.clusters,
        left_out,
        confounded,
        rows: order
            .iter()
            .map(|rating| strength_row(rating, names, duels))
            .collect(),
        matches: matches(&shown, duels),
        swapped: swapped(duels),
        lead: fit.lead().map(|found| found.named(names)),
        lead_equal_length: None,
        length: None,
        order: fit.order,
        side: fit.side,
        components: fit.components,
        replicates: fit.replicates,
        ridged: fit.ridged,
        notes: fit.reasons,
    }
}

/// Those that met each other together; within them the upper groups first and the strongest of each, those with few debates last.
fn shown_order(ratings: &[Rating]) -> Vec<&Rating> {
    let mut order: Vec<&Rating> = ratings.iter().collect();
    order.sort_by(|a, b| {
        let small = |rating: &Rating| rating.games < FEW;
        let elo = |rating: &Rating| rating.elo.unwrap_or(f64::NEG_INFINITY);
        (a.component, small(a), a.group)
            .cmp(&(b.component, small(b), b.group))
            .then(elo(b).total_cmp(&elo(a)))
    });
    order
}

fn strength_row(rating: &Rating, names: &[&str], duels: &[Duel<'_>]) -> StrengthRow {
    let name = names[rating.entity];
    let met = duels.iter().filter(|duel| duel.sides.contains(&name));
    let others = met.clone().filter(|duel| duel.sides[0] != duel.sides[1]);
    let topics: BTreeSet<usize> = others.map(|duel| duel.cluster).collect();
    StrengthRow {
        name: name.to_owned(),
        rating: rating.clone(),
        clusters: topics.len(),
        available: Estimate::default(),
        tokens: Estimate::default(),
        elo_failures_lost: None,
        elo_equal_length: None,
        small: rating.games < FEW,
        debates: met.map(|duel| duel.debate + 1).collect(),
    }
}

/// Results between each two, in the order in which they are shown. Of one that met itself there is nothing to say.
fn matches(shown: &[&str], duels: &[Duel<'_>]) -> Vec<Vec<Match>> {
    let mut met: BTreeMap<[&str; 2], Vec<(&Duel<'_>, f64)>> = BTreeMap::new();
    for duel in duels.iter().filter(|duel| duel.sides[0] != duel.sides[1]) {
        let ([a, b], score) = (duel.sides, duel.outcome.score());
        met.entry([a, b]).or_default().push((duel, score));
        met.entry([b, a]).or_default().push((duel, 1.0 - score));
    }
    let cell = |a: &&str, b: &&str| {
        met.get(&[*a, *b])
            .map_or_else(Match::default, |met| result(met))
    };
    let row = |a: &&str| shown.iter().map(|b| cell(a, b)).collect();
    shown.iter().map(row).collect()
}

/// What one got from another, by duel.
fn result(met: &[(&Duel<'_>, f64)]) -> Match {
    let observation = |(duel, value): &(&Duel<'_>, f64)| Observation {
        cluster: duel.cluster,
        value: *value,
    };
    let share = Estimate::share(&met.iter().map(observation).collect::<Vec<_>>());
    Match {
        n: share.n,
        score: share.value,
        low: share.low,
        high: share.high,
        reason: share.reason,
        debates: met.iter().map(|(duel, _)| duel.debate + 1).collect(),
    }
}
