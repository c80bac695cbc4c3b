//! Scores by criterion, a line each, for texts without tables.

use serde_json::Value;

use super::verdict::{criterion, scores, weight};
use super::{ballots, decided};
use crate::artifacts::line::Line;
use crate::event::Score;
use crate::text;
use crate::trace::Trace;

/// What a line of scores stands under.
pub(in crate::artifacts) const SCORES: &str = "Scores";

/// The scores of the whole debate by contestant, then the means of each round's ballots: `Ann: clarity 7.00 (weight 0.40), depth
/// 6.50 (weight 0.60); total 6.70`.
pub(in crate::artifacts) fn lines(trace: &Trace) -> Vec<Line> {
    let scores = decided::verdict(trace).map(|verdict| scores(trace, verdict)).unwrap_or_default();
    let judged = scores.iter().map(|(name, score)| judged_line(trace, name, score));
    let ballots = ballots::shown(trace).unwrap_or_default();
    let rounds = ballots["table"].as_array().into_iter().flatten();
    let voted = rounds.filter_map(|round| voted_line(&ballots["criteria"], round));
    let all: Vec<String> = judged.chain(voted).collect();
    all.iter().map(|line| Line::new(line, Vec::new())).collect()
}

fn judged_line(trace: &Trace, name: &str, score: &Score) -> String {
    let parts = score.breakdown.iter().map(|(name, mean)| {
        let weight = weight(trace, name);
        part(&criterion(name), &weight, *mean)
    });
    format!("{name}: {}; total {}", text::separated(parts, ", "), text::fixed(score.total, 2))
}

/// Of a round without a ballot that can be used, nothing.
fn voted_line(criteria: &Value, round: &Value) -> Option<String> {
    let total = text::fixed(round["total"].as_f64()?, 2);
    let means = round["means"].as_array().into_iter().flatten();
    let criteria = criteria.as_array().into_iter().flatten();
    let parts = criteria.zip(means).filter_map(|(criterion, mean)| {
        let name = criterion["name"].as_str()?;
        Some(part(name, &criterion["weight"], mean.as_f64()?))
    });
    let (debater, n) = (round["debater"].as_str()?, round["round"].as_str()?);
    Some(format!("Round {n}, {debater}: {}; total {total}", text::separated(parts, ", ")))
}

fn part(name: &str, weight: &Value, mean: f64) -> String {
    let weight = weight.as_f64();
    let weight = weight.map_or_else(String::new, |weight| format!(" (weight {weight:.2})"));
    format!("{name} {}{weight}", text::fixed(mean, 2))
}
