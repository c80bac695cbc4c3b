//! Paired differences, clustered, and corrections for many of them.

use schemars::JsonSchema;
use serde::Serialize;

use super::estimate::{Estimate, Observation, ROUNDING, Summary, degrees};
use super::quantile::student_quantile;

/// The chance of a false alarm that the smallest detectable difference supposes.
pub const ALPHA: f64 = 0.05;
/// The chance of finding it.
pub const POWER: f64 = 0.8;

/// What two sides achieved under the same conditions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The cluster's number.
    pub cluster: usize,
    /// The value of the first side.
    pub a: f64,
    /// The value of the second side.
    pub b: f64,
}

/// The mean difference a − b of pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Default, JsonSchema)]
pub struct Difference {
    /// The mean of the differences, clustered.
    #[serde(rename = "difference")]
    pub estimate: Estimate,
    /// The standard error behind its interval and `p`: that of `difference`, enlarged where clusters have unequal numbers of pairs.
    pub test_se: Option<f64>,
    /// The degrees of freedom of that standard error.
    pub df: Option<f64>,
    /// The two-sided p-value of no difference.
    pub p: Option<f64>,
    /// `p`, corrected for all comparisons of the family (Holm).
    pub p_adjusted: Option<f64>,
    /// The smallest difference that this many pairs can detect with 80% power, at a family-wise error rate of 5%; `null` if it is beyond
    /// the scale.
    pub detectable: Option<f64>,
    /// The design effect of clustering.
    pub deff: Option<f64>,
}

impl Difference {
    /// Ends it where no difference is further from 0 than this: its interval, and what can be detected.
    pub fn end_at(&mut self, widest: f64) {
        self.estimate = std::mem::take(&mut self.estimate).within(-widest, widest);
        self.detectable = self.detectable.filter(|least| *least <= widest);
    }
}

impl Pair {
    /// The difference; 0 where only rounding tells the two apart.
    fn difference(&self) -> Observation {
        let raw = self.a - self.b;
        let rounding = raw.abs() <= ROUNDING * self.a.abs().max(self.b.abs());
        Observation { cluster: self.cluster, value: if rounding { 0.0 } else { raw } }
    }
}

/// The difference between the two sides of pairs. Its p and its interval are those of a t test that regards the clusters' sizes; with
/// equal ones it has C − 1 degrees of freedom.
pub fn difference(pairs: &[Pair]) -> Difference {
    let observations: Vec<Observation> = pairs.iter().map(Pair::difference).collect();
    let estimate = Estimate::mean(&observations).tested();
    let test_se = estimate.larger_se();
    Difference {
        test_se,
        df: test_se.map(|_| estimate.sizes.df),
        p: estimate.p_of(0.0),
        p_adjusted: None,
        detectable: detectable(&estimate, ALPHA),
        deff: estimate.se.and_then(|_| Summary::new(&observations).deff()),
        estimate,
    }
}

/// The p of a family of comparisons, corrected by Holm's method: any false alarm is as rare as the level. Those without a p
/// are no part of the family.
pub fn holm(family: &[Option<f64>]) -> Vec<Option<f64>> {
    let tested = tested(family);
    let count = tested.len();
    let mut corrected = vec![None; family.len()];
    let mut least = 0.0_f64;
    for (rank, (p, at)) in tested.into_iter().enumerate() {
        least = least.max((count - rank) as f64 * p).min(1.0);
        corrected[at] = Some(least);
    }
    corrected
}

/// The p there are with their places, the smallest first.
fn tested(family: &[Option<f64>]) -> Vec<(f64, usize)> {
    let places = family.iter().zip(0..);
    let mut tested: Vec<(f64, usize)> = places.filter_map(|(p, at)| Some(((*p)?, at))).collect();
    tested.sort_by(|a, b| a.0.total_cmp(&b.0));
    tested
}

/// Makes a family of differences: corrects their p by Holm's method, and says of each what it could detect at the level
/// that the method asks of the smallest p.
pub fn corrected<'d>(family: impl IntoIterator<Item = &'d mut Difference>) {
    let mut family: Vec<&mut Difference> = family.into_iter().collect();
    let p: Vec<Option<f64>> = family.iter().map(|difference| difference.p).collect();
    let level = ALPHA / p.iter().flatten().count().max(1) as f64;
    for (difference, p) in family.iter_mut().zip(holm(&p)) {
        difference.p_adjusted = p;
        difference.detectable = detectable(&difference.estimate, level);
    }
}

/// The smallest difference that a test at a level of false alarms shows with 80% power.
fn detectable(estimate: &Estimate, level: f64) -> Option<f64> {
    Spread::new(estimate)?.detectable(level)
}

/// How exactly clusters measure a difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The clusters.
    pub clusters: usize,
    /// The standard error, with regard to their sizes.
    pub se: f64,
    /// The degrees of freedom that it has.
    pub df: f64,
}

/// More clusters than this are no answer to how many are needed.
const MOST_CLUSTERS: usize = 1_000_000;

impl Spread {
    /// Of a difference; `None` without a standard error.
    pub fn new(estimate: &Estimate) -> Option<Self> {
        Some(Self { clusters: estimate.clusters, se: estimate.larger_se()?, df: estimate.sizes.df })
    }

    /// The smallest difference that these clusters show with 80% power at a level of false alarms.
    pub fn detectable(self, level: f64) -> Option<f64> {
        self.detectable_by(self.clusters, level)
    }

    /// The same of another number of clusters, whose sizes are as unequal; `None` for fewer than two.
    pub(crate) fn detectable_by(self, count: usize, level: f64) -> Option<f64> {
        let times = count as f64 / self.clusters as f64;
        let df = self.df * degrees(count)? / degrees(self.clusters)?;
        let errors = student_quantile(1.0 - level / 2.0, df)? + student_quantile(POWER, df)?;
        Some(errors * self.se / times.sqrt())
    }

    /// How many clusters, as unequal, show a difference with 80% power at a level of false alarms; `None` for no difference, and if a
    /// million would not do.
    pub fn clusters_needed(self, difference: f64, level: f64) -> Option<usize> {
        let shows = |count: usize| {
            let least = self.detectable_by(count, level);
            least.is_some_and(|least| least <= difference.abs())
        };
        let (mut below, mut enough) = (1, MOST_CLUSTERS);
        if self.se.is_nan() || self.se <= 0.0 || !shows(enough) {
            return None;
        }
        while enough - below > 1 {
            let middle = usize::midpoint(below, enough);
            if shows(middle) {
                enough = middle;
            } else {
                below = middle;
            }
        }
        Some(enough)
    }
}

#[cfg(test)]
mod tests;
