//! Ratings and effects as they are reported, with a reason for each number that is missing.

use std::collections::BTreeSet;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::effects::Standing;
use super::graph::{Place, Sets};
use super::newton::probability;
use super::resample::Fits;
use super::{Comparison, Options, Outcome};
use crate::groups::by_key;
use crate::paired::{ALPHA, Spread, holm};
use crate::{bootstrap, ranking};

/// The Elo of an entity of average strength.
const AVERAGE: f64 = 1000.0;
/// Elo in a logit.
pub const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// The strength of an entity within its group.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Rating {
    /// Its number.
    #[serde(skip)]
    pub entity: usize,
    /// Its connected component in the graph of comparisons, from 1.
    pub component: usize,
    /// Its group, from 1: strengths within a group share one scale, because a chain of wins connects any two in both directions. Higher groups come first.
    pub group: usize,
    /// Comparisons with others.
    pub games: usize,
    /// Comparisons it won.
    pub wins: usize,
    /// Draws.
    pub draws: usize,
    /// Comparisons it lost.
    pub losses: usize,
    /// Its strength in logits; 0 is the average of its group.
    #[serde(skip)]
    pub theta: Option<f64>,
    /// Its strength on the Elo scale, with a mean of 1000 in its group; `null` if it won or lost everything.
    pub elo: Option<f64>,
    /// The lower end of its 95% interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The best rank in its component consistent with the intervals and with unbroken wins.
    pub rank_best: Option<usize>,
    /// The worst such rank.
    pub rank_worst: Option<usize>,
    /// The resamples behind the interval: those in which it occurs.
    #[serde(skip)]
    pub replicates: usize,
    /// Why something is missing or doubtful.
    pub reason: Option<String>,
}

/// How far one is ahead of another on the same scale.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Lead {
    /// The number of the stronger one.
    #[serde(skip)]
    pub above: usize,
    /// That of the other.
    #[serde(skip)]
    pub below: usize,
    /// The difference in Elo.
    pub elo: f64,
    /// The lower end of the 95% interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The two-sided p-value of no difference, from the spread of resamples.
    pub p: Option<f64>,
    /// `p`, corrected for all compared pairs (Holm).
    pub p_adjusted: Option<f64>,
    /// Comparisons of the two with each other.
    pub met: usize,
    /// The clusters of these.
    pub met_clusters: usize,
    /// Comparisons within their group, the basis of the result.
    pub comparisons: usize,
    /// The clusters of these.
    pub comparison_clusters: usize,
    /// Clusters in which each met others of their group; the smaller number of the two.
    pub clusters: usize,
    /// The standard error of the difference, in Elo, from the spread of resamples.
    pub se: Option<f64>,
    /// The degrees of freedom that it has.
    #[serde(skip)]
    pub df: f64,
    /// The smallest difference in Elo that so many clusters show with 80% power, at the level that Holm's method demands of the
    /// smallest p.
    pub detectable: Option<f64>,
    /// The number of clusters like these that would show a difference chosen beforehand ([`Options::planned`]) as well.
    pub clusters_needed: Option<usize>,
    /// Why there is no interval.
    pub reason: Option<String>,
}

impl Lead {
    /// How exactly it is measured.
    pub fn spread(&self) -> Option<Spread> {
        Some(Spread { clusters: self.clusters, se: self.se?, df: self.df })
    }

    /// Whether it is more than chance explains at a level of false alarms, however many pairs are compared.
    pub fn is_sure(&self, level: f64) -> bool {
        let p = self.p_adjusted.is_some_and(|p| p < level);
        p && self.low.is_some_and(|low| low > 0.0)
    }
}

/// How far those with enough comparisons are ahead of each other within each group of entities: the first group before the second,
/// the strongest of each first. `within` are the comparisons within groups.
pub(super) fn leads(
    ratings: &[Rating],
    within: &[Comparison],
    options: &Options,
    fits: &Fits,
) -> Vec<Lead> {
    let elo = |rating: &Rating| rating.elo.unwrap_or(0.0);
    let mut ranked: Vec<&Rating> =
        ratings.iter().filter(|r| r.games >= options.fewest).filter(|r| r.elo.is_some()).collect();
    ranked.sort_by(|a, b| (a.group.cmp(&b.group)).then(elo(b).total_cmp(&elo(a))));
    let groups = ranked.chunk_by(|a, b| a.group == b.group);
    let pairs: Vec<[&Rating; 2]> = groups
        .flat_map(|own| {
            own.iter().enumerate().flat_map(|(n, a)| own[n + 1..].iter().map(move |b| [*a, *b]))
        })
        .collect();
    // The clusters of comparisons: of those that each group has among its own, and of those of each two with each other.
    let others = || within.iter().filter(|c| c.a != c.b);
    let by_group = by_key(others().map(|c| (ratings[c.a].group, c.cluster)));
    let by_pair = by_key(others().map(|c| ([c.a.min(c.b), c.a.max(c.b)], c.cluster)));
    let counted = |clusters: Option<&Vec<usize>>| {
        clusters.map_or((0, 0), |it| (it.len(), it.iter().collect::<BTreeSet<_>>().len()))
    };
    let mut leads: Vec<Lead> = pairs
        .into_par_iter()
        .map(|pair| {
            let [a, b] = pair.map(|rating| rating.entity);
            let (met, met_clusters) = counted(by_pair.get(&[a.min(b), a.max(b)]));
            let (comparisons, comparison_clusters) = counted(by_group.get(&pair[0].group));
            Lead { met, met_clusters, comparisons, comparison_clusters, ..lead(pair, fits) }
        })
        .collect();
    let p: Vec<Option<f64>> = leads.iter().map(|lead| lead.p).collect();
    let level = ALPHA / p.iter().flatten().count().max(1) as f64;
    for (lead, p) in leads.iter_mut().zip(holm(&p)) {
        lead.p_adjusted = p;
        let spread = lead.spread();
        lead.detectable = spread.and_then(|it| it.detectable(level));
        lead.clusters_needed = spread.and_then(|it| it.clusters_needed(options.planned, level));
    }
    leads
}

/// How far one is ahead, before correction for the others.
fn lead([above, below]: [&Rating; 2], fits: &Fits) -> Lead {
    let drawn = fits.lead(above.entity, below.entity, above.group - 1);
    let clusters = drawn.clusters;
    let theta = above.theta.unwrap_or(0.0) - below.theta.unwrap_or(0.0);
    let p = bootstrap::p_of_zero(theta, &drawn.values, clusters, drawn.sizes);
    let se = bootstrap::standard_error(&drawn.values, clusters, drawn.sizes);
    let df = bootstrap::degrees(clusters, drawn.sizes);
    let interval = drawn.interval();
    let ends = interval.as_ref().ok();
    let ends = ends.map(|ends| ends.map(|theta| self::elo(theta) - AVERAGE));
    Lead {
        above: above.entity,
        below: below.entity,
        elo: self::elo(theta) - AVERAGE,
        low: ends.map(|[low, _]| low),
        high: ends.map(|[_, high]| high),
        p: p.filter(|_| interval.is_ok()),
        clusters,
        se: se.filter(|_| interval.is_ok()).map(|se| se * ELO),
        df,
        reason: interval.err(),
        ..Lead::default()
    }
}

/// The effect of a place, in log-odds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Effect {
    /// The added log-odds.
    pub value: Option<f64>,
    /// The lower end of the 95% interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The resulting expected score between equals: the chance of a win and half that of a draw.
    pub expected_score: Option<f64>,
    /// The two-sided p-value of no effect, from the spread of resamples.
    pub p: Option<f64>,
    /// The resamples behind the interval: those that can tell the effect.
    #[serde(skip)]
    pub replicates: usize,
    /// Why something is missing or doubtful.
    pub reason: Option<String>,
}

/// Said of the order if it cannot be told from the side.
const JOINT: &str =
    "whoever spoke first was always, or never, listed first: this is the combined effect of both";
/// Said of the side there.
const CONTAINED: &str =
    "whoever is listed first always, or never, speaks first: the two effects cannot be separated";

/// Said of each where nobody knows who had the place.
const UNKNOWN: [&str; 2] =
    ["it is not known who spoke first", "it is not known who was listed first"];
/// Said of each where two that meet always have the same places.
const CONSTANT: [&str; 2] = [
    "no two met in both orders: it cannot be separated from strength",
    "no two met with sides changed: it cannot be separated from strength",
];

/// Strength in Elo.
pub fn elo(theta: f64) -> f64 {
    AVERAGE + ELO * theta
}

/// What a contestant may expect against another that is so many Elo below it: the chance of a win and half that of a draw.
pub fn expected_score(elo: f64) -> f64 {
    probability(elo / ELO)
}

/// What all entities are rated at.
pub(super) fn rated(comparisons: &[Comparison], sets: &Sets, fits: &Fits) -> Vec<Rating> {
    let places = sets.places.iter().enumerate();
    let mut ratings: Vec<Rating> =
        places.map(|(entity, place)| Rating::new(entity, place, fits)).collect();
    comparisons.iter().for_each(|comparison| count(&mut ratings, comparison));
    if fits.best.is_some() {
        ratings.iter_mut().for_each(Rating::explain);
    }
    ratings
}

/// Ranks those that have enough comparisons, each component apart; `above` says who is surely above whom.
pub(super) fn rank(
    ratings: &mut [Rating],
    fewest: usize,
    above: impl Fn(usize, usize) -> bool + Copy,
) {
    let components: BTreeSet<usize> = ratings.iter().map(|rating| rating.component).collect();
    for component in components {
        let ranked = |r: &&mut Rating| r.component == component && r.games >= fewest;
        let mut ranked: Vec<&mut Rating> = ratings.iter_mut().filter(ranked).collect();
        let known: Vec<bool> = ranked.iter().map(|rating| rating.low.is_some()).collect();
        let ranks = ranking::ranks(&known, |a, b| above(ranked[a].entity, ranked[b].entity));
        for (rating, ranks) in ranked.iter_mut().zip(ranks) {
            rating.rank_best = ranks.map(|ranks| ranks.best);
            rating.rank_worst = ranks.map(|ranks| ranks.worst);
        }
    }
}

fn count(ratings: &mut [Rating], comparison: &Comparison) {
    if comparison.a == comparison.b {
        return;
    }
    let (a, b) = (comparison.a, comparison.b);
    ratings[a].games += 1;
    ratings[b].games += 1;
    let mut decided = |winner: usize, loser: usize| {
        ratings[winner].wins += 1;
        ratings[loser].losses += 1;
    };
    match comparison.outcome {
        Outcome::Win => decided(a, b),
        Outcome::Loss => decided(b, a),
        Outcome::Draw => {
            ratings[a].draws += 1;
            ratings[b].draws += 1;
        }
    }
}

impl Rating {
    fn new(entity: usize, place: &Place, fits: &Fits) -> Self {
        let best = fits.best.as_ref();
        let theta = best.filter(|best| best.present[entity]).map(|best| best.parameters[entity]);
        let strength = fits.strength(entity, place.group);
        let replicates = strength.values.len();
        let interval = match best {
            None => Err("no strengths could be fitted".to_owned()),
            Some(_) if theta.is_none() => Err("never compared with another".to_owned()),
            Some(_) => strength.interval(),
        };
        Self {
            entity,
            component: place.component + 1,
            group: place.group + 1,
            theta,
            elo: theta.map(elo),
            low: interval.as_ref().ok().map(|ends| elo(ends[0])),
            high: interval.as_ref().ok().map(|ends| elo(ends[1])),
            replicates,
            reason: interval.err(),
            ..Self::default()
        }
    }

    /// Says why there is no strength where wins and losses know no exception.
    fn explain(&mut self) {
        if self.games == 0 || self.theta.is_some() {
            return;
        }
        let reason = match (self.wins + self.draws, self.losses + self.draws) {
            (_, 0) => "won every debate: how far above the others it is cannot be estimated",
            (0, _) => "lost every debate: how far below the others it is cannot be estimated",
            _ => {
                "won every debate with some and lost every one with the others: how far from them it is cannot be estimated"
            }
        };
        self.reason = Some(reason.to_owned());
    }
}

/// What speaking first is worth, and what being listed first is.
pub(super) fn effects(fits: &Fits) -> [Effect; 2] {
    [0, 1].map(|place| Effect::new(place, fits))
}

/// Why an effect is missing or to be doubted.
fn doubt(standing: Standing, place: usize) -> Option<&'static str> {
    match standing {
        Standing::Told => None,
        Standing::Joint => Some(JOINT),
        Standing::Contained => Some(CONTAINED),
        Standing::Empty => Some("no comparisons"),
        Standing::NotAsked => Some("not asked for"),
        Standing::Unknown => Some(UNKNOWN[place]),
        Standing::Constant => Some(CONSTANT[place]),
    }
}

impl Effect {
    fn new(place: usize, fits: &Fits) -> Self {
        let Some(best) = &fits.best else { return Self::missing("no strengths could be fitted") };
        let (standing, fitted) = (best.effects[place], best.worth()[place]);
        if !standing.fitted() {
            return Self::missing(doubt(standing, place).unwrap_or_default());
        }
        let drawn = fits.effect(place, standing);
        let replicates = drawn.values.len();
        let p = bootstrap::p_of_zero(fitted, &drawn.values, drawn.clusters, drawn.sizes);
        let interval = drawn.interval();
        let end = |at: usize| interval.as_ref().ok().map(|ends| ends[at]);
        let doubt = doubt(standing, place).map(str::to_owned).into_iter();
        let reasons: Vec<String> = doubt.chain(interval.as_ref().err().cloned()).collect();
        Self {
            value: Some(fitted),
            low: end(0),
            high: end(1),
            expected_score: Some(probability(fitted)),
            p: p.filter(|_| interval.is_ok()),
            replicates,
            reason: (!reasons.is_empty()).then(|| reasons.join("; ")),
        }
    }

    pub(super) fn missing(reason: &str) -> Self {
        Self { reason: Some(reason.to_owned()), ..Self::default() }
    }
}
