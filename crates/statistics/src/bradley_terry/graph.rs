//! Connected components of the graph of comparisons, and strongly connected components of the graph of wins.

use std::cmp::Reverse;

use super::table::{Cell, Count};
use crate::groups::by_key;

/// Where an entity belongs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// The set of those that comparisons join.
    pub(super) component: usize,
    /// The set of those among whom wins lead from each to each: their strengths are on one scale.
    pub(super) group: usize,
}

/// Who belongs together.
pub(super) struct Sets {
    pub(super) components: usize,
    /// Entities that met nobody else, the last groups.
    pub(super) alone: usize,
    /// By number; those of a component follow each other, the upper first.
    pub(super) groups: Vec<Vec<usize>>,
    /// By entity.
    pub(super) places: Vec<Place>,
}

/// An edge from each winner to the loser; a draw is an edge both ways.
pub(super) struct Wins {
    entities: usize,
    edges: Vec<bool>,
}

impl Wins {
    pub(super) fn new(entities: usize, cells: &[Cell], counts: &[Count]) -> Self {
        let mut edges = vec![false; entities * entities];
        for (cell, count) in cells.iter().zip(counts).filter(|(cell, _)| !cell.own()) {
            edges[cell.a * entities + cell.b] |= count.score > 0.0;
            edges[cell.b * entities + cell.a] |= count.games > count.score;
        }
        Self { entities, edges }
    }

    fn edge(&self, from: usize, to: usize) -> bool {
        self.edges[from * self.entities + to]
    }

    /// Whether the entity was compared with another.
    pub(super) fn meets(&self, entity: usize) -> bool {
        (0..self.entities).any(|other| self.edge(entity, other) || self.edge(other, entity))
    }

    /// Who belongs together. Strengths have a finite best fit among those whom wins lead to and from; between such sets all
    /// wins go one way, the best fit is infinite distance, and it leaves the rest to be fitted as if they had never met (Butler
    /// and Whelan 2004).
    pub(super) fn sets(&self) -> Sets {
        let mut places = vec![Place::default(); self.entities];
        let mut groups: Vec<Vec<usize>> = Vec::new();
        // Whoever met nobody else is compared with nobody.
        let mut components = self.components();
        components.sort_by_key(|members| members.len() == 1);
        let alone = components.iter().filter(|members| members.len() == 1).count();
        for (component, members) in components.iter().enumerate() {
            for set in self.strong(members) {
                for member in &set {
                    places[*member] = Place { component, group: groups.len() };
                }
                groups.push(set);
            }
        }
        Sets { components: components.len() - alone, alone, groups, places }
    }

    /// The sets of a component among whom wins lead from each to each, those first from whom wins lead to others.
    fn strong(&self, component: &[usize]) -> Vec<Vec<usize>> {
        let reaching = component.iter().map(|member| {
            let mut reached = self.reached(*member, |from, to| self.edge(from, to));
            reached.sort_unstable();
            ((Reverse(reached.len()), reached), *member)
        });
        by_key(reaching).into_values().collect()
    }

    /// The entities that comparisons join, each list in order, the lists in order of their first one.
    fn components(&self) -> Vec<Vec<usize>> {
        let mut seen = vec![false; self.entities];
        let mut components = Vec::new();
        for entity in 0..self.entities {
            if seen[entity] {
                continue;
            }
            let mut component =
                self.reached(entity, |from, to| self.edge(from, to) || self.edge(to, from));
            component.sort_unstable();
            component.iter().for_each(|member| seen[*member] = true);
            components.push(component);
        }
        components
    }

    /// Whether wins lead from each of these to each other, which is when their strengths have a finite best fit (Ford 1957).
    /// One of them must reach all and be reached by all; nobody outside is joined to them.
    pub(super) fn strongly_connected(&self, members: &[usize]) -> bool {
        members.first().is_none_or(|first| {
            self.reached(*first, |from, to| self.edge(from, to)).len() == members.len()
                && self.reached(*first, |from, to| self.edge(to, from)).len() == members.len()
        })
    }

    /// All that steps lead to from `start`, with `start`.
    fn reached(&self, start: usize, step: impl Fn(usize, usize) -> bool) -> Vec<usize> {
        let mut seen = vec![false; self.entities];
        seen[start] = true;
        let (mut reached, mut next) = (vec![start], 0);
        while let Some(&from) = reached.get(next) {
            for (to, seen) in seen.iter_mut().enumerate() {
                if !*seen && step(from, to) {
                    *seen = true;
                    reached.push(to);
                }
            }
            next += 1;
        }
        reached
    }
}
