//! Resamples of clusters, and percentile intervals over what they give.
//!
//! The generator is splitmix64 (Steele, Lea and Flood 2014): ten lines whose values no update of a crate can change, so that
//! a seed gives the same intervals forever. Every replicate has its own stream: replicates may run in any order.

use super::estimate::Sizes;
use super::quantile::{normal_two_sided, percentile, student_quantile, student_two_sided};

/// Fewer replicates than this say nothing about the outer 2.5%.
const FEWEST: usize = 40;
/// With fewer clusters, intervals of percentiles hold the truth too seldom.
pub const FEWEST_CLUSTERS: usize = 10;
/// Replicates that differ by less do so from rounding.
pub(crate) const SAME: f64 = 1e-9;

/// Why there is no interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoInterval {
    /// Too few replicates.
    #[error("no interval: {0} resamples say something about it, {FEWEST} are needed")]
    TooFew(usize),
    /// Too few clusters.
    #[error("no interval: resampling needs {FEWEST_CLUSTERS} topics, and {0} count here")]
    TooFewClusters(usize),
    /// All replicates are equal.
    #[error("no interval: all resamples agree, nothing varies between topics")]
    NoVariation,
}

/// How often each cluster is drawn in a resample of the same size, with replacement.
pub fn weights(clusters: usize, replicate: u64, seed: u64) -> Vec<u32> {
    let mut random = SplitMix(mix(mix(seed).wrapping_add(replicate)));
    let mut weights = vec![0; clusters];
    for _ in 0..clusters {
        weights[random.below(clusters)] += 1;
    }
    weights
}

/// A stream of random numbers, by its state.
pub(super) struct SplitMix(pub(super) u64);

impl SplitMix {
    /// 64 random bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number from 0 to `end` - 1; by how much one is likelier than another stays below `end` / 2^64.
    pub(super) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }
}

/// The output function of splitmix64, which spreads every bit over all others.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The two-sided p of a value being 0, from the spread of replicates that resample `clusters` clusters of some sizes.
pub fn p_of_zero(value: f64, replicates: &[f64], clusters: usize, sizes: Sizes) -> Option<f64> {
    let error = standard_error(replicates, clusters, sizes)?;
    let df = degrees(clusters, sizes);
    (df > 0.0).then(|| student_two_sided(value / error, df))
}

/// The degrees of freedom of a test over `clusters` clusters of some sizes.
pub fn degrees(clusters: usize, sizes: Sizes) -> f64 {
    sizes.df.min(clusters as f64 - 1.0)
}

/// The standard error of a value, from the spread of replicates that resample `clusters` clusters of some sizes; `None` if there are too
/// few of either, or nothing varies.
pub fn standard_error(replicates: &[f64], clusters: usize, sizes: Sizes) -> Option<f64> {
    let (n, count) = (replicates.len() as f64, clusters as f64);
    let mean = replicates.iter().sum::<f64>() / n;
    let squares: f64 = replicates.iter().map(|x| (x - mean).powi(2)).sum();
    let error = (squares / (n - 1.0) * count / (count - 1.0) * sizes.larger).sqrt();
    let sound = replicates.len() >= FEWEST && clusters >= FEWEST_CLUSTERS && error > SAME;
    sound.then_some(error)
}

/// The 95% interval of replicates that resample `clusters` clusters: percentiles, taken so much further out that with few
/// clusters the interval is as wide as one of Student's (the expanded percentile interval of Hesterberg 2015, section 3.3).
pub fn interval(replicates: Vec<f64>, clusters: usize) -> Result<[f64; 2], NoInterval> {
    if clusters < FEWEST_CLUSTERS {
        return Err(NoInterval::TooFewClusters(clusters));
    }
    let count = clusters as f64;
    let outer = student_quantile(0.975, count - 1.0).map(|t| t * (count / (count - 1.0)).sqrt());
    let tail = outer.map_or(0.0, |outer| normal_two_sided(outer) / 2.0);
    between(replicates, tail)
}

/// From the percentile `tail` of replicates to the one as far from the other end, by numpy's default rule.
pub(super) fn between(mut replicates: Vec<f64>, tail: f64) -> Result<[f64; 2], NoInterval> {
    if replicates.len() < FEWEST {
        return Err(NoInterval::TooFew(replicates.len()));
    }
    replicates.sort_by(f64::total_cmp);
    let (first, last) = (replicates[0], replicates[replicates.len() - 1]);
    if last - first < SAME {
        return Err(NoInterval::NoVariation);
    }
    let end = |share, outmost| percentile(&replicates, share).unwrap_or(outmost);
    Ok([end(tail, first), end(1.0 - tail, last)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s3_the_generator_is_splitmix64_to_the_bit() {
        let mut random = SplitMix(1_234_567);
        let drawn = [(); 3].map(|()| random.bits());
        assert_eq!(
            drawn,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn s3_a_resample_draws_as_many_clusters_as_there_are_and_each_equally_often() {
        let mut sums = [0_u32; 7];
        for replicate in 0..10_000 {
            let drawn = weights(7, replicate, 1);
            assert_eq!(drawn.iter().sum::<u32>(), 7);
            sums.iter_mut().zip(drawn).for_each(|(sum, n)| *sum += n);
        }
        let far = sums.iter().filter(|sum| sum.abs_diff(10_000) > 400);
        assert_eq!(far.count(), 0, "{sums:?}");
        assert_eq!(weights(0, 0, 1), Vec::<u32>::new());
    }

    #[test]
    fn s3_resamples_differ_by_replicate_and_seed_and_are_repeatable() {
        assert_eq!(weights(50, 3, 9), weights(50, 3, 9));
        assert_ne!(weights(50, 3, 9), weights(50, 4, 9));
        assert_ne!(weights(50, 3, 9), weights(50, 3, 10));
        assert_ne!(weights(50, 3, 9), weights(50, 4, 8));
    }

    #[test]
    fn s3_intervals_take_numpys_quantiles_and_none_stands_without_variation() {
        let values = (0..=100).rev().map(f64::from).collect();
        assert_eq!(between(values, 0.025), Ok([2.5, 97.5]));
        assert_eq!(interval(vec![1.0; 39], 40), Err(NoInterval::TooFew(39)));
        assert_eq!(interval(vec![1.0; 40], 40), Err(NoInterval::NoVariation));
    }

    #[test]
    fn s3_the_fewer_clusters_the_further_out_an_interval_ends() {
        let values = || (0..=1000).map(f64::from).collect::<Vec<_>>();
        let width = |clusters| interval(values(), clusters).map(|[low, high]| high - low).unwrap();
        assert!(width(10) > width(40) && width(40) > width(100_000));
        // scipy: 1000 * (1 - 2 * norm.sf(t.ppf(.975, 39) * sqrt(40 / 39)))
        assert!((width(40) - 959.484_927).abs() < 1e-5, "{:?}", width(40));
        assert_eq!(interval(values(), 9), Err(NoInterval::TooFewClusters(9)));
    }
}
