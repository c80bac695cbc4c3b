//! What is told of an entity and of an effect, with the reasons for what is not.

use serde::Serialize;

use super::effects::Standing;
use super::resample::Resamples;
use super::solution::{Held, Solution};
use super::{Comparison, Options, Outcome};
use crate::stats::ranking;

/// The Elo of an entity of average strength.
const AVERAGE: f64 = 1000.0;

/// How strong an entity is among those it is joined to by comparisons.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Rating {
    /// Its number.
    pub entity: usize,
    /// The number of the set of entities that comparisons join to it; strengths of different sets are on different scales.
    pub component: usize,
    /// Comparisons with others.
    pub games: usize,
    /// Those it won.
    pub wins: usize,
    /// Those nobody won.
    pub draws: usize,
    /// Those it lost.
    pub losses: usize,
    /// Its strength in logits; 0 is the average of its component.
    pub theta: Option<f64>,
    /// Its strength in Elo; 1000 is the average of its component.
    pub elo: Option<f64>,
    /// The lower end of the 95 % interval, in Elo.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The best rank in its component that the intervals leave open.
    pub rank_best: Option<usize>,
    /// The worst one.
    pub rank_worst: Option<usize>,
    /// How many resamples the interval rests on: those in which it occurs.
    pub replicates: usize,
    /// Why something is missing, or to be doubted.
    pub reason: Option<String>,
}

/// How far the strongest is ahead of the next.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lead {
    /// The strongest: an entity.
    pub above: usize,
    /// The next.
    pub below: usize,
    /// The difference in Elo.
    pub elo: f64,
    /// The lower end of the 95 % interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// The lead among those with enough comparisons: of the first group of entities that has two of them.
pub(super) fn lead(ratings: &[Rating], fewest: usize, resamples: &Resamples) -> Option<Lead> {
    let rated = |component: usize| {
        let own = ratings
            .iter()
            .filter(|r| r.component == component && r.games >= fewest);
        let mut own: Vec<(f64, usize)> = own.filter_map(|r| Some((r.elo?, r.entity))).collect();
        own.sort_by(|a, b| b.0.total_cmp(&a.0));
        own
    };
    let last = ratings.iter().map(|rating| rating.component).max()?;
    let mut groups = (0..=last).map(|component| (component, rated(component)));
    let (component, first_two) = groups.find(|(_, own)| own.len() > 1)?;
    let [(elo, above), (next, below)] = [first_two[0], first_two[1]];
    let ridged = resamples.ridged_in(component);
    let ends = resamples
        .interval(resamples.leads(above, below), ridged)
        .ok();
    let ends = ends.map(|ends| ends.map(|theta| self::elo(theta) - AVERAGE));
    Some(Lead {
        above,
        below,
        elo: elo - next,
        low: ends.map(|[low, _]| low),
        high: ends.map(|[_, high]| high),
    })
}

/// What a place is worth.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Effect {
    /// In logits; above 0 it helps.
    pub value: Option<f64>,
    /// The lower end of the 95 % interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// How often it lets one of two equals win.
    pub probability: Option<f64>,
    /// The lower end of the interval, so expressed.
    pub probability_low: Option<f64>,
    /// The upper end.
    pub probability_high: Option<f64>,
    /// How many resamples the interval rests on: those that can tell it.
    pub replicates: usize,
    /// Why something is missing, or to be doubted.
    pub reason: Option<String>,
}

/// Said of the order where it cannot be told from the side.
const JOINT: &str =
    "who spoke first was always, or never, the one listed first: this is order and side together";
/// Said of the side there.
const CONTAINED: &str =
    "who was listed first always, or never, spoke first: it cannot be told from the order";

/// Strength in Elo.
pub(super) fn elo(theta: f64) -> f64 {
    AVERAGE + 400.0 / std::f64::consts::LN_10 * theta
}

/// What all entities are rated at.
pub(super) fn ratings(
    comparisons: &[Comparison],
    components: &[Vec<usize>],
    best: Option<&Solution>,
    options: &Options,
    resamples: &Resamples,
) -> Vec<Rating> {
    let mut ratings: Vec<Rating> = Vec::new();
    for (number, component) in components.iter().enumerate() {
        let one = |entity: &usize| Rating::of(*entity, number, best, resamples);
        ratings.extend(component.iter().map(one));
    }
    ratings.sort_by_key(|rating| rating.entity);
    comparisons
        .iter()
        .for_each(|comparison| count(&mut ratings, comparison));
    (0..components.len()).for_each(|number| rank(&mut ratings, number, options.fewest));
    if let Some(best) = best {
        ratings.iter_mut().for_each(|rating| rating.doubt(best));
    }
    ratings
}

/// Ranks those of a component that have enough comparisons.
fn rank(ratings: &mut [Rating], component: usize, fewest: usize) {
    let ranked = |r: &&mut Rating| r.component == component && r.games >= fewest;
    let mut ranked: Vec<&mut Rating> = ratings.iter_mut().filter(ranked).collect();
    let intervals: Vec<_> = ranked.iter().map(|r| Some([r.low?, r.high?])).collect();
    for (rating, ranks) in ranked.iter_mut().zip(ranking::ranks(&intervals)) {
        rating.rank_best = ranks.map(|ranks| ranks.best);
        rating.rank_worst = ranks.map(|ranks| ranks.worst);
    }
}

fn count(ratings: &mut [Rating], comparison: &Comparison) {
    if comparison.a == comparison.b {
        return;
    }
    let turned = match comparison.outcome {
        Outcome::Win => Outcome::Loss,
        Outcome::Draw => Outcome::Draw,
        Outcome::Loss => Outcome::Win,
    };
    for (entity, outcome) in [(comparison.a, comparison.outcome), (comparison.b, turned)] {
        let rating = &mut ratings[entity];
        rating.games += 1;
        match outcome {
            Outcome::Win => rating.wins += 1,
            Outcome::Draw => rating.draws += 1,
            Outcome::Loss => rating.losses += 1,
        }
    }
}

impl Rating {
    fn of(entity: usize, component: usize, best: Option<&Solution>, resamples: &Resamples) -> Self {
        let theta = best
            .filter(|best| best.present[entity])
            .map(|best| best.parameters[entity]);
        let strengths = resamples.strengths(entity);
        let replicates = strengths.len();
        let interval = match best {
            None => Err("no strengths could be fitted".to_owned()),
            Some(_) if theta.is_none() => Err("never compared with another".to_owned()),
            Some(_) => resamples.interval(strengths, resamples.ridged_in(component)),
        };
        Self {
            entity,
            component,
            theta,
            elo: theta.map(elo),
            low: interval.as_ref().ok().map(|ends| elo(ends[0])),
            high: interval.as_ref().ok().map(|ends| elo(ends[1])),
            replicates,
            reason: interval.err(),
            ..Self::default()
        }
    }

    /// Says where the strength owes its size to the ridge.
    fn doubt(&mut self, best: &Solution) {
        if self.theta.is_none() || !best.separated[self.component] {
            return;
        }
        let doubt = match (self.wins + self.draws, self.losses + self.draws) {
            (_, 0) => "won every debate: only a prior keeps its strength finite",
            (0, _) => "lost every debate: only a prior keeps its strength finite",
            _ => "a prior keeps some distances in its group finite",
        };
        self.reason = Some(doubt.to_owned());
    }
}

/// What speaking first is worth.
pub(super) fn order(best: Option<&Solution>, resamples: &Resamples) -> Effect {
    let words = Words {
        unknown: "it is not known who spoke first",
        constant: "no two met in both orders: it cannot be told from strength",
    };
    let value = |s: &Solution| (s.effects.order, s.parameters[s.parameters.len() - 2]);
    Effect::of(best, resamples, &words, value)
}

/// What being listed first is worth.
pub(super) fn side(best: Option<&Solution>, resamples: &Resamples) -> Effect {
    let words = Words {
        unknown: "it is not known who was listed first",
        constant: "no two met with sides changed: it cannot be told from strength",
    };
    let value = |s: &Solution| (s.effects.side, s.parameters[s.parameters.len() - 1]);
    Effect::of(best, resamples, &words, value)
}

/// Why an effect is missing or to be doubted.
struct Words {
    unknown: &'static str,
    constant: &'static str,
}

impl Words {
    fn of(&self, standing: Standing) -> Option<&'static str> {
        match standing {
            Standing::Told => None,
            Standing::Joint => Some(JOINT),
            Standing::Contained => Some(CONTAINED),
            Standing::Empty => Some("no comparisons"),
            Standing::NotAsked => Some("not asked for"),
            Standing::Unknown => Some(self.unknown),
            Standing::Constant => Some(self.constant),
        }
    }
}

impl Effect {
    fn of(
        best: Option<&Solution>,
        resamples: &Resamples,
        words: &Words,
        value: impl Fn(&Solution) -> (Standing, f64) + Copy,
    ) -> Self {
        let Some(best) = best else {
            return Self::missing("no strengths could be fitted");
        };
        let (standing, fitted) = value(best);
        if !standing.fitted() {
            return Self::missing(words.of(standing).unwrap_or_default());
        }
        let held = (best.held == Held::Everything).then_some("only a prior keeps it finite");
        let replicates = resamples.effect(value, standing);
        let count = replicates.len();
        let interval = resamples.interval(replicates, resamples.ridged());
        let end = |at: usize| interval.as_ref().ok().map(|ends| ends[at]);
        let doubts = [held, words.of(standing)]
            .into_iter()
            .flatten()
            .map(str::to_owned);
        let reasons: Vec<String> = doubts.chain(interval.as_ref().err().cloned()).collect();
        Self {
            value: Some(fitted),
            low: end(0),
            high: end(1),
            probability: Some(probability(fitted)),
            probability_low: end(0).map(probability),
            probability_high: end(1).map(probability),
            replicates: count,
            reason: (!reasons.is_empty()).then(|| reasons.join("; ")),
        }
    }

    pub(super) fn missing(reason: &str) -> Self {
        Self {
            reason: Some(reason.to_owned()),
            ..Self::default()
        }
    }
}

fn probability(logits: f64) -> f64 {
    1.0 / (1.0 + (-logits).exp())
}
