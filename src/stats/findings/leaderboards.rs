//! Leaderboards by points and by strength.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use statistics::bradley_terry::{Effect, Lead, Rating};
use statistics::estimate::Estimate;

/// Leaderboards.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Leaderboards {
    /// By points, for knockouts only. Debaters and X have boards of their own, since their points are never compared.
    pub points: Vec<PointsBoard>,
    /// By strength, from debates with a winner.
    pub strengths: Vec<StrengthBoard>,
}

/// A leaderboard by points.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PointsBoard {
    /// What is ranked: `model` or `persona`.
    pub of: String,
    /// `debaters` (Y: the sum over rounds of mean totals) or `x` (knockouts).
    pub side: String,
    /// The rows, highest mean first.
    pub rows: Vec<PointsRow>,
}

/// A row of a leaderboard by points.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PointsRow {
    /// The name of the model or persona.
    pub name: String,
    /// The total over all debates.
    pub total: f64,
    /// Points per debate.
    pub mean: Estimate,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// A leaderboard by Bradley–Terry strength.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StrengthBoard {
    /// What is ranked: `model` or `persona`.
    pub of: String,
    /// Comparable debates with two contestants and a judgment.
    pub comparisons: usize,
    /// Draws among them; each counts as half a win for both.
    pub draws: usize,
    /// Distinct topics.
    pub clusters: usize,
    /// Debates that were not compared, by reason.
    pub left_out: BTreeMap<String, usize>,
    /// Whose debates were not compared because something else always, or mostly, went with one of the two.
    pub confounded: Vec<Confounded>,
    /// The rows, strongest first.
    pub rows: Vec<StrengthRow>,
    /// Results of each against each, for a heat map: entry `[i][j]` is row i against row j.
    pub matches: Vec<Vec<Match>>,
    /// Debates in which two swap sides, by pair.
    pub swapped: Vec<SwappedPair>,
    /// How far the strongest is ahead of the next, in the first group in which two are ranked; `null` without such a group, and where
    /// strength cannot be separated from order or side.
    pub lead: Option<Lead<String>>,
    /// How far the first of `lead` is ahead of the second between texts of equal length.
    pub lead_equal_length: Option<Estimate>,
    /// What a text e times as long is worth, in log-odds.
    pub length: Option<Estimate>,
    /// What speaking first is worth.
    pub order: Effect,
    /// What being listed first is worth.
    pub side: Effect,
    /// Connected components of the graph of comparisons.
    pub components: usize,
    /// Resamples drawn.
    pub replicates: usize,
    /// Resamples among them in which a ridge had to keep strengths finite.
    pub ridged: usize,
    /// Notes for the reader, such as why something is missing.
    pub notes: Vec<String>,
}

impl StrengthBoard {
    /// A row by its name.
    pub fn row(&self, name: &str) -> Option<&StrengthRow> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// Whether strengths stand on several scales, which must not be compared.
    pub fn has_groups(&self) -> bool {
        let rows = &self.rows;
        rows.iter().any(|row| row.rating.group > 1)
            && rows.iter().any(|row| row.rating.elo.is_some())
    }
}

/// What may go with one of two and not with the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub enum Trait {
    /// Who sits where.
    #[serde(rename = "seats")]
    Seat,
    /// Who speaks first.
    #[serde(rename = "turns")]
    Turn,
    /// What is argued for.
    #[serde(rename = "positions")]
    Position,
    /// Who is played.
    #[serde(rename = "personas")]
    Persona,
    /// Who plays.
    #[serde(rename = "models")]
    Model,
    /// Judges on the model of one of the two.
    #[serde(rename = "judges of their own")]
    OwnJudges,
    /// Judges whose judgments of one of the two are missing.
    #[serde(rename = "judges heard")]
    Heard,
}

/// Two that cannot be compared: something else told them apart.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Confounded {
    /// The first of the two.
    pub a: String,
    /// The second.
    pub b: String,
    /// What told them apart.
    pub by: Trait,
    /// Their debates.
    pub debates: Vec<usize>,
}

impl Confounded {
    pub(in crate::stats) fn new([a, b]: [&str; 2], by: Trait, debates: Vec<usize>) -> Self {
        Self {
            a: a.to_owned(),
            b: b.to_owned(),
            by,
            debates,
        }
    }
}

/// A row of a leaderboard by strength.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StrengthRow {
    /// The name of the model or persona.
    pub name: String,
    /// Its strength; comparisons are debates.
    #[serde(flatten)]
    pub rating: Rating,
    /// The share of its debates with a winner to find that were played to the end with replies of its own.
    pub available: Estimate,
    /// The tokens it spoke per compared debate.
    pub tokens: Estimate,
    /// Its strength if a contestant loses where an emergency or fallback reply stands in for it and not for the other: `elo` itself
    /// where that happened to none; `null` where it cannot be fitted.
    pub elo_failures_lost: Option<f64>,
    /// Its strength between texts of equal length; `null` where that cannot be fitted.
    pub elo_equal_length: Option<f64>,
    /// Distinct topics among its debates against others.
    pub clusters: usize,
    /// Whether it has too few debates to be ranked (fewer than 10).
    pub small: bool,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// The results of one against another.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Match {
    /// The number of debates.
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

/// What came of pairs of debates on one topic in which two swap sides. Where pairs are split, the side decided and not who was
/// on it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct SwappedPair {
    /// The first of the two.
    pub a: String,
    /// The second.
    pub b: String,
    /// Pairs in which the first won both debates.
    pub a_won_both: usize,
    /// Pairs in which each won one: the same side won twice.
    pub split: usize,
    /// Pairs in which the second won both.
    pub b_won_both: usize,
    /// Pairs with a draw.
    pub with_a_draw: usize,
    /// The debates behind it.
    pub debates: Vec<usize>,
}
