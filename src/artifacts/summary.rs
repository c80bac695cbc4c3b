//! `summary.md`: what it came to, what decided it, the scores and the judges' reasons, whole.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::context::with;
use super::course::{Claims, interjection, rejection};
use super::verdict::{verdict, weight};
use super::{arguments, index, ledger, own_judges, place, stances, who};
use crate::event::{Ballot, ReadingStatus};
use crate::trace::Trace;

/// What the template shows.
pub(super) fn context(trace: &Trace) -> Value {
    let criteria: BTreeSet<&String> = trace
        .ballots
        .iter()
        .flat_map(|ballot| ballot.reading.scores.keys())
        .collect();
    let rounds: Vec<Value> = trace
        .rounds
        .iter()
        .map(|notes| round(trace, notes.round, &criteria))
        .collect();
    let invalid = trace
        .ballots
        .iter()
        .filter(|b| b.reading.status != ReadingStatus::Valid)
        .count();
    with(
        trace,
        json!({
            "criteria": criteria,
            "weights": criteria.iter().map(|name| weight(trace, name)).collect::<Vec<_>>(),
            "rounds": rounds,
            "query": trace.plan.query,
            "ratings": trace.labels.iter().filter(|label| label.name == "rating").collect::<Vec<_>>(),
            "final": final_text(trace),
            "facts": facts(trace),
            "who": who::lines(trace),
            "judged_by": who::judged_by(trace),
            "in_short": in_short(trace),
            "arguments": arguments::ended(trace),
            "clerk": who::clerk(trace),
            "compared": ledger::compared(trace),
            "ledger": ledger::rows(trace),
            "verdicts": trace.verdicts.iter().map(|v| verdict(trace, v)).collect::<Vec<_>>(),
            "stances": stances::shown(trace),
            "interjections": trace.interjections.iter().map(|i| interjection(trace, i)).collect::<Vec<_>>(),
            "claims": Claims::of(trace).shown(),
            "rejections": trace.rejections.iter().map(|r| rejection(trace, r)).collect::<Vec<_>>(),
            "own_judges": own_judges::notes(trace),
            "judged": !trace.ballots.is_empty(),
            "ballots": trace.ballots.len(),
            "invalid": invalid,
        }),
    )
}

fn round(trace: &Trace, number: u32, criteria: &BTreeSet<&String>) -> Value {
    let ballots: Vec<&Ballot> = trace
        .ballots
        .iter()
        .filter(|ballot| ballot.round == number)
        .collect();
    let means: Vec<Option<f64>> = criteria
        .iter()
        .map(|name| {
            mean(
                ballots
                    .iter()
                    .filter_map(|b| b.reading.scores.get(*name).copied()),
            )
        })
        .collect();
    let notes = trace.rounds.iter().find(|notes| notes.round == number);
    json!({
        "round": number,
        "debater": ballots.first().map(|ballot| trace.name_of(&ballot.about)),
        "means": means,
        "total": mean(ballots.iter().filter_map(|b| b.reading.totals.get(&b.about).copied())),
        "keeps": ballots.iter().filter(|b| b.keep == Some(true)).count(),
        "replaces": ballots.iter().filter(|b| b.keep == Some(false)).count(),
        "headline": notes.map(|notes| &notes.headline),
        "summary": notes.map(|notes| &notes.summary),
        "reasons": ballots.iter().map(|ballot| reason(trace, ballot)).collect::<Vec<_>>(),
    })
}

fn reason(trace: &Trace, ballot: &Ballot) -> Value {
    json!({
        "judge": trace.name_of(&ballot.by.id),
        "status": ballot.reading.status,
        "total": ballot.reading.totals.get(&ballot.about),
        "keep": ballot.keep,
        "reason": ballot.reading.reason,
        "cause": ballot.reading.cause,
    })
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Facts of the outcome that a reader has not read elsewhere: zeros say nothing, and scores stand in the verdict's table.
fn facts(trace: &Trace) -> Vec<&(String, String)> {
    let scored = !trace.verdicts.is_empty();
    let nothing = ["", "0", "none", "nobody"];
    let in_table = |name: &str| {
        let repeated = ["Score of ", "Totals", "Auto-score", "Valid verdicts"];
        scored && repeated.iter().any(|begins| name.starts_with(begins))
    };
    let outcome = trace.outcome.iter().flat_map(|outcome| &outcome.facts);
    let told =
        outcome.filter(|(name, value)| !nothing.contains(&value.as_str()) && !in_table(name));
    told.collect()
}

/// What judges made of the debate in a few sentences, where a format asks them to.
fn in_short(trace: &Trace) -> Option<&str> {
    let told = trace.outcome.as_ref()?.details.get("summary")?.as_str()?;
    Some(told).filter(|told| !told.trim().is_empty() && place::final_text(trace).is_none())
}

/// The debate's answer, synthesis or summary.
fn final_text(trace: &Trace) -> Option<Value> {
    let statement = place::final_text(trace)?;
    let what = if statement.phase == "summary" {
        "Summary"
    } else {
        "Answer"
    };
    let title = format!("{what} by {}", trace.name_of(&statement.by));
    Some(json!({"title": title, "text": statement.text, "note": index::note(statement)}))
}
