//! The rehearsal of a dialectic: proposals that answer points, critiques, a final answer.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{Dice, Rehearsal, Request};
use crate::call_id::{CallId, CallStage};
use crate::job::WRITER;
use crate::text;

/// One critique in this many has neither form nor marks at its first attempt.
const UNMARKED_ONE_IN: u64 = 8;
/// One critique in this many has marks and no form.
const PROSE_ONE_IN: u64 = 8;
/// One point in this many goes without an answer.
const UNANSWERED_ONE_IN: u64 = 9;
/// The score from which a rehearsed skeptic calls the answer ready.
const READY: u64 = 8;

impl Rehearsal {
    /// The text of a role that only a dialectic has.
    pub(super) fn dialectic(&self, request: &Request, dice: &Dice) -> Option<String> {
        match CallId::parse(&request.call)?.by?.as_str() {
            "proposer" => Some(self.proposal(request, dice)),
            "synthesizer" | WRITER => Some(self.synthesis(dice)),
            _ => None,
        }
    }

    fn proposal(&self, request: &Request, dice: &Dice) -> String {
        let mut text = String::new();
        for n in open_points(request) {
            let reason = self.pick("reasons", &format!("answer {n}"), "", dice);
            match dice.roll(&format!("answers {n}"), UNANSWERED_ONE_IN) {
                // At its limits, nothing is asked again.
                0 if !self.at_limits => continue,
                1..=5 => writeln!(text, "ACCEPT {n}: I change this. {reason}"),
                _ => writeln!(text, "DEFEND {n}: {reason}"),
            }
            .unwrap_or_default();
        }
        let answer = self.argument(request, "", dice);
        format!("{text}\n{answer}").trim().to_owned()
    }

    /// A critique in the form that was asked for, or as models write it that keep to no form.
    pub(super) fn critique(&self, request: &Request, dice: &Dice) -> Option<String> {
        let schema = request.schema.as_ref()?;
        schema.pointer("/properties/new/items/properties/attack")?;
        let first_attempt = request.messages.len() <= 2;
        if first_attempt && dice.roll("unmarked", UNMARKED_ONE_IN) == 0 {
            return Some(self.pick("rebuttals", "unmarked", "", dice));
        }
        let points = open_points(request);
        let stage = CallId::parse(&request.call).map(|call| call.stage);
        let first_round = stage == Some(CallStage::Round(1));
        let count = if self.at_limits {
            schema["properties"]["new"]["maxItems"].as_u64().unwrap_or(0)
        } else {
            dice.roll("points", 3) + u64::from(first_round)
        };
        // At its limits a debate continues to its last round.
        let score =
            if self.at_limits { 3 } else { 3 + dice.roll("score", 5) + u64::from(!first_round) };
        let new: Vec<Value> = (0..count).map(|n| self.issue(n, schema, dice)).collect();
        if dice.roll("prose", PROSE_ONE_IN) == 0 {
            return Some(prose(&points, &new, score, dice));
        }
        let earlier: Vec<Value> = points
            .iter()
            .map(|n| {
                let (status, remains, _) = resolution(*n, dice);
                json!({"id": n, "remains": remains, "status": status})
            })
            .collect();
        let mut critique = json!({"new": new, "quality": score, "ready": score >= READY});
        if !earlier.is_empty() {
            critique["earlier"] = json!(earlier);
        }
        Some(critique.to_string())
    }

    fn issue(&self, n: u64, schema: &Value, dice: &Dice) -> Value {
        let text = self.pick("critiques", &format!("issue {n}"), "", dice);
        let (attack, fault) = text.split_once(": ").unwrap_or(("logical_gap", &text));
        let bounded = |key: &str, words: String| {
            let most = &schema["properties"]["new"]["items"]["properties"][key]["maxLength"];
            let most = most.as_u64().unwrap_or(100) as usize;
            text::shorten(&self.filled(words, most, dice), most)
        };
        let claim = self.pick("claims", &format!("quoted {n}"), "", dice);
        let mend = self.pick("reasons", &format!("mend {n}"), "", dice);
        let severity = match dice.roll(&format!("severity {n}"), 100) {
            _ if self.at_limits => "critical",
            0..40 => "critical",
            40..70 => "major",
            _ => "minor",
        };
        json!({
            "attack": attack,
            "claim": bounded("claim", claim),
            "fault": bounded("fault", fault.to_owned()),
            "mend": bounded("mend", mend),
            "severity": severity,
        })
    }

    fn synthesis(&self, dice: &Dice) -> String {
        let pick = |file, what| self.pick(file, what, "", dice);
        format!(
            "Answer: {}\n\nReasoning: {} {}\n\nConfidence: medium. {}\n\nOpen points: {}",
            pick("openings", "answer"),
            pick("claims", "claim"),
            pick("reasons", "reason"),
            pick("closings", "confidence"),
            pick("questions", "open"),
        )
    }
}

/// What becomes of an earlier point: its status, what is said of it, and the mark of that.
fn resolution(n: u32, dice: &Dice) -> (&'static str, &'static str, &'static str) {
    match dice.roll(&format!("resolution {n}"), 10) {
        0..=5 => ("resolved", "This is settled.", "✅"),
        6..=7 => ("partial", "This is better, but a step is still missing.", "⚠️"),
        _ => ("unresolved", "Nothing has changed here.", "❌"),
    }
}

/// The same with marks in place of a form.
fn prose(points: &[u32], new: &[Value], score: u64, dice: &Dice) -> String {
    let nothing = points.is_empty() && new.is_empty();
    let earlier = points.iter().map(|n| {
        let (_, remains, mark) = resolution(*n, dice);
        format!("{mark} {n}: {remains}")
    });
    let new = new.iter().map(|issue| {
        let mark = match issue["severity"].as_str() {
            Some("critical") => "🔴",
            Some("major") => "🟡",
            _ => "🟢",
        };
        let word = |key: &str| issue[key].as_str().unwrap_or_default();
        format!("{mark} {}: {}", word("attack"), word("fault"))
    });
    let signal = (score >= READY || nothing).then(|| "Ready for Synthesis ✅".to_owned());
    let score = format!("Quality score: {score}/10");
    text::separated(earlier.chain(new).chain([score]).chain(signal), "\n")
}

/// The points that a prompt lists.
fn open_points(request: &Request) -> Vec<u32> {
    let task = request
        .messages
        .get(1)
        .map_or("", |m| m.content.as_str())
        .rsplit("# Your task")
        .next()
        .unwrap_or_default();
    let point = |line: &str| {
        let (n, _) = line.strip_prefix("- Point ")?.split_once(' ')?;
        n.parse().ok()
    };
    task.lines().filter_map(point).collect()
}
