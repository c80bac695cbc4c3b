//! The ledger of a dialectic, as `summary.md` shows it: each point with its answers and how it stands, and how the first
//! answer compares with the final one.

use serde_json::{Value, json};

use super::arguments::number;
use crate::text;
use crate::trace::Trace;

/// The points of the skeptic as rows of a table; none in other formats.
pub(super) fn rows(trace: &Trace) -> Vec<Value> {
    let points = detail(trace, "ledger").as_array().into_iter().flatten();
    let last = detail(trace, "total_rounds");
    points.map(|point| row(point, last)).collect()
}

/// How each judge compares the first answer with the final one, in the words that decided it.
pub(super) fn compared(trace: &Trace) -> Vec<Value> {
    let judge = |compared: &Value| {
        let name = trace.name_of(compared["id"].as_str().unwrap_or_default());
        json!({"judge": name, "reasons": reasons(compared)})
    };
    let judges = &detail(trace, "comparison")["judges"];
    judges.as_array().into_iter().flatten().map(judge).collect()
}

fn detail<'t>(trace: &'t Trace, key: &str) -> &'t Value {
    let details = trace.outcome.as_ref().map(|outcome| &outcome.details);
    let found = details.and_then(|details| details.get(key));
    found.unwrap_or(&Value::Null)
}

fn row(point: &Value, last_round: &Value) -> Value {
    let statement = point["statement"]
        .as_u64()
        .and_then(|n| u32::try_from(n).ok());
    json!({
        "n": point["n"],
        "mark": mark(&point["severity"]),
        "attack": point["strategy"].as_str().map(|attack| attack.replace('_', " ")),
        "claim": point["claim"],
        "text": point["text"],
        // What was mended needs no word on how.
        "mend": (point["status"] != "resolved").then_some(&point["mend"]),
        "in": statement.map(number),
        "answers": answers(&point["answers"]),
        "stands": match point["status"].is_null() && &point["round"] == last_round {
            true => "open, raised in the last round",
            false => stands(&point["status"]),
        },
        "last": point["last"].as_str().filter(|last| !last.is_empty()),
    })
}

fn mark(severity: &Value) -> &'static str {
    match severity.as_str() {
        Some("critical") => "🔴",
        Some("major") => "🟡",
        _ => "🟢",
    }
}

fn stands(status: &Value) -> &'static str {
    match status.as_str() {
        Some("resolved") => "✅ resolved",
        Some("partial") => "⚠️ resolved in part",
        Some("unresolved") => "❌ not resolved",
        _ => "open",
    }
}

/// `defended in round 2, accepted in rounds 3 and 4`.
fn answers(answers: &Value) -> String {
    let mut told: Vec<(&str, Vec<String>)> = Vec::new();
    for answer in answers.as_array().into_iter().flatten() {
        let word = match answer["answer"].as_str() {
            Some("accept") => "accepted",
            _ => "defended",
        };
        let round = answer["round"].to_string();
        match told.last_mut().filter(|(last, _)| *last == word) {
            Some((_, rounds)) => rounds.push(round),
            None => told.push((word, vec![round])),
        }
    }
    let words = told.iter().map(|(word, rounds)| {
        let noun = if rounds.len() == 1 { "round" } else { "rounds" };
        format!("{word} in {noun} {}", text::joined(rounds, "and"))
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The reading whose answer is the judge's; both, where the order decided.
fn reasons(compared: &Value) -> Vec<Value> {
    let readings = compared["readings"].as_array().into_iter().flatten();
    let valid = readings.filter(|reading| reading["better"].is_string());
    let shown = if compared["changed_with_the_order"] == true {
        2
    } else {
        1
    };
    let reason = |reading: &Value| {
        json!({
            "order": (shown == 2).then(|| order(&reading["order"])),
            "said": said(&reading["better"]),
            "reason": reading["reason"],
        })
    };
    valid.take(shown).map(reason).collect()
}

fn said(better: &Value) -> &'static str {
    match better.as_str() {
        Some("final") => "the final answer",
        Some("first") => "the first answer",
        _ => "neither",
    }
}

/// Which answer the judge read as text 1 and which as text 2.
fn order(order: &Value) -> String {
    let places = order.as_array().into_iter().flatten().zip(1..);
    let places = places.map(|(which, n)| format!("text {n} is {}", said(which)));
    let places: Vec<String> = places.collect();
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    text::joined(&places, "and")
}
