//! What was found in many debates: the shape of `report.json` and of `rebut stats --format json`. Every other form of the
//! report is rendered from it and from nothing else.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::event::Status;
use crate::facts::{Purpose, Text};
use statistics::estimate::Estimate;
use statistics::survival::Step;

/// The version of the shape of `report.json`.
pub const FINDINGS_VERSION: &str = "1.0";

/// Resamples behind each bootstrap interval.
pub const REPLICATES: usize = 1000;

/// All that was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Findings {
    /// The version of this shape, MAJOR.MINOR.
    pub schema_version: String,
    /// When it was computed; the only part that differs between two runs over the same debates.
    pub generated_at: DateTime<Utc>,
    /// What it was computed from and how.
    pub provenance: Provenance,
    /// What was found, in sentences with their uncertainty; the first is the verdict.
    pub headlines: Vec<String>,
    /// What to distrust, in sentences.
    pub cautions: Vec<String>,
    /// How many debates there are and how they went.
    pub counts: Counts,
    /// Numbers by groups of debates.
    pub breakdowns: Vec<Breakdown>,
    /// Leaderboards by points and by strength.
    pub leaderboards: Leaderboards,
    /// Paired differences between models, a family for each format.
    pub comparisons: Vec<Comparisons>,
    /// How often each score was given.
    pub distributions: Vec<Distribution>,
    /// What is known about the judges.
    pub judges: Judges,
    /// The share of weight behind the leading stance, by round of roundtables.
    pub consensus: Vec<ConsensusRound>,
    /// How long debaters stood, in knockouts.
    pub survival: Option<Survival>,
    /// Tokens and times of calls by model and purpose.
    pub speeds: Vec<Speed>,
    /// What went wrong, by cause; the most frequent first.
    pub failures: Vec<Failure>,
    /// The debates that were counted, in order of their paths. Lists of debates elsewhere name them by `n`.
    pub debates: Vec<DebateLine>,
    /// Files that could not be read as traces.
    pub damaged: Vec<Damaged>,
}

/// What findings were computed from and how.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Provenance {
    /// The version of `rebut`.
    pub rebut: String,
    /// The command, as it was given.
    pub command: String,
    /// The filters, as they were given.
    pub filters: Vec<String>,
    /// The SHA-256 of what was read of the debates that were counted.
    pub corpus: String,
    /// The seed of resampling.
    pub seed: u64,
    /// Resamples behind each bootstrap interval.
    pub replicates: usize,
    /// The confidence of all intervals.
    pub confidence: f64,
}

/// How many debates there are and how they went.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Counts {
    /// Debates with a trace. Debates that were not finished have none.
    pub planned: usize,
    /// As they should be.
    pub done: usize,
    /// Played to the end with something missing.
    pub degraded: usize,
    /// Not played to the end.
    pub failed: usize,
    /// Debates in which a contestant's reply was an emergency reply: counted, not compared.
    pub emergency: usize,
    /// Debates in which a fallback model spoke for a contestant: counted, not compared.
    pub fallback: usize,
    /// Distinct topics: the clusters of all intervals.
    pub topics: usize,
    /// Distinct models that argued.
    pub models: usize,
    /// Distinct judges, by model.
    pub judges: usize,
    /// Rehearsals among the debates that were counted.
    pub rehearsals: usize,
    /// Rehearsals that were left out.
    pub rehearsals_left_out: usize,
    /// Debates that the filters left out.
    pub filtered_out: usize,
    /// Directories that hold a debate of another directory again: counted once.
    pub copies: usize,
    /// Files that could not be read.
    pub damaged: usize,
    /// JudgmentCounts.
    pub judgments: JudgmentCounts,
}

/// How many judgments there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct JudgmentCounts {
    /// Asked for.
    pub planned: usize,
    /// Of use.
    pub valid: usize,
    /// Given, but of no use.
    pub invalid: usize,
    /// Not to be had.
    pub abstained: usize,
}

/// Numbers by groups.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Breakdown {
    /// What was grouped by; empty for all debates together.
    pub by: Vec<String>,
    /// The groups, in order of their names.
    pub groups: Vec<Group>,
}

/// The numbers of a group.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Group {
    /// What its debates share, in the order of the keys.
    pub key: Vec<String>,
    /// Its debates and how they went.
    pub counts: Counts,
    /// What was measured; what its formats lack is left out.
    pub measures: Vec<Measure>,
    /// Incidents by kind.
    pub incidents: BTreeMap<String, usize>,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// A number of a group.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Measure {
    /// A name for machines: `win_rate`, `score.clarity`…
    pub name: String,
    /// A name for people.
    pub label: String,
    /// The format it belongs to, where it has no meaning across formats.
    pub format: Option<String>,
    /// What it counts.
    pub unit: Unit,
    /// The value and its uncertainty.
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// What a number counts; it decides how the number is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A part of a whole, from 0 to 1; shown in per cent.
    Share,
    /// A score on its format's scale; two decimals.
    Score,
    /// A count a debate; two decimals.
    Count,
    /// Tokens; no decimals.
    Tokens,
    /// Minutes; two decimals.
    Minutes,
    /// Seconds; one decimal.
    Seconds,
    /// Elo points; no decimals.
    Elo,
    /// Log-odds; two decimals.
    Logits,
    /// Points of a knockout; two decimals.
    Points,
    /// Krippendorff's alpha; three decimals.
    Alpha,
}

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

/// The worth of an advantage, in log-odds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Effect {
    /// The log-odds it adds.
    pub value: Option<f64>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The chance of winning that it gives one of two equals.
    pub probability: Option<f64>,
    /// Why it is missing.
    pub reason: Option<String>,
}

/// Paired differences within one format.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Comparisons {
    /// The format.
    pub format: String,
    /// What is compared: `score.total`.
    pub measure: String,
    /// The least and the most of that score.
    pub scale: Option<(u8, u8)>,
    /// The pairs of models, each with the differences first minus second.
    pub pairs: Vec<PairedDifference>,
    /// Why there is none.
    pub reason: Option<String>,
}

/// The difference between two models on what both debated.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PairedDifference {
    /// The first model.
    pub a: String,
    /// The second.
    pub b: String,
    /// Whether the two were compared over all seats of a debate, since no seat was taken by both.
    pub across_seats: bool,
    /// First minus second, over pairs, clustered by topic.
    pub difference: Estimate,
    /// The two-sided p-value of no difference.
    pub p: Option<f64>,
    /// The same, corrected after Holm for all pairs of the family.
    pub p_adjusted: Option<f64>,
    /// The smallest difference that as many pairs would show with 80 % power.
    pub detectable: Option<f64>,
    /// The design effect of clustering.
    pub deff: Option<f64>,
    /// The pairs that would show a difference as large as the one found with 80 % power.
    pub needed: Option<usize>,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

impl PairedDifference {
    /// Whether the two differ clearly after correction.
    pub fn is_clear(&self) -> bool {
        self.p_adjusted.is_some_and(|p| p < 0.05)
    }
}

/// How often each score was given.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Distribution {
    /// The format.
    pub format: String,
    /// The criterion.
    pub criterion: String,
    /// The least and the most of the scale.
    pub scale: Option<(u8, u8)>,
    /// Scores and how often each was given, the lowest first.
    pub counts: Vec<(f64, usize)>,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// What is known about the judges.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Judges {
    /// Agreement, by format and what was judged.
    pub agreement: Vec<AgreementRow>,
    /// Each judge's scores, by model and format.
    pub rows: Vec<JudgeRow>,
    /// Whether the contestant that a judge reads first does better.
    pub order: Vec<OrderBias>,
    /// Judges (by model) against the families of the models they judged: the mean total.
    pub families: Vec<FamilyCell>,
    /// Whether longer statements score higher: the slope of the total on the natural logarithm of tokens, within debates.
    pub verbosity: Vec<Slope>,
}

/// How far judges of the same thing agree.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AgreementRow {
    /// The format.
    pub format: String,
    /// What was judged: a criterion, `total`, `keep` or `winner`.
    pub what: String,
    /// `nominal`, `ordinal` or `interval`.
    pub metric: String,
    /// Things that two judges or more judged.
    pub units: usize,
    /// JudgmentCounts of these.
    pub ratings: usize,
    /// Krippendorff's alpha: 1 is agreement, 0 is chance.
    pub alpha: Option<f64>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The share of pairs of judges that gave the same.
    pub exact: Estimate,
    /// Why something is missing.
    pub reason: Option<String>,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// One judge.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct JudgeRow {
    /// The model that judged.
    pub judge: String,
    /// The format.
    pub format: String,
    /// Its judgments.
    pub judgments: JudgmentCounts,
    /// The mean total it gave.
    pub mean: Estimate,
    /// What it gave above the other judges of the same.
    pub leniency: Estimate,
    /// What it gave above another judge to texts of its own family, less the same for other families; over pairs of judgments, those
    /// of others on their own families apart.
    pub self_preference: Estimate,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// Whether the contestant that is read first does better.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OrderBias {
    /// The format.
    pub format: String,
    /// The judge's model; `null` for all together.
    pub judge: Option<String>,
    /// The share of decided judgments in which the contestant read first has the higher total; ½ is none. Over contestants that were read in
    /// both places.
    pub first_slot: Estimate,
    /// The share of pairs of opposite reading orders of the same debate by the same judge that decide alike.
    pub consistent: Estimate,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// A judge and a family.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FamilyCell {
    /// The format.
    pub format: String,
    /// The model that judged.
    pub judge: String,
    /// The judge's family.
    pub judge_family: Option<String>,
    /// The family of the model that was judged.
    pub family: String,
    /// The mean total.
    pub mean: Estimate,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// A slope within debates.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Slope {
    /// The format.
    pub format: String,
    /// The judge's model; `null` for all together.
    pub judge: Option<String>,
    /// Points of total a unit of the natural logarithm of tokens.
    pub slope: Estimate,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// One round of consensus.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ConsensusRound {
    /// The round.
    pub round: u32,
    /// The share of weight behind the leading stance, over debates.
    pub leading: Estimate,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// How long debaters stood.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Survival {
    /// Stands: from coming in to being voted out or to the end of the debate, which censors them.
    pub spells: usize,
    /// After each round (Kaplan–Meier).
    pub steps: Vec<Step>,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// Calls of a model for a purpose.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Speed {
    /// The model.
    pub model: String,
    /// What for.
    pub purpose: Purpose,
    /// Calls that were answered.
    pub calls: usize,
    /// Tokens of a reply: the median.
    pub tokens_p50: f64,
    /// The 95th percentile.
    pub tokens_p95: f64,
    /// Model time of a call in seconds: the median.
    pub seconds_p50: f64,
    /// The 95th percentile.
    pub seconds_p95: f64,
    /// The debates behind it.
    pub debates: Vec<usize>,
}

/// Something that went wrong.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Failure {
    /// The kind of incident, or the cause of a failed debate.
    pub kind: String,
    /// How often.
    pub incidents: usize,
    /// The debates it happened in.
    pub debates: Vec<usize>,
}

/// A debate that was counted.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DebateLine {
    /// Its number in this report, from 1.
    pub n: usize,
    /// Its id, 64 hexadecimal digits.
    pub id: Arc<str>,
    /// Its directory, with `/` between the parts, relative to where the report is written (to the current directory for `stats`).
    pub path: String,
    /// The format.
    #[schemars(with = "String")]
    pub format: Text,
    /// The job.
    #[schemars(with = "String")]
    pub job: Text,
    /// The topic.
    #[schemars(with = "String")]
    pub topic: Text,
    /// How it ended.
    pub status: Status,
    /// Why it is not `done`.
    #[schemars(with = "Option<String>")]
    pub cause: Option<Text>,
    /// The outcome in one line.
    pub outcome: Option<Arc<str>>,
    /// Whether it is a rehearsal.
    pub rehearsal: bool,
    /// Whether a contestant's reply was an emergency reply.
    pub emergency: bool,
    /// Whether a fallback model spoke for a contestant.
    pub fallback: bool,
    /// When it began.
    pub started_at: DateTime<Utc>,
}

/// A file that could not be read as a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Damaged {
    /// The file.
    pub path: String,
    /// Why.
    pub cause: String,
}
