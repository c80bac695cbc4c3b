//! The strengths and effects of one set of counts: of all comparisons, or of one resample.

use super::Options;
use super::effects::{Standing, standings};
use super::graph::Wins;
use super::newton::{self, Problem};
use super::table::{Count, Table};

/// How much had to be held by the ridge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// Nothing.
    Nothing,
    /// The strengths of groups in which wins do not lead everywhere.
    Groups,
    /// Everything: the outcomes follow order or side without exception.
    Everything,
}

/// What counts gave.
#[derive(Debug)]
pub(super) struct Solution {
    /// All strengths, then the order effect and the side effect, 0 where not fitted.
    pub(super) parameters: Vec<f64>,
    /// By entity: whether it was compared with another.
    pub(super) present: Vec<bool>,
    /// What can be said of order and side.
    pub(super) effects: [Standing; 2],
    /// What the ridge held.
    pub(super) held: Held,
    /// By group: whether wins do not lead everywhere.
    pub(super) separated: Vec<bool>,
}

impl Solution {
    /// Fits `counts`. Strengths add up, within each group and over those present, to what they do in `start`.
    pub(super) fn fit(
        table: &Table,
        counts: &[Count],
        groups: &[Vec<usize>],
        options: &Options,
        start: &[f64],
    ) -> Option<Self> {
        let wins = Wins::new(table.entities, &table.cells, counts);
        let present: Vec<bool> = (0..table.entities).map(|entity| wins.meets(entity)).collect();
        let here = |group: &Vec<usize>| group.iter().copied().filter(|e| present[*e]).collect();
        let blocks: Vec<Vec<usize>> = groups.iter().map(here).collect();
        let separated: Vec<bool> =
            blocks.iter().map(|block| !wins.strongly_connected(block)).collect();
        let effects = standings(&table.cells, counts, options);
        let mut free = present.clone();
        free.extend(effects.map(Standing::fitted));
        let solve = |ridge: &[f64]| {
            let problem = Problem {
                cells: &table.cells,
                counts,
                entities: table.entities,
                blocks: &blocks,
                free: &free,
                ridge,
            };
            newton::solve(&started(start, &free, &blocks), |at| problem.point(at))
        };
        let (held, mut parameters) = held(&blocks, &separated, options.ridge, &free, solve)?;
        blocks.iter().for_each(|block| align(&mut parameters, start, block));
        Some(Self { parameters, present, effects, held, separated })
    }

    /// The order effect and the side effect.
    pub(super) fn worth(&self) -> [f64; 2] {
        let effects = self.parameters.len() - 2;
        [self.parameters[effects], self.parameters[effects + 1]]
    }
}

/// The start of what is fitted, around 0 in each block as the ridge wants it; the rest is out, at 0.
fn started(start: &[f64], free: &[bool], blocks: &[Vec<usize>]) -> Vec<f64> {
    let mut started: Vec<f64> =
        start.iter().zip(free).map(|(value, free)| if *free { *value } else { 0.0 }).collect();
    let middle = vec![0.0; start.len()];
    blocks.iter().for_each(|block| align(&mut started, &middle, block));
    started
}

/// Solves with as little ridge as goes: none, on separated blocks, on everything.
fn held(
    blocks: &[Vec<usize>],
    separated: &[bool],
    ridge: f64,
    free: &[bool],
    solve: impl Fn(&[f64]) -> Option<Vec<f64>>,
) -> Option<(Held, Vec<f64>)> {
    let mut needed = vec![0.0; free.len()];
    let held = blocks.iter().zip(separated);
    for (block, _) in held.filter(|(_, separated)| **separated) {
        block.iter().for_each(|member| needed[*member] = ridge);
    }
    let least = if separated.contains(&true) { Held::Groups } else { Held::Nothing };
    let all: Vec<f64> = free.iter().map(|free| f64::from(*free) * ridge).collect();
    let everything = || solve(&all).map(|best| (Held::Everything, best));
    solve(&needed).map(|best| (least, best)).or_else(everything)
}

/// Shifts the strengths of a block so that they add up to what they do in `start`.
fn align(parameters: &mut [f64], start: &[f64], block: &[usize]) {
    let sum = |values: &[f64]| block.iter().map(|member| values[*member]).sum::<f64>();
    let shift = (sum(start) - sum(parameters)) / block.len() as f64;
    block.iter().for_each(|member| parameters[*member] += shift);
}
