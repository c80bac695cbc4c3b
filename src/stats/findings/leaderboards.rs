//! Leaderboards by points and by strength.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::places::{Coincidence, PositionWins, Trait};
use statistics::bradley_terry::{Effect, Lead, Rating, expected_score};
use statistics::estimate::Estimate;

/// Leaderboards.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Leaderboards {
    /// By points, for knockouts only. Debaters and X have separate boards, since their points are not comparable.
    pub points: Vec<PointsBoard>,
    /// By strength, from debates with a winner.
    pub strengths: Vec<StrengthBoard>,
}

/// A leaderboard by points.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PointsBoard {
    /// `debaters` (Y: the mean over its rounds of the mean total of the ballots) or `x` (knockouts).
    pub side: String,
    /// The rows, highest mean first.
    pub rows: Vec<PointsRow>,
}

/// A row of a leaderboard by points.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PointsRow {
    /// The model.
    pub name: String,
    /// The total over all debates.
    pub total: f64,
    /// Points per debater and debate.
    pub mean: Estimate,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// A leaderboard by Bradley–Terry strength.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StrengthBoard {
    /// Comparable debates between two different contestants, with a judgment.
    pub comparisons: usize,
    /// The same of one against itself, which say nothing of strength, but what order and side are worth.
    pub against_itself: usize,
    /// Draws among them; each counts as half a win for both.
    pub draws: usize,
    /// Draws among them in which a judge put one side ahead in one order and the other side in the other.
    pub draws_turned: usize,
    /// Distinct topics.
    pub clusters: usize,
    /// Debates not compared, by reason.
    pub left_out: BTreeMap<String, usize>,
    /// Who won how often, by format and pair, whether or not they are compared.
    pub wins: Vec<WinCount>,
    /// Pairs not compared because something else always, or mostly, coincided with one of the two.
    pub confounded: Vec<Confounded>,
    /// The rows, strongest first.
    pub rows: Vec<StrengthRow>,
    /// Results of each pair, for a heat map: entry `[i][j]` is row i against row j.
    pub matches: Vec<Vec<Match>>,
    /// Pairs of debates between which two contestants exchange positions or turns, by pair of contestants.
    pub swapped: Vec<SwappedPair>,
    /// How far each two ranked contestants of a group are apart, the first group before the second, the strongest of each first; empty
    /// without such a group, or if strength cannot be separated from order or side. The first is that of the strongest and the next.
    pub distances: Vec<Distance>,
    /// The difference in Elo that `clusters_needed` plans for.
    pub planned: f64,
    /// The first of `distances` at equal text length.
    pub lead_equal_length: Option<Estimate>,
    /// The effect of a text e times as long, in log-odds.
    pub length: Option<Estimate>,
    /// How many debates tell what order and side are worth: those within groups, and of one against itself.
    #[serde(skip)]
    pub fitted: usize,
    /// The effect of speaking first.
    pub order: Effect,
    /// The effect of being listed first.
    pub side: Effect,
    /// What else whoever spoke first had always, or mostly: `order` is the effect of all of it together.
    pub first_speakers: Vec<Coincidence>,
    /// How often each position won against another that it met on several topics.
    pub positions: Vec<PositionWins>,
    /// Connected components of the graph of comparisons.
    pub components: usize,
    /// Resamples drawn.
    pub replicates: usize,
    /// Those of them that needed a ridge to keep strengths finite.
    pub ridged: usize,
    /// Notes for the reader, such as why something is missing.
    pub notes: Vec<String>,
}

impl StrengthBoard {
    /// How far the strongest is ahead of the next.
    pub fn lead(&self) -> Option<&Distance> {
        self.distances.first()
    }

    /// A row by its name.
    pub fn row(&self, name: &str) -> Option<&StrengthRow> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// Which of two is shown to be stronger: by how far they are apart, or by ranks, as after wins without exception.
    pub fn stronger<'n>(&self, [a, b]: [&'n str; 2]) -> Option<&'n str> {
        let is_above = |above: &str, below: &str| {
            let mut clear = self.distances.iter().filter(|it| it.clear);
            let rows = self.row(above).zip(self.row(below));
            clear.any(|it| it.above == above && it.below == below)
                || rows.is_some_and(|(above, below)| above.is_above(below))
        };
        if is_above(a, b) { Some(a) } else { is_above(b, a).then_some(b) }
    }

    /// Whether the debates that are compared are all of one format.
    pub fn is_of_one_format(&self) -> bool {
        let compared = self.wins.iter().filter(|one| one.not_compared < one.debates.len());
        compared.map(|one| &one.format).collect::<BTreeSet<_>>().len() == 1
    }

    /// Takes out what could be detected: intervals that draws narrow say nothing of it.
    pub(in crate::stats) fn without_power(&mut self) {
        for one in &mut self.distances {
            (one.found.detectable, one.found.clusters_needed) = (None, None);
        }
    }

    /// Whether two met in a debate that is compared.
    pub(in crate::stats) fn has_met(&self, a: &str, b: &str) -> bool {
        let place = |name: &str| self.rows.iter().position(|row| row.name == name);
        place(a).zip(place(b)).is_some_and(|(a, b)| self.matches[a][b].n > 0)
    }

    /// Whether strengths stand on several scales, which must not be compared.
    pub fn has_groups(&self) -> bool {
        let rows = &self.rows;
        rows.iter().any(|row| row.rating.group > 1)
            && rows.iter().any(|row| row.rating.elo.is_some())
    }
}

/// What scores of two models say to one being stronger.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Support {
    /// They are not compared, or in one format the same one's are clearly higher and in none the other's.
    Full,
    /// In each format the same one's are higher, in none clearly; the smallest corrected p.
    SameWay(f64),
    /// Neither.
    None,
}

/// How far two contestants are apart.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Distance {
    /// The stronger one.
    pub above: String,
    /// The other.
    pub below: String,
    /// The distance.
    #[serde(flatten)]
    pub found: Lead,
    /// The resulting expected score of the first: its chance of a win and half that of a draw.
    pub expected_score: f64,
    /// The lower end of its 95% interval.
    pub expected_score_low: Option<f64>,
    /// The upper end.
    pub expected_score_high: Option<f64>,
    /// Whether the first is shown to be stronger: for models, a corrected p below 0.045, and scores that bear it out.
    pub clear: bool,
    /// What scores say to that.
    #[serde(skip)]
    pub support: Support,
}

impl Distance {
    pub(in crate::stats) fn new(
        found: &Lead,
        [above, below]: [&str; 2],
        clear: bool,
        support: Support,
    ) -> Self {
        Self {
            above: above.to_owned(),
            below: below.to_owned(),
            support,
            expected_score: expected_score(found.elo),
            expected_score_low: found.low.map(expected_score),
            expected_score_high: found.high.map(expected_score),
            found: found.clone(),
            clear,
        }
    }
}

/// Who won how often of two models that met in a format: what happened, and no comparison.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WinCount {
    /// The format.
    pub format: String,
    /// The first.
    pub a: String,
    /// The second.
    pub b: String,
    /// Debates that the first won.
    pub won_by_a: usize,
    /// Debates that the second won.
    pub won_by_b: usize,
    /// Debates that neither won.
    pub draws: usize,
    /// The models that judged.
    pub judges: Vec<String>,
    /// How many of the debates each of them judged.
    pub judged: Vec<usize>,
    /// How many of the debates are not compared, because something else tells the two apart.
    pub not_compared: usize,
    /// What tells them apart in these.
    pub because: Vec<String>,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// Two contestants that cannot be compared, because they also differ in something else.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Confounded {
    /// The first.
    pub a: String,
    /// The second.
    pub b: String,
    /// The difference.
    pub by: Trait,
    /// Their debates.
    pub debates: Vec<usize>,
    /// Where debates are missing that a batch planned: how many have ended, of how many.
    #[serde(skip)]
    pub(in crate::stats) progress: Option<[usize; 2]>,
    /// A job in which it does not tell them apart, of several.
    #[serde(skip)]
    pub(in crate::stats) job: Option<String>,
}

impl Confounded {
    pub(in crate::stats) fn new([a, b]: [&str; 2], by: Trait, debates: Vec<usize>) -> Self {
        Self { a: a.to_owned(), b: b.to_owned(), by, debates, progress: None, job: None }
    }
}

/// A row of a leaderboard by strength.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StrengthRow {
    /// The model.
    pub name: String,
    /// Its strength; comparisons are debates.
    #[serde(flatten)]
    pub rating: Rating,
    /// The share of its debates in formats with a winner that ended with its own replies only.
    pub available: Estimate,
    /// Tokens spoken per compared debate.
    pub tokens: Estimate,
    /// Its strength at equal text length; `null` if it cannot be fitted.
    pub elo_equal_length: Option<Estimate>,
    /// Distinct topics among its debates against others.
    pub clusters: usize,
    /// Whether it has too few debates to be ranked (fewer than 10).
    pub small: bool,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

impl StrengthRow {
    /// Whether its worst rank is above the best of another, which debates link to it.
    pub(in crate::stats) fn is_above(&self, other: &Self) -> bool {
        let (own, others) = (&self.rating, &other.rating);
        let ranks = own.rank_worst.zip(others.rank_best);
        let is_ranked = !self.small && !other.small && own.component == others.component;
        is_ranked && ranks.is_some_and(|(worst, best)| worst < best)
    }
}

/// The results of one against another.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Match {
    /// The number of debates.
    pub n: usize,
    /// The win rate: a draw counts half; `null` without a debate.
    pub score: Option<f64>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Why something is missing, or an assumption behind the interval.
    pub reason: Option<String>,
    /// The underlying debates.
    pub debates: Vec<usize>,
}

/// What two contestants exchange between two debates on one topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exchange {
    /// Their positions; who speaks first stays.
    #[default]
    Positions,
    /// Who speaks first; their positions stay.
    Turns,
    /// Both together.
    #[serde(rename = "positions_and_turns")]
    Both,
}

/// Results of pairs of debates on one topic, in one format and job, between which two contestants exchange positions or turns. In a
/// split pair each won once, with the same position or turn; by chance alone this happens in up to half of pairs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct SwappedPair {
    /// The first.
    pub a: String,
    /// The second.
    pub b: String,
    /// What they exchange.
    pub swapped: Exchange,
    /// Pairs in which the first won both debates.
    pub a_won_both: usize,
    /// Pairs in which each won once: the same position or turn won twice.
    pub split: usize,
    /// The number of split pairs to expect if what they exchange decided nothing: 2p(1 − p) of the pairs without a draw, with p the
    /// first's share of wins in them.
    pub split_by_chance: f64,
    /// Pairs in which the second won both.
    pub b_won_both: usize,
    /// Pairs with a draw.
    pub with_a_draw: usize,
    /// The underlying debates.
    pub debates: Vec<usize>,
}
