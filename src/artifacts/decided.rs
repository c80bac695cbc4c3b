//! What decided a debate: the criteria that made the margin, what rounds came to, and the judges with their reasons.

use serde_json::{Value, json};

use super::verdict::{criterion, weight};
use crate::event::{Results, RoundWinner, Verdict, Winner, hundredths};
use crate::text;
use crate::trace::Trace;

/// The verdict that the outcome rests on.
pub(super) fn verdict(trace: &Trace) -> Option<&Verdict> {
    trace.own_verdicts().next()
}

/// The criteria that made the margin between the two leaders, the weightiest first: `The lead of 0.60 comes from
/// coherence (0.45) and relevance (0.15).` Where a judge's readings disagree, its margin counts as 0, and scores do not add up to that.
pub(super) fn margin(trace: &Trace) -> Option<String> {
    let verdict = verdict(trace)?;
    let turned = verdict.turns().into_iter();
    let turned = turned.map(|(judge, turn)| turn.consequence(trace.name_of(&judge.judge.id)));
    let turned: Vec<String> = turned.collect();
    match turned.is_empty() {
        true => from_criteria(trace, verdict),
        false => Some(turned.join(" ")),
    }
}

fn from_criteria(trace: &Trace, verdict: &Verdict) -> Option<String> {
    let [mut one, mut other] = verdict.leaders()?;
    match hundredths(verdict.margin()?) {
        0 => return None,
        ..0 => (one, other) = (other, one),
        1.. => {}
    }
    let scores = verdict.scores();
    let (ahead, behind) = (scores.get(one)?, scores.get(other)?);
    let part = |(name, mean): (&String, &f64)| {
        let weight = weight(trace, name).as_f64()?;
        let part = weight * (mean - behind.breakdown.get(name)?);
        Some((criterion(name), part))
    };
    let mut parts: Vec<(String, f64)> = ahead.breakdown.iter().filter_map(part).collect();
    parts.sort_by_key(|(_, part)| -hundredths(part.abs()));
    let named = |sign: i64| {
        let is_own = |(_, part): &&(String, f64)| hundredths(*part).signum() == sign;
        let own = parts.iter().filter(is_own);
        let own = own.map(|(name, part)| format!("{name} ({:.2})", part.abs()));
        text::joined(&own.collect::<Vec<_>>(), "and")
    };
    let margin = verdict.margin()?.abs();
    let (fore, against) = (named(1), named(-1));
    let against = match against.is_empty() {
        true => against,
        false => format!(", less {against}"),
    };
    (!fore.is_empty()).then(|| format!("The lead of {margin:.2} comes from {fore}{against}."))
}

/// Who won which round, with the reasons, where rounds were judged beside the whole debate.
pub(super) fn rounds(trace: &Trace) -> Vec<Value> {
    let won = Results::of(trace.outcome.as_ref()).round_winners;
    let told = |ruling: &RoundWinner| {
        let id = ruling.winner.as_ref().and_then(Winner::id);
        let winner = id.map_or("nobody", |id| trace.name_of(id));
        json!({"round": ruling.round, "winner": winner, "reason": ruling.reason})
    };
    won.iter().map(told).collect()
}
