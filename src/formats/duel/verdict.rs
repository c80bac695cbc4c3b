//! Who wins a duel and why (row U3): the judges' scores of both agents, and what is told of them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Duel;
use crate::event::{EventKind, Outcome, ReadingStatus, Verdict};
use crate::floor::{Answer, Floor, Halt};
use crate::formats::duel::settings::{A, B, SCALE};
use crate::formats::panel::{self, Decision, Panel};
use crate::formats::words;
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::text;

/// Asks the judges.
pub(super) async fn decide(floor: &Floor, settings: &Duel) -> Result<Outcome, Halt> {
    let plan = floor.plan();
    let judges = plan.judges();
    let panel = Panel {
        judges: &judges,
        contestants: &[A, B],
        criteria: &settings.criteria,
        scale: SCALE,
        template: "prompts/duel/verdict.md.j2",
        context: json!({}),
        blind: false,
        reason: "reasoning",
        more: json!({"summary": {"type": "string", "minLength": 8, "maxLength": 600}}),
    };
    let decision = panel.decide(floor).await?;
    let judged = Judged::of(floor, &judges, &decision);
    Ok(judged.outcome(&Tally::of(floor)))
}

/// The outcome of a debate in which an agent never made an argument.
pub(super) fn not_judged(floor: &Floor, unheard: &str) -> Outcome {
    let tally = Tally::of(floor);
    Outcome {
        line: format!(
            "Not judged: {} made no argument",
            floor.plan().name_of(unheard)
        ),
        decided_by: format!(
            "{} never made an argument, so there was nothing to compare.",
            floor.plan().name_of(unheard)
        ),
        facts: tally.facts(),
        details: tally.details(),
        ..Outcome::default()
    }
}

/// What the judges found.
struct Judged<'a> {
    plan: &'a Plan,
    verdict: &'a Verdict,
    means: BTreeMap<String, f64>,
    /// The judges whose judgments count, by name, with what they wrote.
    replies: Vec<(&'a str, &'a Value)>,
}

impl<'a> Judged<'a> {
    fn of(floor: &'a Floor, judges: &[&'a Participant], decision: &'a Decision) -> Self {
        let valid = |(judge, answer): (&&'a Participant, &'a Answer)| {
            let reply = (judge.name.as_str(), &answer.value);
            (answer.status == ReadingStatus::Valid).then_some(reply)
        };
        Self {
            plan: floor.plan(),
            verdict: &decision.verdict,
            means: decision.verdict.means(),
            replies: judges
                .iter()
                .zip(&decision.answers)
                .filter_map(valid)
                .collect(),
        }
    }

    fn outcome(&self, tally: &Tally) -> Outcome {
        let mut details = tally.details();
        details.insert("winner".to_owned(), json!(self.verdict.winner));
        details.insert("summary".to_owned(), json!(self.told("summary")));
        details.insert("reasoning".to_owned(), json!(self.told("reasoning")));
        details.insert("scores".to_owned(), json!(self.verdict.scores()));
        let facts = self.facts().into_iter().chain(tally.facts());
        Outcome {
            line: self.line(),
            decided_by: self.decided_by(),
            winner: self.verdict.winner.clone(),
            rests_on: self
                .verdict
                .winner
                .as_ref()
                .map(|_| self.verdict.source.clone()),
            points: self.means.clone(),
            facts: facts.collect(),
            details,
            ..Outcome::default()
        }
    }

    fn line(&self) -> String {
        match self.verdict.winner.as_deref() {
            None => words::NO_WINNER.to_owned(),
            Some(winner) => panel::line(self.plan, winner, &self.means),
        }
    }

    fn decided_by(&self) -> String {
        if self.means.is_empty() {
            return "No judge gave a valid verdict.".to_owned();
        }
        let of = if self.replies.len() == 1 {
            "Total scores"
        } else {
            "Mean total scores"
        };
        format!("{of}: {}.", words::scored(self.plan, &self.means))
    }

    /// What the judges wrote under a key; with several judges, under their names.
    fn told(&self, key: &str) -> String {
        let text = |value: &Value| text::one_line(value[key].as_str().unwrap_or_default());
        match self.replies.as_slice() {
            [(_, only)] => text(only),
            several => {
                let named = several
                    .iter()
                    .map(|(name, value)| format!("{name}: {}", text(value)));
                named.collect::<Vec<_>>().join(" ")
            }
        }
    }

    fn facts(&self) -> Vec<(String, String)> {
        let winner = match self.verdict.winner.as_deref() {
            None => "none",
            Some("draw") => "a draw",
            Some(id) => self.plan.name_of(id),
        };
        let mut facts = vec![("Winner".to_owned(), winner.to_owned())];
        facts.extend(self.verdict.scores().iter().map(|(id, score)| {
            let scores = score
                .breakdown
                .iter()
                .map(|(name, mean)| format!("{name} {mean:.2}"));
            let scores: Vec<String> = scores.collect();
            let label = format!("Score of {}", self.plan.name_of(id));
            (label, format!("{:.2} ({})", score.total, scores.join(", ")))
        }));
        let asked = self.verdict.judges.len();
        let valid = format!("{} of {asked}", self.replies.len());
        facts.push(("Valid verdicts".to_owned(), valid));
        facts
    }
}

/// How the turns went.
struct Tally {
    rejections: usize,
    /// Turns that stand with an objection: number and words.
    objected: Vec<(u32, String)>,
}

impl Tally {
    fn of(floor: &Floor) -> Self {
        let events = floor.events();
        let rejections = events
            .iter()
            .filter(|e| matches!(e.kind, EventKind::Rejection(_)));
        let objected = events.iter().filter_map(|event| match &event.kind {
            EventKind::Statement(turn) if !turn.objections.is_empty() => {
                let by = floor.plan().name_of(&turn.by);
                Some((turn.n, format!("{by} in round {}", turn.round)))
            }
            _ => None,
        });
        Self {
            rejections: rejections.count(),
            objected: objected.collect(),
        }
    }

    fn facts(&self) -> Vec<(String, String)> {
        let turns: Vec<&str> = self
            .objected
            .iter()
            .map(|(_, turn)| turn.as_str())
            .collect();
        let turns = if turns.is_empty() {
            "none".to_owned()
        } else {
            turns.join(", ")
        };
        vec![
            (
                "Replies that were not taken".to_owned(),
                self.rejections.to_string(),
            ),
            ("Turns that stand with an objection".to_owned(), turns),
        ]
    }

    fn details(&self) -> Map<String, Value> {
        let objected: Vec<u32> = self.objected.iter().map(|(n, _)| *n).collect();
        Map::from_iter([
            ("rejections".to_owned(), json!(self.rejections)),
            ("objected".to_owned(), json!(objected)),
        ])
    }
}
