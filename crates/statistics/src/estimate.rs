//! Means and shares with their uncertainty, clustered.
//!
//! Observations in one cluster resemble each other, so residuals are summed within a cluster before they are squared:
//! √(Σ over clusters (Σ (x − mean))² · C/(C − 1)) / n, with the quantile of Student's distribution of C − 1 degrees.

use std::collections::BTreeMap;

use serde::Serialize;

use super::quantile::{student_quantile, student_two_sided};
use super::wilson::wilson;

/// A spread below this part of the numbers' own size is rounding.
pub(super) const ROUNDING: f64 = 1e-12;

pub(super) const EMPTY: &str = "nothing to average";
pub(super) const NO_NUMBER: &str = "a value is no finite number";
pub(super) const BEYOND: &str = "the values are too large or too small to compute with";
const WHOLE_SCALE: &str = "no interval: it would span the whole scale";
/// Why there is no interval where all observations are in one cluster.
pub const ONE_CLUSTER: &str = "one topic: no interval";
pub(super) const ALL_EQUAL: &str = "no variation: all values are equal, no interval";
pub(super) const EQUAL_CLUSTERS: &str = "no variation between topics: no interval";
const EVEN_TOPICS: &str = "no variation between topics: Wilson's interval for independent cases";
const EQUAL_SHARES: &str = "all equal: interval as for one observation per topic";

/// One observed value and the cluster it belongs to. The caller numbers clusters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// The cluster's number.
    pub cluster: usize,
    /// The observed value.
    pub value: f64,
}

/// A number with its uncertainty. Values that can't be computed are `null`.
#[derive(Debug, Clone, PartialEq, Serialize, Default, schemars::JsonSchema)]
pub struct Estimate {
    /// The number of observations.
    pub n: usize,
    /// The number of distinct clusters among them.
    pub clusters: usize,
    /// The value.
    pub value: Option<f64>,
    /// The standard deviation of the observations.
    pub sd: Option<f64>,
    /// The standard error, clustered.
    pub se: Option<f64>,
    /// The lower end of the 95% interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Why something is `null`, or an assumption behind the interval.
    pub reason: Option<String>,
    /// What the clusters' sizes mean for tests.
    #[serde(skip)]
    pub sizes: Sizes,
}

impl Estimate {
    /// The mean of observations. Without variation, or with one cluster, it has no standard error and no interval: zero
    /// would claim certainty.
    pub fn mean(observations: &[Observation]) -> Self {
        let summary = Summary::new(observations);
        let estimate = summary.estimate();
        match summary.silence() {
            Some(reason) => estimate.because(reason),
            None => estimate.with_interval(summary.se),
        }
        .checked()
    }

    /// The share of observations that are 1; a draw is ½ and counts as half, as other parts of 1 do. Values outside of 0
    /// to 1 are refused.
    ///
    /// The interval is Wilson's for as many independent cases as have the variance of the mean that [`Self::p_of`] supposes: more than
    /// there are observations if those of a cluster make up for each other, as in balanced designs, or if there are draws. The cases
    /// shrink by (t(n − 1) / t(df))² (Korn and Graubard 1998), because that variance rests on few clusters. So where a test finds the
    /// share to differ from ½, the interval seldom holds ½. Values without variation say nothing of how far those of a cluster resemble
    /// each other: there each cluster is one case.
    pub fn share(observations: &[Observation]) -> Self {
        if observations.iter().any(|o| !(0.0..=1.0).contains(&o.value)) {
            return Self::default().because("a value lies outside of 0 to 1");
        }
        let summary = Summary::new(observations);
        let (mut estimate, mut cases) = (summary.estimate(), summary.cases());
        match summary.silence() {
            silence if estimate.clusters < 2 => {
                return estimate.because(silence.unwrap_or(ONE_CLUSTER));
            }
            None => estimate.se = Some(summary.se),
            Some(ALL_EQUAL) => {
                cases = estimate.clusters as f64;
                estimate = estimate.because(EQUAL_SHARES);
            }
            Some(_) => estimate = estimate.because(EVEN_TOPICS),
        }
        (estimate.low, estimate.high) = wilson(summary.mean, cases).unzip();
        estimate
    }

    /// The same with a standard error and its interval.
    pub(super) fn with_interval(mut self, se: f64) -> Self {
        let t = degrees(self.clusters).and_then(|df| student_quantile(0.975, df));
        self.se = Some(se);
        self.between(t.map(|t| t * se))
    }

    /// The same with the interval that goes with [`Self::p_of`]: what lies outside of it has a p below 5%.
    pub(super) fn tested(self) -> Self {
        let half = self.larger_se().zip(student_quantile(0.975, self.sizes.df));
        self.between(half.map(|(se, t)| t * se))
    }

    /// The same with ends so far from the value.
    fn between(mut self, half: Option<f64>) -> Self {
        self.low = self.value.zip(half).map(|(value, half)| value - half);
        self.high = self.value.zip(half).map(|(value, half)| value + half);
        self
    }

    /// The standard error with regard to the clusters' sizes.
    pub fn larger_se(&self) -> Option<f64> {
        let se = self.se? * self.sizes.larger.sqrt();
        (self.sizes.df > 0.0).then_some(se)
    }

    /// The same with a standard error and its interval; without, and for this reason, where that is no more than rounding.
    pub(super) fn spread(self, se: f64, rounding: f64, reason: &str) -> Self {
        match self.clusters {
            1 => self.because(ONE_CLUSTER),
            _ if se <= rounding => self.because(reason),
            _ => self.with_interval(se),
        }
        .checked()
    }

    /// The same, cut to what can be: a count is not below 0, a score not off its scale. An interval of all that can be says nothing.
    pub fn within(mut self, least: f64, most: f64) -> Self {
        self.value = self.value.map(|value| value.clamp(least, most));
        self.low = self.low.map(|low| low.max(least));
        self.high = self.high.map(|high| high.min(most));
        if (self.low, self.high) == (Some(least), Some(most)) {
            (self.low, self.high) = (None, None);
            return self.because(WHOLE_SCALE);
        }
        self
    }

    /// The same of what cannot be below 0, such as counts of tokens.
    pub fn not_negative(self) -> Self {
        self.within(0.0, f64::INFINITY)
    }

    /// No number, and the reason why.
    pub fn none(reason: &str) -> Self {
        Self::default().because(reason)
    }

    /// The same; without an observation, for this reason.
    pub fn or_none(self, reason: &str) -> Self {
        if self.n == 0 { self.because(reason) } else { self }
    }

    /// The two-sided p of the true value being this one, with regard to the clusters' sizes; `None` without a standard error.
    pub fn p_of(&self, value: f64) -> Option<f64> {
        let t = (self.value? - value) / self.larger_se()?;
        Some(student_two_sided(t, self.sizes.df))
    }

    /// The same; where no cluster varies from the others, as if each were one toss of a coin.
    pub fn p_or_tossed(&self, value: f64) -> Option<f64> {
        let is_constant = self.se.is_none() && self.value.is_some_and(|own| own != value);
        let heads = i32::try_from(self.clusters).unwrap_or(i32::MAX);
        let tossed = (is_constant && heads > 1).then(|| 0.5_f64.powi(heads - 1));
        self.p_of(value).or(tossed)
    }

    /// The same in another unit, of which one of the old has so many; above 0.
    pub fn scaled(self, by: f64) -> Self {
        let times = |number: Option<f64>| number.map(|number| number * by);
        Self {
            value: times(self.value),
            sd: times(self.sd),
            se: times(self.se),
            low: times(self.low),
            high: times(self.high),
            ..self
        }
    }

    /// The same on a scale whose origin lies so much lower.
    pub fn shifted(self, by: f64) -> Self {
        let plus = |number: Option<f64>| number.map(|number| number + by);
        Self { value: plus(self.value), low: plus(self.low), high: plus(self.high), ..self }
    }

    /// How far it is from 0, whichever way.
    pub fn size(self) -> Self {
        match self.value {
            Some(value) if value < 0.0 => self.turned(),
            _ => self,
        }
    }

    /// A difference, taken the other way round.
    pub fn turned(self) -> Self {
        let turned = |number: Option<f64>| number.map(|number| -number);
        Self { value: turned(self.value), low: turned(self.high), high: turned(self.low), ..self }
    }

    /// The same without an interval, and why.
    pub fn without_interval(self, reason: &str) -> Self {
        Self { se: None, low: None, high: None, ..self }.because(reason)
    }

    /// The same with a reason.
    pub(super) fn because(mut self, reason: &str) -> Self {
        self.reason = Some(reason.to_owned());
        self
    }

    /// The same, or only its counts where a sum overflowed.
    pub(super) fn checked(self) -> Self {
        let numbers = [self.value, self.sd, self.se, self.low, self.high];
        if numbers.into_iter().flatten().all(f64::is_finite) {
            return self;
        }
        Self { n: self.n, clusters: self.clusters, ..Self::default() }.because(BEYOND)
    }
}

/// The sums of values by cluster.
pub(super) fn summed(values: impl Iterator<Item = (usize, f64)>) -> BTreeMap<usize, f64> {
    let mut sums = BTreeMap::new();
    for (cluster, value) in values {
        *sums.entry(cluster).or_insert(0.0) += value;
    }
    sums
}

/// The degrees of freedom that clusters leave; `None` where there are fewer than two.
pub(super) fn degrees(clusters: usize) -> Option<f64> {
    (clusters > 1).then(|| (clusters - 1) as f64)
}

/// The root of the clusters' squared sums, made larger by C / (C − 1): the clustered standard error of a sum.
pub(super) fn clustered<'s>(sums: impl ExactSizeIterator<Item = &'s f64>) -> f64 {
    let count = sums.len() as f64;
    let squares: f64 = sums.map(|sum| sum * sum).sum();
    (squares * count / (count - 1.0)).sqrt()
}

/// How many equal parts as many unequal ones are worth: (Σ n)² / Σ n².
pub fn effective(parts: impl IntoIterator<Item = f64>) -> f64 {
    let [sum, squares] =
        parts.into_iter().fold([0.0, 0.0], |[sum, squares], n| [sum + n, squares + n * n]);
    if squares > 0.0 { sum * sum / squares } else { 0.0 }
}

/// What unequal clusters mean for a test: the standard error is too small, and rests on fewer than it seems. The usual clustered
/// variance is divided by what it is expected to be, as a part of the true one, if clusters' means vary alike, and has Satterthwaite's
/// degrees of freedom there, which Bell and McCaffrey (2002) took for the variance that they correct otherwise. Equal clusters have
/// C - 1 degrees of freedom and need nothing larger.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sizes {
    /// The degrees of freedom.
    pub df: f64,
    /// How many times as large the variance is expected to be.
    pub larger: f64,
}

impl Sizes {
    /// Of clusters whose sums vary as much as they count, as those of independent observations do (Kish).
    pub fn of_sums(parts: impl IntoIterator<Item = f64>) -> Self {
        let parts: Vec<f64> = parts.into_iter().collect();
        let (count, worth) = (parts.len() as f64, effective(parts));
        let larger = worth / (worth - 1.0) * (count - 1.0) / count;
        if worth > 1.0 && larger.is_finite() {
            Self { df: worth - 1.0, larger }
        } else {
            Self::default()
        }
    }

    /// Of clusters that count so much each.
    pub fn new(parts: impl IntoIterator<Item = f64>) -> Self {
        let parts: Vec<f64> = parts.into_iter().collect();
        let (all, count) = (parts.iter().sum::<f64>(), parts.len() as f64);
        let weights = || parts.iter().map(|part| part / all);
        let powers = |power: i32| weights().map(|w| w.powi(power)).sum::<f64>();
        let [two, three, four, five] = [2, 3, 4, 5].map(powers);
        let k = count / (count - 1.0);
        // The estimate is a quadratic form of the clusters' means, with these traces of its matrix and of the matrix squared.
        let trace = k * (two - 2.0 * three + two * two);
        let square = four - 4.0 * five + 2.0 * two * four;
        let square = k
            * k
            * (square + 2.0 * three * three + 2.0 * four * two + two.powi(4)
                - 4.0 * two * two * three);
        if trace > 0.0 && square > 0.0 {
            Self { df: trace * trace / square, larger: two / trace }
        } else {
            Self::default()
        }
    }
}

/// What every estimate of a mean is computed from.
pub(super) struct Summary {
    n: usize,
    clusters: usize,
    sizes: Sizes,
    mean: f64,
    sd: f64,
    /// Clustered; NaN or without meaning with fewer than two clusters.
    se: f64,
    varies: bool,
    finite: bool,
}

impl Summary {
    pub(super) fn new(observations: &[Observation]) -> Self {
        let values = || observations.iter().map(|o| o.value);
        let n = observations.len();
        let (low, high) = values()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        let varies = high - low > ROUNDING * low.abs().max(high.abs());
        let mean = if varies { values().sum::<f64>() / n as f64 } else { low };
        let mut clusters: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        // Observations of a cluster often follow each other: it is looked up once for them.
        for own in observations.chunk_by(|one, next| one.cluster == next.cluster) {
            let (sum, size) = clusters.entry(own[0].cluster).or_default();
            own.iter().for_each(|o| *sum += o.value - mean);
            *size += own.len() as f64;
        }
        let sums = clusters.values().map(|(sum, _)| sum);
        let sizes = clusters.values().map(|(_, size)| *size);
        let squares: f64 = values().map(|x| (x - mean).powi(2)).sum();
        Self {
            n,
            clusters: clusters.len(),
            sizes: Sizes::new(sizes),
            mean,
            sd: if varies { (squares / (n as f64 - 1.0)).sqrt() } else { 0.0 },
            se: clustered(sums) / n as f64,
            varies,
            finite: values().all(f64::is_finite),
        }
    }

    /// Counts, mean and standard deviation, as far as there are any.
    fn estimate(&self) -> Estimate {
        let sound = self.n > 0 && self.finite;
        Estimate {
            n: self.n,
            clusters: self.clusters,
            sizes: self.sizes,
            value: sound.then_some(self.mean),
            sd: (sound && self.n > 1).then_some(self.sd),
            ..Estimate::default()
        }
    }

    /// Why there is no standard error, if there is none.
    fn silence(&self) -> Option<&'static str> {
        let rounding = ROUNDING * self.sd.max(self.mean.abs());
        [
            (self.n == 0, EMPTY),
            (!self.finite, NO_NUMBER),
            (self.clusters == 1, ONE_CLUSTER),
            (!self.varies, ALL_EQUAL),
            (self.se <= rounding, EQUAL_CLUSTERS),
        ]
        .into_iter()
        .find_map(|(found, reason)| found.then_some(reason))
    }

    /// How much clustering inflates the variance of the mean; `None` without variation or with one cluster.
    pub(super) fn deff(&self) -> Option<f64> {
        let of_independent = self.sd / (self.n as f64).sqrt();
        let deff = (self.se / of_independent).powi(2);
        (self.silence().is_none() && deff.is_finite()).then_some(deff)
    }

    /// How many independent cases of 0 or 1 the observations are worth.
    fn cases(&self) -> f64 {
        let n = self.n as f64;
        if self.silence().is_some() {
            return n;
        }
        let of_one = self.mean * (1.0 - self.mean) * n / (n - 1.0);
        let t = |df: f64| student_quantile(0.975, df);
        let few = t(n - 1.0).zip(t(self.sizes.df)).map_or(1.0, |(n, clusters)| n / clusters);
        of_one / (self.se * self.se * self.sizes.larger) * few * few
    }
}

#[cfg(test)]
mod tests;
