//! Bradley–Terry strengths from comparisons, with the effects of order and side, and intervals by resampling clusters.
//!
//! The model: `logit P(a beats b) = theta_a - theta_b + gamma * first + delta * side`, where `first` is 1 if `a` spoke first,
//! -1 if `b` did and 0 if unknown; `side` is the same of who is listed first. A draw is half a win of both. The strengths
//! of a group add up to 0; an entity that meets itself says something of the effects only.
//!
//! Strengths have a finite best fit only within a strongly connected component of the graph of wins (Ford 1957). An entity that only
//! wins against such a component, or only loses, is infinitely far above or below it, and the component is best fitted as if they
//! had never met (Butler and Whelan 2004, arXiv:math/0412232). So each component of two or more is a group with strengths of its
//! own, and an entity that is a component by itself has none. A resample can lack the wins that join a group: there a ridge is added
//! to the loss, `ridge / 2 * theta²`, which is a normal prior with the standard deviation `1 / sqrt(ridge)` logits; the result
//! says so.

mod comparison;
mod covariate;
mod dominance;
mod effects;
mod graph;
mod newton;
mod rating;
mod resample;
mod solution;
mod table;

#[cfg(test)]
mod tests;

pub use comparison::{Comparison, Options, Outcome, Party};
pub use covariate::{Adjusted, adjusted};
pub use rating::{ELO, Effect, Lead, Rating, elo, expected_score};

use std::collections::BTreeSet;

use crate::paired::ALPHA;
use dominance::{decided_by_place, surely_above};
use graph::{Sets, Wins};
use rating::{effects, leads, rank, rated};
use resample::Fits;
use solution::{Held, Solution};
use table::Table;

/// Said of order and side where the outcomes follow them.
const FOLLOWED: &str =
    "the winner follows order or side without exception, so it cannot be separated from strength";
/// Said of them of a single debate.
const ONLY: &str = "one debate, so order and side cannot be separated from strength";
/// Said of them, and of all, if no two have strengths on one scale.
const NO_GROUP: &str = "wins went one way only";

/// What comparisons say of the strengths of entities.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The rating of every entity, by number.
    pub ratings: Vec<Rating>,
    /// How far those with enough comparisons are ahead of each other, within groups: the first group before the second, the
    /// strongest of each first.
    pub leads: Vec<Lead>,
    /// Who is surely above whom in another group, since it won all their comparisons.
    pub unbroken: Vec<[usize; 2]>,
    /// The effect of speaking first.
    pub order: Effect,
    /// The effect of being listed first.
    pub side: Effect,
    /// The number of connected components of the graph of comparisons.
    pub components: usize,
    /// The number of resamples.
    pub replicates: usize,
    /// Resamples that needed the ridge.
    pub ridged: usize,
    /// Notes on all of this, in words.
    pub reasons: Vec<String>,
}

/// Fits the model to `comparisons` of `entities` entities. Where the winner follows order or side without exception, those
/// cannot be told from strength: then the strengths are fitted without them, and nobody is surely above another.
pub fn fit(entities: usize, comparisons: &[Comparison], options: &Options) -> Fit {
    let decided = decided_by_place(comparisons);
    if decided.is_none() {
        let (fit, held) = fit_as_asked(entities, comparisons, options, true);
        if held != Some(Held::Everything) || !(options.order || options.side) {
            return fit;
        }
    }
    let bare = Options { order: false, side: false, ..*options };
    let (fit, _) = fit_as_asked(entities, comparisons, &bare, false);
    let why = if comparisons.len() == 1 { ONLY } else { FOLLOWED };
    Fit {
        leads: Vec::new(),
        order: Effect::missing(why),
        side: Effect::missing(why),
        reasons: decided.into_iter().chain(fit.reasons).collect(),
        ..fit
    }
}

/// `told`: whether strength can be told from order and side, so that one can be surely above another.
fn fit_as_asked(
    entities: usize,
    comparisons: &[Comparison],
    options: &Options,
    told: bool,
) -> (Fit, Option<Held>) {
    let all = Table::new(entities, comparisons, options);
    let sets = Wins::new(all.entities, &all.cells, &all.once()).sets();
    let within = within_groups(comparisons, &sets);
    let table = Table::new(all.entities, &within, options);
    let nothing = vec![0.0; table.entities + 2];
    let best = Solution::fit(&table, &table.once(), &sets.groups, options, &nothing);
    let fits = Fits::draw(&table, &sets.groups, options, best);
    let ratings = rated(comparisons, &sets, &fits);
    let unbroken = match fits.best.as_ref().filter(|_| told) {
        Some(best) => surely_above(comparisons, &sets.places, options, best.worth()),
        None => Vec::new(),
    };
    let leads = if told { leads(&ratings, &within, options, &fits) } else { Vec::new() };
    let [order, side] = if within.is_empty() && !comparisons.is_empty() {
        [(); 2]
            .map(|()| Effect::missing(&format!("{NO_GROUP}: it cannot be separated from strength")))
    } else {
        effects(&fits)
    };
    let intervals = has_interval(&ratings, [&order, &side]);
    let mut fit = Fit {
        leads,
        unbroken,
        ratings,
        order,
        side,
        components: sets.components,
        replicates: fits.resamples.len(),
        ridged: fits.ridged(),
        reasons: reasons(&all, &sets, &fits, intervals),
    };
    fit.rank(options.fewest, |lead| lead.is_sure(ALPHA));
    (fit, fits.best.map(|best| best.held))
}

impl Fit {
    /// How far the strongest is ahead of the next, in the first group in which two are compared.
    pub fn lead(&self) -> Option<&Lead> {
        self.leads.first()
    }

    /// Ranks those with `fewest` comparisons or more: within a group one is above another where `sure` says so of its lead.
    pub fn rank(&mut self, fewest: usize, sure: impl Fn(&Lead) -> bool) {
        let leads = self.leads.iter().filter(|lead| sure(lead));
        let pairs: BTreeSet<[usize; 2]> = leads
            .map(|lead| [lead.above, lead.below])
            .chain(self.unbroken.iter().copied())
            .collect();
        rank(&mut self.ratings, fewest, |a, b| pairs.contains(&[a, b]));
    }
}

fn has_interval(ratings: &[Rating], effects: [&Effect; 2]) -> bool {
    let rated = ratings.iter().any(|rating| rating.low.is_some());
    rated || effects.iter().any(|effect| effect.low.is_some())
}

/// The comparisons that say something of finite strengths.
fn within_groups(comparisons: &[Comparison], sets: &Sets) -> Vec<Comparison> {
    let group = |entity: usize| sets.places[entity].group;
    let all = comparisons.iter().copied();
    all.filter(|comparison| group(comparison.a) == group(comparison.b)).collect()
}

/// What a reader must know before trusting the numbers.
fn reasons(table: &Table, sets: &Sets, fits: &Fits, intervals: bool) -> Vec<String> {
    if fits.best.is_none() {
        return vec!["no strengths: the fit found no end; the ridge must be above 0".to_owned()];
    }
    let said = [
        table.cells.is_empty().then(|| "no comparisons".to_owned()),
        apart(table, sets),
        outside(sets),
        scales(sets),
        intervals.then(|| held_resamples(fits)).flatten(),
    ];
    said.into_iter().flatten().collect()
}

fn apart(table: &Table, sets: &Sets) -> Option<String> {
    let n = sets.components;
    (!table.cells.is_empty() && n > 1).then(|| {
        format!(
            "not all are linked by debates, even through others: each of {n} separate sets is ranked on its own"
        )
    })
}

fn outside(sets: &Sets) -> Option<String> {
    let component = |group: &[usize]| sets.places[group[0]].component;
    let mut components = (sets.groups).chunk_by(|a, b| component(a) == component(b));
    let is_alone = |group: &Vec<usize>| group.len() == 1;
    if !components.any(|groups| groups.len() > 1 && groups.iter().any(is_alone)) {
        return None;
    }
    Some(match scaled(sets) {
        0 => format!("{NO_GROUP}, so strengths cannot be estimated"),
        _ => "some won or lost every debate with the others: how far above or below they are cannot be estimated, so they have no strength".to_owned(),
    })
}

/// How many groups have strengths.
fn scaled(sets: &Sets) -> usize {
    sets.groups.iter().filter(|group| group.len() > 1).count()
}

fn scales(sets: &Sets) -> Option<String> {
    (scaled(sets) > 0 && sets.groups.len() - sets.alone > 1).then(|| {
        "compare Elo within a group only: between groups no one met, or all wins went one way"
            .to_owned()
    })
}

fn held_resamples(fits: &Fits) -> Option<String> {
    let (ridged, drawn) = (fits.ridged(), fits.resamples.len());
    (ridged > 0).then(|| {
        format!("in {ridged} of {drawn} resamples some won or lost every debate, so the intervals rest on a small prior in part")
    })
}
