//! Who is joined to whom by comparisons, and by wins in both directions.

use super::table::{Cell, Count};

/// An edge from each winner to the loser; a draw is an edge both ways.
pub(super) struct Wins {
    entities: usize,
    edges: Vec<bool>,
}

impl Wins {
    pub(super) fn of(entities: usize, cells: &[Cell], counts: &[Count]) -> Self {
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

    /// The entities that comparisons join, each list in order, the lists in order of their first one.
    pub(super) fn components(&self) -> Vec<Vec<usize>> {
        let mut seen = vec![false; self.entities];
        let mut components = Vec::new();
        for entity in 0..self.entities {
            if seen[entity] {
                continue;
            }
            let mut component = self.reached(entity, |from, to| {
                self.edge(from, to) || self.edge(to, from)
            });
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
