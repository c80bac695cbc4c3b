//! The ledger of a dialectic, as `summary.md` shows it: each point with its answers and how it stands, and how the first
//! answer compares with the final one.

use serde_json::{Value, json};

use super::line::Line;
use super::place::number;
use crate::text;
use crate::trace::Trace;

/// Characters of what is wrong with a point where it is named in a sentence.
const CORE: usize = 160;
/// Characters of the words that it quotes.
const CLAIM: usize = 70;

/// The points of the skeptic as rows of a table; none in other formats.
pub(super) fn rows(trace: &Trace) -> Vec<Value> {
    let last = detail(trace, "total_rounds");
    entries(trace)
        .iter()
        .map(|point| row(point, last))
        .collect()
}

/// The points of the skeptic, with all that is known of them.
pub(super) fn entries(trace: &Trace) -> &[Value] {
    detail(trace, "ledger")
        .as_array()
        .map_or(&[], Vec::as_slice)
}

/// A point with its severity and how it stands, in a line each: those that are open first, the gravest first.
pub(super) fn lines(trace: &Trace) -> Vec<Line> {
    let last = detail(trace, "total_rounds");
    let mut all: Vec<&Value> = entries(trace).iter().collect();
    all.sort_by_key(|point| (point["status"] == "resolved", rank(&point["severity"])));
    let line = |point: &&Value| {
        let severity = point["severity"].as_str().unwrap_or_default();
        let stands = stands(point, last);
        // What is settled needs few words.
        let is_settled = point["status"] == "resolved";
        let said = said_last(point).filter(|_| !is_settled);
        let said = said.map_or_else(String::new, |said| format!(" The skeptic: {said}"));
        let core = if is_settled {
            named(point)
        } else {
            core(point)
        };
        let core = text::sentence(&core);
        let line = format!("Point {}, {severity} ({stands}): {core}{said}", point["n"]);
        let statement = point["statement"]
            .as_u64()
            .and_then(|n| u32::try_from(n).ok());
        Line::new(&line, statement.into_iter().collect())
    };
    all.iter().map(line).collect()
}

/// A point by its core: the words of the answer that it is about, and what is wrong with them.
pub(super) fn core(point: &Value) -> String {
    let claim = point["claim"].as_str().filter(|claim| !claim.is_empty());
    let claim = claim.map(|claim| format!("“{claim}” – "));
    let fault = text::unmarked(point["text"].as_str().unwrap_or_default());
    let fault = text::beginning(&fault, CORE);
    claim.into_iter().chain([fault]).collect()
}

/// A point in few words: the quoted words shortened, and the first sentence on what is wrong.
pub(super) fn named(point: &Value) -> String {
    let claim = point["claim"].as_str().filter(|claim| !claim.is_empty());
    let claim = claim.map(|claim| format!("“{}” – ", text::shorten(claim, CLAIM)));
    let fault = text::gist(point["text"].as_str().unwrap_or_default(), CORE);
    claim.into_iter().chain([fault]).collect()
}

/// The number of the point behind a point of the flow and how it stands: both are numbered in the order in which they were
/// raised.
pub(super) fn behind<'t>(trace: &'t Trace, id: &str) -> Option<(&'t Value, &'static str)> {
    let at = trace.flow.points.iter().position(|point| point.id == id)?;
    let point = entries(trace).get(at)?;
    Some((&point["n"], stands(point, detail(trace, "total_rounds"))))
}

/// Whether the proposer's last answer to a point accepts it.
pub(super) fn ends_accepted(point: &Value) -> bool {
    let answers = point["answers"].as_array();
    let last = answers.and_then(|all| all.last());
    last.is_some_and(|answer| answer["answer"] == "accept")
}

/// Whether the proposer once defended what a point attacks.
pub(super) fn was_defended(point: &Value) -> bool {
    let mut answers = point["answers"].as_array().into_iter().flatten();
    answers.any(|answer| answer["answer"] == "defend")
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

/// A value among the outcome's details; `null` where there is none.
pub(super) fn detail<'t>(trace: &'t Trace, key: &str) -> &'t Value {
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
        "stands": format!("{}{}", sign(&point["status"]), stands(point, last_round)),
        "last": said_last(point),
    })
}

/// What the skeptic last said of a point, without words that only repeat how it stands.
fn said_last(point: &Value) -> Option<String> {
    let said = point["last"].as_str()?.trim();
    let repeats: &[&str] = match point["status"].as_str() {
        Some("resolved") => &["Settled", "Resolved"],
        Some("partial") => &[
            "Better, but not resolved",
            "Better, but",
            "Better",
            "Partly resolved",
        ],
        _ => &["Unresolved", "Not resolved"],
    };
    let without = repeats.iter().find_map(|word| said.strip_prefix(word));
    let without = without.map_or(said, |rest| {
        rest.trim_start_matches([':', '.', ',', ';', ' '])
    });
    (!without.is_empty()).then(|| text::capitalised(without))
}

/// The gravest first.
fn rank(severity: &Value) -> u8 {
    match severity.as_str() {
        Some("critical") => 0,
        Some("major") => 1,
        _ => 2,
    }
}

fn mark(severity: &Value) -> &'static str {
    match severity.as_str() {
        Some("critical") => "🔴",
        Some("major") => "🟡",
        _ => "🟢",
    }
}

fn sign(status: &Value) -> &'static str {
    match status.as_str() {
        Some("resolved") => "✅ ",
        Some("partial") => "⚠️ ",
        Some("unresolved") => "❌ ",
        _ => "",
    }
}

/// How a point stands, as the skeptic last saw it.
pub(super) fn stands(point: &Value, last_round: &Value) -> &'static str {
    match point["status"].as_str() {
        Some("resolved") => "resolved",
        Some("partial") => "resolved in part",
        Some("unresolved") => "not resolved",
        _ if &point["round"] == last_round => "open, raised in the last round",
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
            "reason": by_name(reading),
        })
    };
    valid.take(shown).map(reason).collect()
}

/// A judge's reason with the answers in place of `text 1` and `text 2`, which only the judge can tell apart.
fn by_name(reading: &Value) -> String {
    let reason = reading["reason"].as_str().unwrap_or_default().to_owned();
    let order = reading["order"].as_array().into_iter().flatten();
    order.zip(1..).fold(reason, |reason, (which, n)| {
        let name = said(which);
        let reason = ["text ", "text_"].iter().fold(reason, |reason, word| {
            reason.replace(&format!("{word}{n}"), name)
        });
        let name = text::capitalised(name);
        ["Text ", "Text_"].iter().fold(reason, |reason, word| {
            reason.replace(&format!("{word}{n}"), &name)
        })
    })
}

fn said(better: &Value) -> &'static str {
    match better.as_str() {
        Some("final") => "the final answer",
        Some("first") => "the first answer",
        _ => "neither",
    }
}

/// Which answer the judge read first.
fn order(order: &Value) -> String {
    let first = order.as_array().and_then(|order| order.first());
    format!("reading {} first", said(first.unwrap_or(&Value::Null)))
}
