//! Front matter: the machine-readable head of `index.md`, and a line of `output/index.jsonl`.

use serde_json::{Map, Value, json};

use super::judgments::panels;
use super::who_argued;
use crate::clock;
use crate::event::{CallSums, Origin, Verdict};
use crate::templates::inert_json;
use crate::text;
use crate::trace::Trace;

/// The front matter of a debate's index. `path` is the debate's directory below the output directory.
pub fn of(trace: &Trace, path: &str) -> Map<String, Value> {
    let origins = trace.statements.iter().map(|s| s.origin);
    let count = |origin: Origin| origins.clone().filter(|own| *own == origin).count();
    let used = || trace.usage.by_purpose.values();
    let tokens: u64 = used().map(|used| used.reply_tokens).sum();
    let calls: u64 = used().map(|used| used.calls).sum();
    let verdict = trace.deciding_verdict();
    let fields = json!({
        "topic": trace.topic,
        "outcome": trace.outcome_line(),
        "winner": trace.outcome.as_ref().and_then(|outcome| outcome.winner.as_ref()),
        "sides": who_argued::sides(trace),
        "margin": who_argued::margin(trace),
        "weak": trace.is_weak(),
        "split": verdict.and_then(Verdict::split),
        "status": trace.status,
        "ended_at": clock::text(trace.ended_at),
        "id": trace.id,
        "cause": trace.cause,
        "rehearsal": trace.rehearsal,
        "format": trace.format,
        "job": trace.job,
        "tags": trace.tags,
        "cell": short(&trace.plan.pairing.cell),
        "repetition": trace.plan.pairing.repetition,
        "rounds": trace.rounds_held(),
        "messages": trace.statements.len(),
        "ballots": trace.ballots.len(),
        "incidents": trace.incidents.len(),
        "emergency_replies": count(Origin::Emergency),
        "fallback_replies": count(Origin::Fallback),
        "calls": calls,
        "tokens": tokens,
        "started_at": clock::text(trace.started_at),
        "path": path,
    });
    let mut fields: Map<String, Value> = serde_json::from_value(fields).unwrap_or_default();
    let panels = panels::lines(trace);
    if !panels.is_empty() {
        fields.insert("panels".to_owned(), json!(panels));
    }
    let uncounted = CallSums::of(&trace.calls).gaps.replies;
    if uncounted > 0 {
        fields.insert("uncounted".to_owned(), json!(uncounted));
    }
    if let Some(vote) = trace.audience.first() {
        fields.insert("audience".to_owned(), json!(vote.effect));
    }
    fields
}

/// A cell with long texts shortened: an index stays short, the trace has them whole.
fn short(cell: &Map<String, Value>) -> Map<String, Value> {
    let shorten = |value: &Value| match value {
        Value::String(text) => json!(text::shorten(text, 200)),
        Value::Array(_) | Value::Object(_) => json!(text::shorten(&value.to_string(), 200)),
        other => other.clone(),
    };
    cell.iter().map(|(path, value)| (path.clone(), shorten(value))).collect()
}

/// Front matter as YAML whose every value is JSON on one line, so that readers of either can take it.
pub fn text(fields: &Map<String, Value>) -> String {
    let line =
        |(key, value): (&String, &Value)| format!("{key}: {}\n", inert_json(&value.to_string()));
    let lines: String = fields.iter().map(line).collect();
    format!("---\n{lines}---\n")
}

/// Reads front matter that [`text()`] wrote; `None` where the text does not begin with it.
pub fn parse(text: &str) -> Option<Map<String, Value>> {
    let mut lines = text.lines();
    if lines.next() != Some("---") {
        return None;
    }
    let mut fields = Map::new();
    for line in lines {
        if line == "---" {
            return Some(fields);
        }
        let (key, value) = line.split_once(": ")?;
        fields.insert(key.to_owned(), serde_json::from_str(value).ok()?);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a2_front_matter_reads_back_whatever_it_holds() {
        let hostile = "a: b\n---\n# \u{1b}[31m \u{202e} \"quoted\" \\ \u{2028}";
        let fields = json!({"topic": hostile, "tags": {"x: y": "---"}, "n": 1})
            .as_object()
            .cloned()
            .unwrap();
        let text = text(&fields);
        assert_eq!(text.lines().count(), 5);
        assert!(text.is_ascii());
        assert_eq!(parse(&text), Some(fields));
    }
}
