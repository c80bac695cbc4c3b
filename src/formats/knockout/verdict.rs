//! The judgment of the whole debate, X against the team (row O2). There is one only if the job lists neutral judges.

use serde_json::{Value, json};

use super::settings::{Knockout, SCALE, TEAM, X};
use crate::event::{Outcome, Reading, Verdict};
use crate::floor::{Floor, Result};
use crate::formats::outcome_phrases;
use crate::formats::own_judges::{OwnJudges, last_word, verdict_in_words};
use crate::plan::Plan;
use crate::text;

/// Has the neutral judges decide, if there are any and both sides were heard.
pub(super) async fn decide(floor: &Floor, settings: &Knockout) -> Result<Option<Verdict>> {
    let judges = floor.plan().judges();
    if judges.is_empty() {
        return Ok(None);
    }
    if let Some(silent) = unheard(floor) {
        let name = floor.plan().name_of(silent);
        let reason = format!("{name} was never heard, so nobody is judged");
        floor.fall_short([], reason)?;
        return Ok(None);
    }
    let judges = OwnJudges {
        judges: &judges,
        contestants: &[X, TEAM],
        criteria: &settings.criteria,
        scale: SCALE,
        both_orders: true,
        template: "prompts/knockout/verdict.md.j2",
        context: json!({"last": last_word(floor, [X, TEAM])}),
        blind: false,
        reason: "reasons",
        more: json!({}),
    };
    judges.decide(floor).await.map(Some)
}

/// The side for which no argument was made.
fn unheard(floor: &Floor) -> Option<&'static str> {
    let plan = floor.plan();
    let heard = floor.statements().into_iter().filter(|s| s.was_heard());
    let sides: Vec<&str> =
        heard.filter_map(|s| plan.format.profile.side(plan.participant(&s.by)?)).collect();
    [X, TEAM].into_iter().find(|side| !sides.contains(side))
}

/// Up to so many neutral judges are told of with all their readings.
const FEW: usize = 3;

/// What each neutral judge wrote, for the clerk's story, each reading with its own scores: of few judges, all that differ in these;
/// of more, those that differ in who is ahead.
pub(super) fn reasons(plan: &Plan, verdict: Option<&Verdict>) -> Vec<Value> {
    let mut rows = Vec::new();
    for (verdict, judge) in verdict.iter().flat_map(|it| it.heard().map(move |judge| (it, judge))) {
        let is_few = verdict.heard().count() <= FEW;
        let shown = judge.shown(verdict.leaders());
        let mut read: Vec<&Reading> = if is_few { judge.valid().collect() } else { shown };
        let differ = judge.valid().any(|it| read.iter().any(|told| told.totals != it.totals));
        read.dedup_by(|later, read| later.totals == read.totals);
        rows.extend(read.iter().map(|reading| {
            let first = reading.order.first().filter(|_| differ);
            json!({"name": plan.name_of(&judge.judge.id), "first": first.map(|id| plan.name_of(id)),
                "totals": outcome_phrases::scored(plan, &reading.totals), "text": verdict_in_words::reasons(plan, reading)})
        }));
    }
    rows
}

/// A line on who wins, which only neutral judges decide, and then on who stands.
pub(super) fn line(line: &str, won: Option<&str>) -> String {
    match won {
        None => format!("No winner: {line}"),
        Some(won) => format!("{}; {line}", outcome_phrases::capitalised(won)),
    }
}

/// The outcome, with who wins put before who stands.
pub(super) fn with(floor: &Floor, outcome: Outcome, verdict: Option<Verdict>) -> Outcome {
    let plan = floor.plan();
    let won = verdict.as_ref().map(|verdict| verdict_in_words::line(plan, verdict));
    let line = line(&outcome.line, won.as_deref());
    let Some(verdict) = verdict else { return Outcome { line, ..outcome } };
    let mut details = outcome.details;
    details.extend(verdict_in_words::details(&verdict));
    let judges = if plan.judges().len() == 1 { "judge" } else { "judges" };
    let winner = outcome_phrases::won(plan, verdict.winner.as_ref());
    let winner = outcome_phrases::fact(&format!("Winner, by the neutral {judges}"), winner);
    let facts = std::iter::once(winner).chain(outcome.facts);
    let decided_by = [verdict_in_words::decided_by(plan, &verdict), outcome.decided_by];
    Outcome {
        line,
        decided_by: text::separated(decided_by, " "),
        winner: verdict.winner.clone(),
        rests_on: verdict.winner.map(|_| verdict.source),
        facts: facts.collect(),
        details,
        ..outcome
    }
}
