//! The model fitted to resamples of the clusters.

use rayon::prelude::*;

use super::Options;
use super::effects::Standing;
use super::solution::{Held, Solution};
use super::table::Table;
use crate::stats::bootstrap;

/// What resamples gave, in order of their numbers; `None` where a fit found no end.
pub(super) struct Resamples {
    pub(super) clusters: usize,
    pub(super) solutions: Vec<Option<Solution>>,
}

impl Resamples {
    /// Draws and fits all, in parallel. A resample of a single cluster would be the cluster itself: then there is none.
    pub(super) fn draw(
        table: &Table,
        groups: &[Vec<usize>],
        options: &Options,
        best: Option<&Solution>,
    ) -> Self {
        let clusters = table.clusters();
        let solutions = best.filter(|_| clusters > 1).map(|best| {
            let weights = |replicate| bootstrap::weights(clusters, replicate, options.seed);
            let fitted = |replicate| resample(table, groups, options, best, &weights(replicate));
            (0..options.replicates)
                .into_par_iter()
                .map(fitted)
                .collect()
        });
        Self {
            clusters,
            solutions: solutions.unwrap_or_default(),
        }
    }

    /// How many needed the ridge.
    pub(super) fn ridged(&self) -> usize {
        self.fitted()
            .filter(|solution| solution.held != Held::Nothing)
            .count()
    }

    /// How many needed it for the strengths of a group.
    pub(super) fn ridged_in(&self, group: usize) -> usize {
        let held = |s: &&Solution| s.held == Held::Everything || s.separated[group];
        self.fitted().filter(held).count()
    }

    /// The strengths of an entity, where it occurs.
    pub(super) fn strengths(&self, entity: usize) -> Vec<f64> {
        let here = self.fitted().filter(|solution| solution.present[entity]);
        here.map(|solution| solution.parameters[entity]).collect()
    }

    /// How far one entity is ahead of another, where both occur.
    pub(super) fn leads(&self, above: usize, below: usize) -> Vec<f64> {
        let both = self
            .fitted()
            .filter(|s| s.present[above] && s.present[below]);
        both.map(|s| s.parameters[above] - s.parameters[below])
            .collect()
    }

    /// An effect, where it means the same as in the fit of all.
    pub(super) fn effect(
        &self,
        value: impl Fn(&Solution) -> (Standing, f64),
        standing: Standing,
    ) -> Vec<f64> {
        let told = self.fitted().map(value).filter(|(own, _)| *own == standing);
        told.map(|(_, value)| value).collect()
    }

    /// The interval of what resamples gave. Where the ridge decided most of them, its ends would be ours and not the data's.
    pub(super) fn interval(&self, values: Vec<f64>, ridged: usize) -> Result<[f64; 2], String> {
        let fitted = self.fitted().count();
        if self.clusters == 1 {
            return Err("no interval: what it rests on is of one topic".to_owned());
        }
        if ridged * 2 > fitted {
            return Err(format!(
                "no interval: in {ridged} of {fitted} resamples somebody won or lost everything"
            ));
        }
        bootstrap::interval(values, self.clusters).map_err(|reason| reason.to_string())
    }

    fn fitted(&self) -> impl Iterator<Item = &Solution> {
        self.solutions.iter().flatten()
    }
}

/// Fits the clusters taken as often as their weights say, from where the fit of all ended.
pub(super) fn resample(
    table: &Table,
    groups: &[Vec<usize>],
    options: &Options,
    best: &Solution,
    weights: &[u32],
) -> Option<Solution> {
    Solution::of(
        table,
        &table.counts(weights),
        groups,
        options,
        &best.parameters,
    )
}
