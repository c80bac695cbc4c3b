//! Leaderboards: points, and strengths from debates with a winner (rows S3, O2, O3).

use std::collections::{BTreeMap, BTreeSet};

use super::claim::VERDICT;
use super::compare;
use super::counted_debates::{Sample, View};
use super::findings::{
    Comparisons, Distance, Leaderboards, Match, PointsBoard, PointsRow, StrengthBoard, StrengthRow,
    Support,
};
use super::judging::turned;
use super::key::Key;
use super::pairwise::{FEW, PairwiseDebate, PairwiseDebates};
use super::places;
use super::planned::Planned;
use super::strength_variants::StrengthVariants;
use super::swapped::swapped;
use super::wins;
use crate::facts::Person;
use statistics::bradley_terry::{Fit, Lead, Outcome, Rating};
use statistics::estimate::{Estimate, Observation};
use statistics::groups::by_key;

/// All leaderboards for which there are debates. Strengths of models must not say what their scores, in `compared`, do not bear out.
pub(super) fn leaderboards(view: &View<'_>, compared: &[Comparisons], seed: u64) -> Leaderboards {
    Leaderboards {
        points: [false, true].into_iter().filter_map(|x| points(view, x)).collect(),
        strengths: strengths(view, compared, seed).into_iter().collect(),
    }
}

fn points(view: &View<'_>, x: bool) -> Option<PointsBoard> {
    let mut all: BTreeMap<&str, Sample<Observation>> = BTreeMap::new();
    // Debaters have means of ballots; X counts knockouts.
    let (mut least, mut most) = (0.0, f64::INFINITY);
    let knockouts = view.all().filter(|(_, f)| f.profile().rotates && f.comparable());
    for (debate, facts) in knockouts {
        if let Some((low, high)) = facts.profile().ballot_scale.filter(|_| !x) {
            (least, most) = (low.into(), high.into());
        }
        let side = |(place, _): &(u8, &Person)| facts.is_of_team(*place) != x;
        for (_, person) in facts.contestants().filter(side) {
            // Nobody who never debated has points.
            let Some(points) = person.points.filter(|_| person.statements > 0) else { continue };
            let behind = all.entry(Key::Model.of_person(person)?).or_default();
            behind.add(debate, view.observation(debate, points));
        }
    }
    let row = |(name, behind): (&str, Sample<Observation>)| PointsRow {
        name: name.to_owned(),
        total: behind.sample.iter().map(|o| o.value).sum(),
        mean: Estimate::mean(&behind.sample).within(least, most),
        debates: behind.numbers(),
    };
    let mut rows: Vec<PointsRow> = all.into_iter().map(row).collect();
    let mean = |row: &PointsRow| row.mean.value.unwrap_or(0.0);
    rows.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
    (!rows.is_empty())
        .then(|| PointsBoard { side: if x { "x" } else { "debaters" }.to_owned(), rows })
}

fn strengths(view: &View<'_>, compared: &[Comparisons], seed: u64) -> Option<StrengthBoard> {
    let duels = PairwiseDebates::new(view)?;
    let mut fit = duels.fitted(seed);
    let names = |lead: &Lead| [lead.above, lead.below].map(|entity| duels.names[entity]);
    let support = |lead: &Lead| {
        let [above, below] = names(lead);
        compare::support(compared, above, below)
    };
    let is_clear = |lead: &Lead| lead.is_sure(VERDICT) && support(lead) == Support::Full;
    fit.rank(FEW, is_clear);
    let distance = |lead: &Lead| Distance::new(lead, names(lead), is_clear(lead), support(lead));
    let distances = fit.leads.iter().map(distance).collect();
    Some(board(duels, fit, distances))
}

fn board(of: PairwiseDebates<'_, '_>, fit: Fit, distances: Vec<Distance>) -> StrengthBoard {
    let mut order = shown_order(&fit.ratings);
    // Who met only itself was compared with nobody.
    order.retain(|rating| rating.games > 0);
    let shown: Vec<&str> = order.iter().map(|rating| of.names[rating.entity]).collect();
    let variants = StrengthVariants::new(&of, &fit);
    let met = || of.duels.iter().filter(|it| !it.is_against_itself());
    let draws = || met().filter(|it| it.outcome == Outcome::Draw);
    let topics: BTreeSet<usize> = met().map(|it| it.cluster).collect();
    let group = |entity: usize| fit.ratings[entity].group;
    StrengthBoard {
        fitted: of.comparisons(&of.duels).filter(|it| group(it.a) == group(it.b)).count(),
        comparisons: met().count(),
        against_itself: of.duels.len() - met().count(),
        draws: draws().count(),
        draws_turned: draws().filter(|it| turned(of.view.debates[it.debate])).count(),
        clusters: topics.len(),
        rows: order.iter().map(|rating| strength_row(&of, rating, &variants)).collect(),
        matches: matches(&shown, &of.duels),
        swapped: swapped(&of.duels),
        distances,
        planned: Planned::elo().difference(),
        lead_equal_length: fit.lead().and_then(|lead| variants.lead_equal_length(lead)),
        length: variants.length(),
        first_speakers: places::of_first_speakers(&of),
        positions: places::wins(&of),
        wins: wins::wins(&of),
        left_out: of.left_out,
        confounded: of.confounded,
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

fn strength_row(
    of: &PairwiseDebates<'_, '_>,
    rating: &Rating,
    variants: &StrengthVariants<'_, '_>,
) -> StrengthRow {
    let name = of.names[rating.entity];
    let met = of.duels.iter().filter(|duel| duel.sides.contains(&name));
    let others = met.filter(|duel| !duel.is_against_itself());
    let topics: BTreeSet<usize> = others.clone().map(|duel| duel.cluster).collect();
    let tokens = others.clone().map(|duel| {
        let seat = duel.seats[usize::from(duel.sides[0] != name)];
        (duel.debate, seat.tokens() as f64)
    });
    StrengthRow {
        name: name.to_owned(),
        rating: rating.clone(),
        clusters: topics.len(),
        available: variants.available(rating),
        tokens: of.view.mean(tokens),
        elo_equal_length: variants.elo_equal_length(rating),
        small: rating.games < FEW,
        debates: others.map(|duel| duel.debate + 1).collect(),
    }
}

/// Results between each two, in the order in which they are shown. Of one that met itself there is nothing to say.
fn matches(shown: &[&str], duels: &[PairwiseDebate<'_>]) -> Vec<Vec<Match>> {
    let others = duels.iter().filter(|duel| !duel.is_against_itself());
    let met = by_key(others.flat_map(|duel| {
        let ([a, b], score) = (duel.sides, duel.outcome.score());
        [([a, b], (duel, score)), ([b, a], (duel, 1.0 - score))]
    }));
    let cell =
        |a: &&str, b: &&str| met.get(&[*a, *b]).map_or_else(Match::default, |met| result(met));
    let row = |a: &&str| shown.iter().map(|b| cell(a, b)).collect();
    shown.iter().map(row).collect()
}

/// What one got from another, by duel.
fn result(met: &[(&PairwiseDebate<'_>, f64)]) -> Match {
    let observation = |(duel, value): &(&PairwiseDebate<'_>, f64)| Observation {
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
