//! How often intervals hold the truth where topics matter: Bradley and Terry's model is exactly right for a debate taken
//! alone, but a topic suits some models better, so that outcomes of one topic resemble each other.

use super::super::{Comparison, Fit, Lead, Options, Outcome, Party, Rating, fit, rating};
use crate::quantile::normal_quantile;
use crate::tests::Random;

const STRENGTHS: [f64; 5] = [0.6, 0.3, 0.0, -0.3, -0.6];
const ORDER: f64 = 0.3;
/// What two debates of the same two on one topic correlate by behind their outcomes: `sin(0.3 * pi / 2)`, so that the outcomes
/// of two equals correlate by 0.3.
const LATENT: f64 = 0.453_990_499_739_546_8;

/// Each two meet once in both orders on each topic.
fn tournament(seed: u64, topics: usize) -> Vec<Comparison> {
    let mut random = Random::new(seed << 32);
    let mut comparisons = Vec::new();
    for cluster in 0..topics {
        let suited = STRENGTHS.map(|_| random.normal());
        for (a, b) in (0..STRENGTHS.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
            for (first, sign) in [(Party::A, 1.0), (Party::B, -1.0)] {
                let odds = STRENGTHS[a] - STRENGTHS[b] + sign * ORDER;
                let shared = (suited[a] - suited[b]) * (LATENT / 2.0).sqrt();
                let luck = shared + random.normal() * (1.0 - LATENT).sqrt();
                let won = normal_quantile(1.0 / (1.0 + (-odds).exp())) > Some(luck);
                comparisons.push(Comparison {
                    cluster,
                    a,
                    b,
                    outcome: if won { Outcome::Win } else { Outcome::Loss },
                    first: Some(first),
                    listed: None,
                });
            }
        }
    }
    comparisons
}

/// Shares of what holds the truth.
#[derive(Debug)]
struct Held {
    /// Of intervals of strengths.
    strengths: f64,
    /// Of ranks, from the best to the worst that is left open.
    ranks: f64,
    /// Of intervals of the lead of the one that was found first over the one that was found second.
    leads: f64,
    /// Of intervals of the order effect.
    orders: f64,
}

fn coverage(topics: usize, tournaments: u64, replicates: u64) -> Held {
    let options = |seed| Options { side: false, replicates, seed, ..Options::default() };
    let fitted = |seed| fit(STRENGTHS.len(), &tournament(seed, topics), &options(seed));
    let fits: Vec<Fit> = (0..tournaments).map(fitted).collect();
    let ratings = || fits.iter().flat_map(|fit| fit.ratings.iter().zip(1..));
    let strength = |rating: &Rating| rating::elo(STRENGTHS[rating.entity]);
    let lead = |lead: &Lead| {
        let ahead = STRENGTHS[lead.above] - STRENGTHS[lead.below];
        holds(lead.low, lead.high, rating::elo(ahead) - rating::elo(0.0))
    };
    Held {
        strengths: share(ratings().map(|(own, _)| holds(own.low, own.high, strength(own)))),
        ranks: share(ratings().map(|(own, rank)| holds(own.rank_best, own.rank_worst, rank))),
        leads: share(fits.iter().filter_map(|fit| fit.lead()).map(lead)),
        orders: share(fits.iter().map(|fit| holds(fit.order.low, fit.order.high, ORDER))),
    }
}

fn holds<T: PartialOrd>(low: Option<T>, high: Option<T>, truth: T) -> bool {
    low.is_some_and(|low| low <= truth) && high.is_some_and(|high| high >= truth)
}

fn share(held: impl Iterator<Item = bool>) -> f64 {
    let all: Vec<bool> = held.collect();
    all.iter().filter(|held| **held).count() as f64 / all.len() as f64
}

/// 100 tournaments with fewer resamples than a board has: a quick look whether the long one below still stands.
#[test]
fn s3_intervals_of_strengths_hold_the_truth_in_about_95_percent() {
    let held = coverage(40, 100, 200);
    assert!((0.92..=0.98).contains(&held.strengths), "{held:?}");
    assert!((0.90..=0.99).contains(&held.orders), "{held:?}");
    assert!(held.ranks > 0.95, "{held:?}");
}

/// As many as tell 95% from 93% and 97%, with as many resamples as a board has. docs/src/reference/methods.md has these figures; another
/// machine's logarithms may change a few of the 2,000.
#[test]
#[ignore = "takes minutes"]
fn s3_intervals_of_strengths_hold_the_truth_in_95_percent() {
    for (topics, strengths, orders) in [(40, 0.9463, 0.9455), (10, 0.9371, 0.9385)] {
        let held = coverage(topics, 2_000, 1_000);
        assert!((held.strengths - strengths).abs() < 0.002, "{held:?}");
        assert!((held.orders - orders).abs() < 0.002, "{held:?}");
        assert!(held.leads > 0.93 && held.ranks > 0.99, "{held:?}");
    }
}
