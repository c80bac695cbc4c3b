//! Effects put in by hand are found, and what was not put in is not.
//!
//! Every topic suits some better than others: strengths move from topic to topic with a deviation of 0.4 logits.

use super::super::{Comparison, Fit, Options, Outcome, Party, fit};
use crate::stats::bootstrap::SplitMix;

/// What is simulated.
struct World {
    /// The true strengths, in logits.
    strengths: Vec<f64>,
    /// What speaking first is worth.
    order: f64,
    topics: usize,
    /// How often a pair meets on a topic.
    rounds: usize,
}

impl World {
    fn tournament(&self, seed: u64) -> Fit {
        let mut random = SplitMix(seed.wrapping_mul(0x5851_f42d_4c95_7f2d));
        let mut comparisons = Vec::new();
        for cluster in 0..self.topics {
            let today: Vec<f64> = self
                .strengths
                .iter()
                .map(|s| s + 0.4 * normal(&mut random))
                .collect();
            for a in 0..today.len() {
                for b in (0..a).flat_map(|b| std::iter::repeat_n(b, self.rounds)) {
                    let (first, sign) = [(Party::A, 1.0), (Party::B, -1.0)][random.below(2)];
                    let chance = 1.0 / (1.0 + (today[b] - today[a] - sign * self.order).exp());
                    let outcome = if uniform(&mut random) < chance {
                        Outcome::Win
                    } else {
                        Outcome::Loss
                    };
                    comparisons.push(Comparison {
                        cluster,
                        a,
                        b,
                        outcome,
                        first: Some(first),
                        listed: None,
                    });
                }
            }
        }
        let options = Options {
            side: false,
            replicates: 200,
            seed,
            ..Options::default()
        };
        fit(self.strengths.len(), &comparisons, &options)
    }
}

fn uniform(random: &mut SplitMix) -> f64 {
    random.bits() as f64 / u64::MAX as f64
}

/// Near enough: twelve uniform ones have the variance 1.
fn normal(random: &mut SplitMix) -> f64 {
    (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0
}

fn share(tournaments: u64, holds: impl Fn(u64) -> bool) -> f64 {
    (0..tournaments).filter(|seed| holds(*seed)).count() as f64 / tournaments as f64
}

fn excludes(low: Option<f64>, high: Option<f64>, value: f64) -> bool {
    low.unwrap() > value || high.unwrap() < value
}

const ELO_100: f64 = 0.575_646_273_248_511_4;

#[test]
fn s3_a_model_worth_100_elo_is_found_among_six_equals() {
    let strengths = vec![ELO_100, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let world = World {
        strengths,
        order: 0.0,
        topics: 40,
        rounds: 1,
    };
    let above = share(60, |seed| {
        world.tournament(seed).ratings[0].low.unwrap() > 1000.0
    });
    let first = share(60, |seed| {
        let fit = world.tournament(seed);
        (fit.ratings[0].rank_best, fit.ratings[0].rank_worst) == (Some(1), Some(1))
    });
    eprintln!("above {above} first {first}");
}

#[test]
fn s3_equals_are_not_called_different() {
    let world = World {
        strengths: vec![0.0; 6],
        order: 0.0,
        topics: 40,
        rounds: 1,
    };
    let wrong: f64 = (0..60)
        .flat_map(|seed| world.tournament(seed).ratings)
        .map(|r| f64::from(u8::from(excludes(r.low, r.high, 1000.0))))
        .sum();
    eprintln!("wrong {}", wrong / 360.0);
}

#[test]
fn s3_a_planted_order_effect_is_found() {
    let world = |order| World {
        strengths: vec![0.3, 0.0, -0.3],
        order,
        topics: 40,
        rounds: 2,
    };
    let found = |order| {
        share(200, |seed| {
            let effect = world(order).tournament(seed).order;
            excludes(effect.low, effect.high, 0.0)
        })
    };
    eprintln!("order .4 {} 0 {}", found(0.4), found(0.0));
}
