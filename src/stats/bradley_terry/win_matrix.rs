//! Who met whom how often, and with what success: a heat map's numbers.

use serde::Serialize;

use super::Comparison;

/// What an entity got from another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Meeting {
    /// Comparisons.
    pub games: usize,
    /// Its points in them: 1 for a win, ½ for a draw.
    pub score: f64,
    /// Points a comparison; `null` where they never met.
    pub share: Option<f64>,
}

/// By row what an entity got from each, by column. Entities that meet themselves got half of it: the diagonal stays empty.
pub fn win_matrix(entities: usize, comparisons: &[Comparison]) -> Vec<Vec<Meeting>> {
    let mut matrix = vec![vec![Meeting::default(); entities]; entities];
    for comparison in comparisons.iter().filter(|c| c.a != c.b) {
        let score = comparison.outcome.score();
        matrix[comparison.a][comparison.b].add(score);
        matrix[comparison.b][comparison.a].add(1.0 - score);
    }
    matrix
}

impl Meeting {
    fn add(&mut self, score: f64) {
        self.games += 1;
        self.score += score;
        self.share = Some(self.score / self.games as f64);
    }
}
