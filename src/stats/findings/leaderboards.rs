//! Leaderboards by points and by strength.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use statistics::bradley_terry::Effect;
use statistics::estimate::Estimate;

/// Leaderboards.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Leaderboards {
    /// By points, knockouts only: debaters and X apart, since their points are never compared.
    pub points: Vec<PointsBoard>,
    /// By strength, from debates with a winner.
    pub strengths: Vec<StrengthBoard>,
}

/// A leaderboard by points.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PointsBoard {
    /// What is ranked: `model`, `persona`.
    pub of: String,
    /// `debaters` (Y: the sum over rounds of mean totals) or `x` (knockouts).
    pub side: String,
    /// The rows, the highest first.
    pub rows: Vec<PointsRow>,
}

/// A row of a leaderboard by points.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PointsRow {
    /// Who.
    pub name: String,
    /// The sum over all debates.
    pub total: f64,
    /// Points a debate.
    pub mean: Estimate,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// A leaderboard by Bradley–Terry strength.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StrengthBoard {
    /// What is ranked: `model`, `persona`.
    pub of: String,
    /// Debates with two contestants and a judgment, that may be compared.
    pub comparisons: usize,
    /// Of these, draws; each counts half a win for both.
    pub draws: usize,
    /// Distinct topics.
    pub clusters: usize,
    /// Debates with a judgment that were not compared, by the reason why.
    pub left_out: BTreeMap<String, usize>,
    /// The rows, the strongest first.
    pub rows: Vec<StrengthRow>,
    /// Results between each two, for a heat map: entry `[i][j]` is row i against row j.
    pub matches: Vec<Vec<Match>>,
    /// How far the strongest is ahead of the next, in the first group in which two are ranked; `null` without such a group, and where
    /// strength cannot be separated from order or side.
    pub lead: Option<Lead>,
    /// What speaking first is worth.
    pub order: Effect,
    /// What the first-named side is worth.
    pub side: Effect,
    /// Sets of those who met, if only by way of others.
    pub components: usize,
    /// Resamples that were drawn.
    pub replicates: usize,
    /// Of these, those in which a ridge had to hold strengths that would be infinite.
    pub ridged: usize,
    /// What to know, and why something is missing.
    pub notes: Vec<String>,
}

impl StrengthBoard {
    /// Whether some have strengths that others must not be compared with.
    pub fn has_groups(&self) -> bool {
        let rows = &self.rows;
        rows.iter().any(|row| row.group > 1) && rows.iter().any(|row| row.elo.is_some())
    }
}

/// A row of a leaderboard by strength.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StrengthRow {
    /// Who.
    pub name: String,
    /// Which set of those that met, if only by way of others, it belongs to, from 1.
    pub component: usize,
    /// Its group, from 1: those who won and lost among each other have strengths on one scale. Upper groups come first.
    pub group: usize,
    /// Debates against others.
    pub games: usize,
    /// Distinct topics of these.
    pub clusters: usize,
    /// Wins.
    pub wins: usize,
    /// Draws.
    pub draws: usize,
    /// Losses.
    pub losses: usize,
    /// The strength on Elo's scale, 1000 in the middle of its group; `null` of one that won or lost without exception.
    pub elo: Option<f64>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The best rank that intervals and wins without exception leave possible.
    pub rank_best: Option<usize>,
    /// The worst.
    pub rank_worst: Option<usize>,
    /// Whether it is too few debates to rank (fewer than 10).
    pub small: bool,
    /// Why something is missing.
    pub reason: Option<String>,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// How far the strongest is ahead of the next.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Lead {
    /// The strongest.
    pub above: String,
    /// The next.
    pub below: String,
    /// The difference in Elo.
    pub elo: f64,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Debates among those of their group: what it rests on.
    pub comparisons: usize,
    /// The topics on which the two met others of their group; of the one with fewer.
    pub clusters: usize,
    /// Why there is no interval.
    pub reason: Option<String>,
}

/// Results of one against another.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Match {
    /// Debates.
    pub n: usize,
    /// The share won, draws as halves; `null` without a debate.
    pub score: Option<f64>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Why something is missing, or what the interval had to take for granted.
    pub reason: Option<String>,
    /// The debates behind it.
    pub debates: Vec<usize>,
}
