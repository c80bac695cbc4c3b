//! Effects put in by hand are found, and what was not put in is not.
//!
//! Every topic suits some better than others: strengths move from topic to topic with a deviation of 0.4 logits.

use super::super::{Comparison, Fit, Options, Outcome, Party, fit};
use crate::bootstrap::SplitMix;

/// What is simulated.
struct World {
    /// The true strengths, in logits.
    strengths: Vec<f64>,
    /// What speaking first is worth; `None` where the effect is not fitted.
    order: Option<f64>,
    topics: usize,
    /// How often a pair meets on a topic.
    rounds: usize,
}

impl World {
    fn tournament(&self, seed: u64) -> Fit {
        let mut random = SplitMix(seed.wrapping_mul(0x5851_f42d_4c95_7f2d));
        let mut comparisons = Vec::new();
        for cluster in 0..self.topics {
            let today: Vec<f64> =
                self.strengths.iter().map(|s| s + 0.4 * normal(&mut random)).collect();
            for a in 0..today.len() {
                for b in (0..a).flat_map(|b| std::iter::repeat_n(b, self.rounds)) {
                    let (first, sign) = [(Party::A, 1.0), (Party::B, -1.0)][random.below(2)];
                    let chance = 1.0
                        / (1.0 + (today[b] - today[a] - sign * self.order.unwrap_or(0.0)).exp());
                    let outcome =
                        if uniform(&mut random) < chance { Outcome::Win } else { Outcome::Loss };
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
        let options = Options { side: false, replicates: 200, seed, ..Options::default() };
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

fn excludes(low: Option<f64>, high: Option<f64>, value: f64) -> bool {
    low.unwrap() > value || high.unwrap() < value
}

/// 100 Elo in logits.
const ELO_100: f64 = 0.575_646_273_248_511_4;

/// Of 60 tournaments of 7 models, every pair once on each of 40 topics: 59 put the stronger one surely above the average
/// (asked for: 90%), 6 have it first alone, for which it must be above each of six after Holm's correction for 21 pairs. Of the
/// 360 intervals of its equals 24 miss the true value (2 to 8%), and few call one of them surely above or below another.
#[test]
fn s3_a_model_worth_100_elo_is_found_and_its_equals_are_not_told_apart() {
    let strengths = vec![ELO_100, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let world = World { strengths, order: None, topics: 40, rounds: 1 };
    let fits: Vec<Fit> = (0..60).map(|seed| world.tournament(seed)).collect();
    let above = fits.iter().filter(|fit| fit.ratings[0].low > Some(1000.0)).count();
    let alone = fits.iter().filter(|fit| fit.ratings[0].rank_worst == Some(1)).count();
    let truth = 1000.0 - 100.0 / 7.0;
    let equals = || fits.iter().flat_map(|fit| &fit.ratings[1..]);
    let missed = equals().filter(|r| excludes(r.low, r.high, truth)).count();
    let split = equals().filter(|r| r.rank_best.unwrap() > 2 || r.rank_worst.unwrap() < 7).count();
    assert!(above >= 54, "{above}");
    assert!(alone >= 4, "{alone}");
    assert!((7..=29).contains(&missed), "{missed}");
    assert!(split <= 36, "{split}");
}

/// Two models that meet three times on each of 100 topics. 0.4 logits are found in 53 of 60 tournaments (asked for: 80%), and
/// nothing is called something in 11 of 200 (3 to 7%).
#[test]
fn s3_a_planted_order_effect_is_found_and_none_is_found_where_there_is_none() {
    let found = |tournaments, order| {
        let world =
            World { strengths: vec![0.2, -0.2], order: Some(order), topics: 100, rounds: 3 };
        let effects = (0..tournaments).map(|seed| world.tournament(seed).order);
        effects.filter(|effect| excludes(effect.low, effect.high, 0.0)).count()
    };
    assert!(found(60, 0.4) >= 48);
    assert!((6..=14).contains(&found(200, 0.0)));
}
