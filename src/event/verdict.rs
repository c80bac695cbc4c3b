//! A judgment of the whole debate, and what it comes to: means over its valid readings. The arithmetic is ours, never a model's.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::judged::{Judge, Reading, ReadingStatus};

/// A judgment of the whole debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// `own` for the debate's own judges; others may be added later.
    pub source: String,
    /// What was judged by.
    pub rubric: Rubric,
    /// Who judged, and how.
    pub judges: Vec<VerdictJudge>,
    /// The winner's id, `draw`, or `null` without a judgment or where nobody can win.
    pub winner: Option<String>,
    /// What the winner rests on.
    pub winner_reason: Option<String>,
}

/// What was judged by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rubric {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The digest of its text.
    pub digest: String,
    /// The least and the most of a score.
    #[serde(default)]
    pub scale: Option<(u8, u8)>,
}

/// A judge of the whole debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictJudge {
    /// Who.
    #[serde(flatten)]
    pub judge: Judge,
    /// Its judgments, one for each reading order.
    pub readings: Vec<Reading>,
}

/// What a contestant was given.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// The mean weighted total.
    pub total: f64,
    /// The mean by criterion.
    pub breakdown: BTreeMap<String, f64>,
}

impl Verdict {
    /// The readings that can be used.
    pub fn valid(&self) -> impl Iterator<Item = &Reading> {
        let readings = self.judges.iter().flat_map(|judge| &judge.readings);
        readings.filter(|reading| reading.status == ReadingStatus::Valid)
    }

    /// Each contestant's mean total over the valid readings; nobody's where there is none.
    pub fn means(&self) -> BTreeMap<String, f64> {
        let mut all: BTreeMap<&String, Vec<f64>> = BTreeMap::new();
        for (id, total) in self.valid().flat_map(|reading| &reading.totals) {
            all.entry(id).or_default().push(*total);
        }
        all.into_iter()
            .map(|(id, totals)| (id.clone(), mean(&totals)))
            .collect()
    }

    /// Each contestant's means over the valid readings, by criterion too.
    pub fn scores(&self) -> BTreeMap<String, Score> {
        let score = |(id, total): (String, f64)| {
            let breakdown = self.breakdown(&id);
            (id, Score { total, breakdown })
        };
        self.means().into_iter().map(score).collect()
    }

    fn breakdown(&self, id: &str) -> BTreeMap<String, f64> {
        let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for (criterion, score) in self.valid().flat_map(|reading| reading.scores_of(id)) {
            all.entry(criterion).or_default().push(score);
        }
        all.into_iter()
            .map(|(criterion, scores)| (criterion.to_owned(), mean(&scores)))
            .collect()
    }
}

fn mean(values: &[f64]) -> f64 {
    rounded(values.iter().sum::<f64>() / values.len() as f64)
}

/// To six decimals, so that sums of weights carry no binary dust.
pub fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
