//! The model fitted to resamples of the clusters.

use rayon::prelude::*;

use super::Options;
use super::effects::Standing;
use super::solution::{Held, Solution};
use super::table::Table;
use crate::bootstrap;
use crate::estimate::Sizes;

/// What all comparisons gave, and resamples of their clusters; `None` where a fit found no end.
pub(super) struct Fits {
    pub(super) best: Option<Solution>,
    clusters: usize,
    /// What their sizes mean for tests.
    sizes: Sizes,
    /// By entity: the clusters in which it was compared with another.
    of_entity: Vec<usize>,
    /// In order of their numbers.
    pub(super) resamples: Vec<Option<Solution>>,
}

/// What resamples gave for one number.
pub(super) struct Drawn {
    pub(super) values: Vec<f64>,
    /// How many of them needed the ridge.
    ridged: usize,
    /// How many clusters the number rests on.
    pub(super) clusters: usize,
    /// What the sizes of all clusters mean for tests.
    pub(super) sizes: Sizes,
}

impl Fits {
    /// Draws and fits all resamples, in parallel. A resample of a single cluster would be the cluster itself: then there is none.
    pub(super) fn draw(
        table: &Table,
        groups: &[Vec<usize>],
        options: &Options,
        best: Option<Solution>,
    ) -> Self {
        let clusters = table.clusters();
        let resamples = best.as_ref().filter(|_| clusters > 1).map(|best| {
            // Each starts from where the fit of all ended.
            let fitted = |replicate| {
                let weights = bootstrap::weights(clusters, replicate, options.seed);
                let counts = table.counts(&weights);
                Solution::fit(table, &counts, groups, options, &best.parameters)
            };
            (0..options.replicates).into_par_iter().map(fitted).collect()
        });
        Self {
            clusters,
            sizes: Sizes::new(table.games_by_cluster()),
            of_entity: table.clusters_by_entity(),
            resamples: resamples.unwrap_or_default(),
            best,
        }
    }

    /// How many needed the ridge.
    pub(super) fn ridged(&self) -> usize {
        self.fitted().filter(|solution| solution.held != Held::Nothing).count()
    }

    /// The strength of an entity of that group, where it occurs.
    pub(super) fn strength(&self, entity: usize, group: usize) -> Drawn {
        let value = |s: &Solution| s.present[entity].then(|| s.parameters[entity]);
        self.of_group(group, self.of_entity[entity], value)
    }

    /// How far one entity of that group is ahead of another, where both occur.
    pub(super) fn lead(&self, above: usize, below: usize, group: usize) -> Drawn {
        let clusters = self.of_entity[above].min(self.of_entity[below]);
        self.of_group(group, clusters, |s| {
            let both = s.present[above] && s.present[below];
            both.then(|| s.parameters[above] - s.parameters[below])
        })
    }

    fn of_group(
        &self,
        group: usize,
        clusters: usize,
        value: impl Fn(&Solution) -> Option<f64>,
    ) -> Drawn {
        let held = |s: &Solution| s.held == Held::Everything || s.separated[group];
        self.drawn(clusters, |s| Some((value(s)?, held(s))))
    }

    /// An effect, where it means the same as in the fit of all.
    pub(super) fn effect(&self, place: usize, standing: Standing) -> Drawn {
        self.drawn(self.clusters, |solution| {
            let value = (solution.worth()[place], solution.held != Held::Nothing);
            (solution.effects[place] == standing).then_some(value)
        })
    }

    fn drawn(&self, clusters: usize, value: impl Fn(&Solution) -> Option<(f64, bool)>) -> Drawn {
        let (values, held): (Vec<f64>, Vec<bool>) = self.fitted().filter_map(value).unzip();
        Drawn {
            values,
            ridged: held.into_iter().filter(|held| *held).count(),
            clusters,
            sizes: self.sizes,
        }
    }

    fn fitted(&self) -> impl Iterator<Item = &Solution> {
        self.resamples.iter().flatten()
    }
}

impl Drawn {
    /// The interval of what resamples gave. Where the ridge decided most of them, its ends would be ours and not the data's.
    pub(super) fn interval(self) -> Result<[f64; 2], String> {
        let (ridged, fitted) = (self.ridged, self.values.len());
        if self.clusters == 1 {
            return Err("no interval: what it rests on is of one topic".to_owned());
        }
        if ridged * 2 > fitted {
            return Err(format!(
                "no interval: in {ridged} of {fitted} resamples somebody won or lost everything"
            ));
        }
        bootstrap::interval(self.values, self.clusters).map_err(|reason| reason.to_string())
    }
}
