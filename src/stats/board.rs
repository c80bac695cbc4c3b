//! Leaderboards: points, and strengths from debates with a winner (rows S3, O2, O3).

mod beside;

use std::collections::{BTreeMap, BTreeSet};

use super::compare;
use super::design::{Seat, Seats, Trait};
use super::findings::{
    Comparisons, Confounded, Leaderboards, Match, PointsBoard, PointsRow, REPLICATES,
    StrengthBoard, StrengthRow,
};
use super::key::Key;
use super::view::{Sample, View};
use crate::facts::{Facts, Person, Winner};
use crate::model::sharing::Sharing;
use statistics::bradley_terry::{Comparison, Fit, Options, Outcome, Party, Rating, fit};
use statistics::estimate::{Estimate, Observation};

/// With fewer debates somebody is shown but not ranked.
pub(super) const FEW: usize = 10;

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

/// A debate between two that may be compared.
struct Duel<'c> {
    debate: usize,
    cluster: usize,
    sides: [&'c str; 2],
    seats: [Seat<'c>; 2],
    /// Whether a judge ran on the model of one side only.
    own_judges: bool,
    outcome: Outcome,
    first: Option<Party>,
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
        let reason = left_out.entry(format!("not the same {}", found.by));
        *reason.or_default() += found.debates.len();
    }
    let names: BTreeSet<&str> = duels.iter().flat_map(|duel| duel.sides).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let mut fit = fitted(&names, &duels, seed);
    if *key == Key::Model {
        let borne_out = |above, below| compare::bear_out(compared, names[above], names[below]);
        fit.rank(FEW, |lead| {
            lead.is_sure() && borne_out(lead.above, lead.below)
        });
    }
    let mut board = board(key, &names, &duels, fit, left_out, confounded);
    beside::available(&mut board, view, key);
    beside::failures_lost(&mut board, &names, &duels, broken);
    beside::equal_length(&mut board, &names, &duels);
    Some(board)
}

/// Takes out the debates of every two that something else tells apart.
fn set_aside(key: &Key, duels: &mut Vec<Duel<'_>>) -> Vec<Confounded> {
    let mut all: BTreeMap<([&str; 2], Trait), Vec<usize>> = BTreeMap::new();
    let own = duels.extract_if(.., |duel| *key == Key::Model && duel.own_judges);
    for duel in own {
        let debates = all.entry((duel.pair(), Trait::OwnJudges)).or_default();
        debates.push(duel.debate + 1);
    }
    let told_apart = told_apart(key, duels);
    for duel in duels.extract_if(.., |duel| told_apart.contains_key(&duel.pair())) {
        let by = told_apart[&duel.pair()];
        all.entry((duel.pair(), by))
            .or_default()
            .push(duel.debate + 1);
    }
    let confounded = |(([a, b], by), debates): (([&str; 2], Trait), Vec<usize>)| Confounded {
        a: a.to_owned(),
        b: b.to_owned(),
        by: by.word().to_owned(),
        debates,
    };
    all.into_iter().map(confounded).collect()
}

/// Every two that something else tells apart, with what that is.
fn told_apart<'c>(key: &Key, duels: &[Duel<'c>]) -> BTreeMap<[&'c str; 2], Trait> {
    let mut met: BTreeMap<[&str; 2], Seats<'c>> = BTreeMap::new();
    for duel in duels.iter().filter(|duel| duel.sides[0] != duel.sides[1]) {
        let seats = met.entry(duel.pair()).or_default();
        for (name, seat) in duel.sides.iter().zip(duel.seats) {
            seats.add(usize::from(*name != duel.pair()[0]), [seat].into_iter());
        }
    }
    let each = met.into_iter();
    each.filter_map(|(pair, seats)| Some((pair, seats.confounder(key, true)?)))
        .collect()
}

impl<'c> Duel<'c> {
    /// The two in order of their names.
    fn pair(&self) -> [&'c str; 2] {
        let [a, b] = self.sides;
        if a <= b { [a, b] } else { [b, a] }
    }
}

fn fitted(names: &[&str], duels: &[Duel<'_>], seed: u64) -> Fit {
    let options = Options {
        fewest: FEW,
        replicates: REPLICATES as u64,
        seed,
        ..Options::default()
    };
    let all: Vec<&Duel<'_>> = duels.iter().collect();
    fit(names.len(), &comparisons(names, &all), &options)
}

/// The same without intervals.
fn fitted_once(names: &[&str], duels: &[&Duel<'_>]) -> Vec<Rating> {
    let options = Options {
        replicates: 0,
        ..Options::default()
    };
    fit(names.len(), &comparisons(names, duels), &options).ratings
}

/// A debate as a comparison, or why it is none.
fn duel<'c>(
    view: &View<'_>,
    key: &Key,
    debate: usize,
    facts: &'c Facts,
) -> Result<Duel<'c>, &'static str> {
    if !facts.ended() {
        return Err("failed");
    }
    if !facts.comparable() {
        return Err("an emergency or fallback reply of a contestant");
    }
    met(view, key, debate, facts, facts.winner.ok_or("no judgment")?)
}

/// A debate in which a reply that was not its own stands in for a contestant, as one that this contestant lost.
fn by_default<'c>(view: &View<'_>, key: &Key, debate: usize, facts: &'c Facts) -> Option<Duel<'c>> {
    let mut sides = facts.contestants();
    let (Some((a, first)), Some((b, second)), None) = (sides.next(), sides.next(), sides.next())
    else {
        return None;
    };
    let winner = match (first.spoke_itself(), second.spoke_itself()) {
        (true, true) => return None,
        (true, false) => Winner::Person(a),
        (false, true) => Winner::Person(b),
        (false, false) => Winner::Draw,
    };
    met(view, key, debate, facts, winner).ok()
}

/// Two that met, and who won.
fn met<'c>(
    view: &View<'_>,
    key: &Key,
    debate: usize,
    facts: &'c Facts,
    winner: Winner,
) -> Result<Duel<'c>, &'static str> {
    let sides = facts.contestants();
    let sides: Vec<(u8, &Person)> = sides.filter(|(_, person)| facts.contends(person)).collect();
    let name = |person: &'c Person| key.of_person(person).unwrap_or_default();
    let [(a, first), (_, second), more @ ..] = sides.as_slice() else {
        return Err("fewer than two contestants");
    };
    let teams = facts.profile().team.is_some();
    if !teams && !more.is_empty() {
        return Err("more than two contestants");
    }
    if more.iter().any(|(_, person)| name(person) != name(second)) {
        return Err("a team of different contestants");
    }
    Ok(Duel {
        debate,
        cluster: view.cluster(debate),
        sides: [name(first), name(second)],
        seats: [*first, *second].map(|person| Seat { facts, person }),
        own_judges: facts.sharing() == Sharing::Some,
        outcome: match winner {
            Winner::Draw => Outcome::Draw,
            Winner::Person(place) if place == *a => Outcome::Win,
            Winner::Person(_) | Winner::Team => Outcome::Loss,
        },
        first: match (first.first, second.first) {
            (true, _) => Some(Party::A),
            (_, true) => Some(Party::B),
            _ => None,
        },
    })
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

fn comparisons(names: &[&str], duels: &[&Duel<'_>]) -> Vec<Comparison> {
    let numbers: BTreeMap<&str, usize> = names.iter().copied().zip(0..).collect();
    let comparison = |duel: &&Duel<'_>| Comparison {
        cluster: duel.cluster,
        a: numbers[duel.sides[0]],
        b: numbers[duel.sides[1]],
        outcome: duel.outcome,
        first: duel.first,
        listed: Some(Party::A),
    };
    duels.iter().map(comparison).collect()
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
