//! What the first samples of a control alone would have come to, and how many of them debates are worth. Nothing is asked again for it.

use super::given::Given;
use crate::facts::Prefix;
use crate::stats::findings::{CurvePoint, SampleWorth};
use statistics::estimate::{Estimate, Observation};
use statistics::paired::{self, Difference, Pair};

/// The largest number of samples that half of the answers have; 0 without samples.
pub(super) fn reach(counts: impl Iterator<Item = usize>) -> usize {
    let mut counts: Vec<usize> = counts.collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts.len().div_ceil(2).checked_sub(1).map_or(0, |at| counts[at])
}

/// The first `samples` samples; all of them if there are fewer.
pub(super) fn prefix(prefixes: &[Prefix], samples: usize) -> Option<Prefix> {
    prefixes.get(samples.min(prefixes.len()).checked_sub(1)?).copied()
}

/// The accuracy of an arm by the number of its samples; nothing for one that takes a single sample.
pub(super) fn curve(answers: &[&Given<'_>]) -> Vec<CurvePoint> {
    let counts = answers.iter().map(|one| one.answer.prefixes.len());
    let point = |samples| {
        let values = |of: fn(Prefix) -> f64| -> Vec<Observation> {
            let each = answers
                .iter()
                .filter_map(|one| Some((one, prefix(&one.answer.prefixes, samples)?)));
            each.map(|(one, prefix)| Observation { cluster: one.cluster, value: of(prefix) })
                .collect()
        };
        CurvePoint {
            samples,
            strict: Estimate::share(&values(|it| it.correct)),
            tokens: Estimate::mean(&values(|it| it.tokens as f64)).not_negative(),
        }
    };
    let most = reach(counts);
    (1..=most).filter(|_| most > 1).map(point).collect()
}

/// A question on which debates and a control answered: the cluster, the mean correctness of debates, and the samples of the control's runs.
pub(super) struct Sampled<'c> {
    pub(super) cluster: usize,
    pub(super) debate: f64,
    pub(super) runs: &'c [&'c [Prefix]],
}

/// How many samples debates are worth, 0 for less than one; `None` without several samples.
pub(super) fn worth(all: &[Sampled<'_>]) -> Option<SampleWorth> {
    let counts = all.iter().flat_map(|it| it.runs.iter().map(|run| run.len()));
    let of = reach(counts);
    let differences: Vec<Difference> = (1..=of).map(|samples| against(all, samples)).collect();
    let first = |ahead: &[f64]| {
        let at = ahead.iter().position(|ahead| *ahead <= 0.0)?;
        Some(if at == 0 && ahead[0] < 0.0 { 0 } else { at + 1 })
    };
    let all = |number: fn(&Estimate) -> Option<f64>| -> Vec<f64> {
        differences.iter().map(|it| number(&it.estimate).unwrap_or(0.0)).collect()
    };
    let last = differences.iter().rposition(|it| it.estimate.high.is_none_or(|high| high >= 0.0));
    let least = first(&all(|it| it.low));
    let most = Some(last.map_or(0, |at| at + 1)).filter(|most| *most < of);
    let samples = first(&falling(&all(|it| it.value)));
    // The values are pooled and the ends of the interval are not: it is widened to hold the value.
    let least = least.map(|n| n.min(samples.unwrap_or(n)));
    let most = most.and_then(|n| Some(n.max(samples?)));
    (of > 1).then_some(SampleWorth { samples, least, most, of })
}

/// The values nearest to these that never rise: those that do are pooled with their neighbours (isotonic regression). Otherwise the
/// first of many numbers to come out low by chance would count.
fn falling(values: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for value in values {
        let mut pool = (*value, 1);
        while let Some((sum, count)) = pools.pop_if(|(sum, count)| {
            let (own, before) = (pool.0 / pool.1 as f64, *sum / *count as f64);
            before < own
        }) {
            pool = (pool.0 + sum, pool.1 + count);
        }
        pools.push(pool);
    }
    let each = pools.into_iter();
    each.flat_map(|(sum, count)| std::iter::repeat_n(sum / count as f64, count)).collect()
}

/// Debates minus the first so many samples.
fn against(all: &[Sampled<'_>], samples: usize) -> Difference {
    let pairs = all.iter().filter_map(|it| {
        let each = it.runs.iter().filter_map(|run| prefix(run, samples));
        let correct: Vec<f64> = each.map(|prefix| prefix.correct).collect();
        let mean = correct.iter().sum::<f64>() / correct.len() as f64;
        (!correct.is_empty()).then_some(Pair { cluster: it.cluster, a: it.debate, b: mean })
    });
    paired::difference(&pairs.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest;

    /// Runs whose first samples are right with these chances, one after the other.
    fn run(chances: &[f64]) -> Vec<Prefix> {
        let prefix = |correct: &f64| Prefix { correct: *correct, tokens: 10 };
        chances.iter().map(prefix).collect()
    }

    #[test]
    fn c3_a_run_with_fewer_samples_counts_with_all_of_them() {
        assert_eq!(reach([1, 4, 9].into_iter()), 4);
        assert_eq!(reach([1, 4].into_iter()), 4);
        assert_eq!(reach(std::iter::empty()), 0);
        let short = run(&[0.0, 1.0]);
        assert_eq!(prefix(&short, 5).map(|it| it.correct), Some(1.0));
        assert_eq!(prefix(&[], 1), None);
    }

    #[test]
    fn c3_what_rises_by_chance_is_pooled() {
        assert_eq!(falling(&[0.5, 0.25, 0.0]), [0.5, 0.25, 0.0]);
        assert_eq!(falling(&[0.5, -0.25, 0.75, -1.0]), [0.5, 0.25, 0.25, -1.0]);
        assert_eq!(falling(&[0.0, 1.0, 2.0]), [1.0; 3]);
        assert!(falling(&[]).is_empty());
    }

    /// Controls that are right at 50%, 60%, 70% and 80% with one to four samples, debates at this rate.
    fn planted(debate: f64, questions: usize) -> Option<SampleWorth> {
        let drawn = |n: usize, who: &str| {
            (digest::derive(n as u64, who) >> 11) as f64 / (1_u64 << 53) as f64
        };
        let right = |holds: bool| if holds { 1.0 } else { 0.0 };
        let runs: Vec<(f64, Vec<Prefix>)> = (0..questions)
            .map(|n| {
                let chances = [0.5, 0.6, 0.7, 0.8].map(|rate| right(drawn(n, "control") < rate));
                (right(drawn(n, "debate") < debate), run(&chances))
            })
            .collect();
        let runs: Vec<(f64, [&[Prefix]; 1])> =
            runs.iter().map(|(debate, run)| (*debate, [&**run])).collect();
        let each = runs.iter().enumerate();
        let all = each.map(|(cluster, (debate, runs))| Sampled { cluster, debate: *debate, runs });
        worth(&all.collect::<Vec<_>>())
    }

    #[test]
    fn c3_debates_are_worth_as_many_samples_as_are_as_accurate() {
        let three = planted(0.65, 2000).expect("samples");
        assert_eq!((three.samples, three.of), (Some(3), 4));
        assert!(three.least >= Some(2) && three.least <= three.samples, "{three:?}");
        assert!(three.most <= Some(3) && three.most >= Some(2), "{three:?}");
        let more = planted(0.95, 400).expect("samples");
        assert_eq!((more.samples, more.least, more.most), (None, None, None));
        let none = planted(0.2, 400).expect("samples");
        assert_eq!((none.samples, none.least, none.most), (Some(0), Some(0), Some(0)));
        let one = planted(0.5, 400).expect("samples");
        assert_eq!(one.least, Some(0), "perhaps less than one: {one:?}");
        assert!(one.most >= Some(1), "{one:?}");
        assert_eq!(worth(&[]), None);
    }
}
