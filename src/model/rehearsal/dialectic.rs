//! What the rehearsal says in a dialectic: proposals that answer points, critiques with marks, a final answer.

use std::fmt::Write;

use super::{Dice, Rehearsal, Request};
use crate::call_id::{CallId, CallStage};

/// One critique in so many has no marks at its first attempt.
const UNMARKED_ONE_IN: u64 = 8;
/// One point in so many goes without an answer.
const UNANSWERED_ONE_IN: u64 = 9;
/// The score from which a rehearsed skeptic calls the answer ready.
const READY: u64 = 8;

impl Rehearsal {
    /// The text of a role that only a dialectic has.
    pub(super) fn dialectic(&self, request: &Request, dice: &Dice) -> Option<String> {
        match CallId::parse(&request.call)?.by?.as_str() {
            "proposer" => Some(self.proposal(request, dice)),
            "skeptic" => Some(self.critique(request, dice)),
            "synthesizer" => Some(self.synthesis(dice)),
            _ => None,
        }
    }

    fn proposal(&self, request: &Request, dice: &Dice) -> String {
        let mut text = String::new();
        for (n, _) in open_points(request) {
            let reason = self.pick("reasons", &format!("answer {n}"), "", dice);
            match dice.roll(&format!("answers {n}"), UNANSWERED_ONE_IN) {
                0 => continue,
                1..=5 => writeln!(text, "ACCEPT {n}: I change this. {reason}"),
                _ => writeln!(text, "DEFEND {n}: {reason}"),
            }
            .unwrap_or_default();
        }
        let answer = self.argument(request, "", dice);
        format!("{text}\n{answer}").trim().to_owned()
    }

    fn critique(&self, request: &Request, dice: &Dice) -> String {
        let first_attempt = request.messages.len() <= 2;
        if first_attempt && dice.roll("unmarked", UNMARKED_ONE_IN) == 0 {
            return self.pick("rebuttals", "unmarked", "", dice);
        }
        let points = open_points(request);
        let mut lines: Vec<String> = points
            .iter()
            .map(|(n, critical)| resolution(*n, *critical, dice))
            .collect();
        let stage = CallId::parse(&request.call).map(|call| call.stage);
        let first_round = stage == Some(CallStage::Round(1));
        let count = dice.roll("points", 3) + u64::from(first_round);
        lines.extend((0..count).map(|n| self.issue(n, dice)));
        if lines.is_empty() {
            lines.push(self.issue(0, dice));
        }
        let score = 3 + dice.roll("score", 5) + u64::from(!first_round);
        lines.push(format!("Quality score: {score}/10"));
        if score >= READY {
            lines.push("Ready for Synthesis ✅".to_owned());
        }
        lines.join("\n")
    }

    fn issue(&self, n: u64, dice: &Dice) -> String {
        let mark = match dice.roll(&format!("severity {n}"), 100) {
            0..40 => "🔴",
            40..70 => "🟡",
            _ => "🟢",
        };
        let text = self.pick("critiques", &format!("issue {n}"), "", dice);
        format!("{mark} {text}")
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

fn resolution(n: u32, critical: bool, dice: &Dice) -> String {
    match dice.roll(&format!("resolution {n}"), 10) {
        0..=5 => format!("✅ {n}: this is settled."),
        6..=7 => format!("⚠️ {n}: this is better, but a step is still missing."),
        _ if critical => format!("❌ {n} 🔴: nothing has changed here."),
        _ => format!("❌ {n}: nothing has changed here."),
    }
}

/// The points that a prompt lists, and whether each is critical.
fn open_points(request: &Request) -> Vec<(u32, bool)> {
    let task = request.messages.get(1).map_or("", |m| m.content.as_str());
    let task = task.rsplit("# Your task").next().unwrap_or_default();
    let point = |line: &str| {
        let (n, rest) = line.strip_prefix("- Point ")?.split_once(' ')?;
        Some((n.parse().ok()?, rest.starts_with("(critical")))
    };
    task.lines().filter_map(point).collect()
}
