//! The winner of a duel and the reasons (row U3): the judges' scores for both agents, in numbers and words.

use serde_json::{Map, Value, json};

use super::Duel;
use crate::event::{EventKind, Outcome, Verdict};
use crate::floor::{Floor, Result};
use crate::formats::duel::settings::{A, B, SCALE};
use crate::formats::outcome_phrases::{fact, means, won};
use crate::formats::own_judges::{OwnJudges, last_word, verdict_in_words};
use crate::model::self_judging::{self, Sharing};
use crate::plan::Plan;
use crate::text;

/// Has the judges decide.
pub(super) async fn decide(floor: &Floor, settings: &Duel) -> Result<Outcome> {
    let plan = floor.plan();
    let judges = plan.judges();
    let judges = OwnJudges {
        judges: &judges,
        contestants: &[A, B],
        criteria: &settings.criteria,
        scale: SCALE,
        both_orders: settings.both_orders,
        template: "prompts/duel/verdict.md.j2",
        context: json!({"last": last_word(floor, [A, B])}),
        blind: false,
        reason: "reasons",
        more: json!({"summary": {"type": "string", "minLength": 8, "maxLength": text::room_for(70)}}),
    };
    Ok(outcome(plan, &judges.decide(floor).await?, &Tally::of(floor)))
}

/// The outcome of a debate in which one agent, or both, never made an argument.
pub(super) fn not_judged(floor: &Floor, unheard: &[&str]) -> Outcome {
    let tally = Tally::of(floor);
    let names: Vec<&str> = unheard.iter().map(|id| floor.plan().name_of(id)).collect();
    let (line, decided_by) = match names.as_slice() {
        [one] => (
            format!("Not judged: {one} made no argument"),
            format!("{one} never made an argument, so there was nothing to compare."),
        ),
        both => (
            format!("Not judged: neither {} made an argument", text::joined(both, "nor")),
            "Neither side ever made an argument, so there was nothing to compare.".to_owned(),
        ),
    };
    Outcome {
        line,
        decided_by,
        facts: tally.facts(),
        details: tally.details(),
        ..Outcome::default()
    }
}

fn outcome(plan: &Plan, verdict: &Verdict, tally: &Tally) -> Outcome {
    let mut details = tally.details();
    details.extend(verdict_in_words::details(verdict));
    details.insert("winner".to_owned(), json!(verdict.winner));
    details.extend(spoken(plan, verdict));
    let facts = facts(plan, verdict).into_iter().chain(tally.facts());
    Outcome {
        line: verdict_in_words::line(plan, verdict),
        decided_by: verdict_in_words::decided_by(plan, verdict),
        winner: verdict.winner.clone(),
        rests_on: verdict.winner.as_ref().map(|_| verdict.source.clone()),
        points: verdict.means(),
        facts: facts.collect(),
        details,
        ..Outcome::default()
    }
}

/// The course of the debate and the reasons, in the words of the judge who speaks for the verdict, and who that is: one whose model
/// neither side or both share, where there is one to speak.
fn spoken(plan: &Plan, verdict: &Verdict) -> Map<String, Value> {
    let sharing = self_judging::planned(plan);
    let spoken = verdict.spoken(|judge| {
        sharing.iter().any(|(by, sharing)| by.id == judge.judge.id && *sharing == Sharing::Some)
    });
    let told = spoken.and_then(|(_, reading)| reading.remark());
    let reasons = spoken.map(|(_, reading)| verdict_in_words::reasons(plan, reading));
    Map::from_iter([
        ("summary".to_owned(), json!(told.unwrap_or_default())),
        ("summary_by".to_owned(), json!(spoken.map(|(judge, ..)| &judge.judge.id))),
        ("reasoning".to_owned(), json!(reasons.unwrap_or_default())),
    ])
}

fn facts(plan: &Plan, verdict: &Verdict) -> Vec<(String, String)> {
    let mut facts = vec![fact("Winner", won(plan, verdict.winner.as_ref()))];
    facts.extend(verdict.scores().iter().map(|(id, score)| {
        let (total, parts) = (text::fixed(score.total, 2), means(&score.breakdown));
        let label = format!("Score of {}", plan.name_of(id));
        (label, format!("{total} ({parts})"))
    }));
    let valid = format!("{} of {}", verdict.heard().count(), verdict.judges.len());
    facts.push(fact("Valid verdicts", valid));
    facts
}

/// Figures on how the turns went.
struct Tally {
    rejections: usize,
    /// Turns accepted in spite of an objection: their number, and the speaker with the round.
    objected: Vec<(u32, String)>,
}

impl Tally {
    fn of(floor: &Floor) -> Self {
        let events = floor.events().into_iter();
        let rejections = events.filter(|e| matches!(e.kind, EventKind::Rejection(_)));
        let turns = floor.statements().into_iter();
        let objected = turns.filter(|turn| !turn.objections.is_empty()).map(|turn| {
            let by = floor.plan().name_of(&turn.by);
            (turn.n, format!("{by} in round {}", turn.round))
        });
        Self { rejections: rejections.count(), objected: objected.collect() }
    }

    /// The figures worth showing.
    fn facts(&self) -> Vec<(String, String)> {
        let turns = text::separated(self.objected.iter().map(|(_, turn)| turn), ", ");
        let rejected = self.rejections;
        let replies = (rejected > 0).then(|| fact("Rejected replies", rejected.to_string()));
        let stand = (!turns.is_empty()).then(|| fact("Turns that stand with an objection", turns));
        replies.into_iter().chain(stand).collect()
    }

    fn details(&self) -> Map<String, Value> {
        let objected: Vec<u32> = self.objected.iter().map(|(n, _)| *n).collect();
        Map::from_iter([
            ("rejections".to_owned(), json!(self.rejections)),
            ("objected".to_owned(), json!(objected)),
        ])
    }
}
