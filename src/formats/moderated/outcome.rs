//! The outcome of a moderated debate: winner, totals and course, in words and as values.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::ruling::{Ruling, winner_name};
use super::session::{Session, is_pass};
use crate::event::{EndReason, InterjectionCause, Outcome, Statement, Verdict, Winner};
use crate::formats::outcome_phrases::{self, fact};
use crate::formats::own_judges::verdict_in_words;
use crate::text;

/// The outcome of the whole debate.
pub(super) fn outcome(
    session: &Session<'_>,
    rulings: &[Ruling],
    summary: Option<Statement>,
    verdict: Option<Verdict>,
) -> Outcome {
    let verdict = verdict.filter(|verdict| verdict.winner.is_some());
    let points = verdict.as_ref().map(Verdict::means).unwrap_or_default();
    let winner = verdict.as_ref().and_then(|v| v.winner.clone());
    Outcome {
        line: line(session, rulings, verdict.as_ref()),
        decided_by: decided_by(session, verdict.as_ref()),
        rests_on: winner.as_ref().map(|_| "own".to_owned()),
        final_text: summary.map(|statement| statement.n),
        facts: facts(session, rulings, winner.as_ref(), &points),
        details: details(session, rulings, verdict.as_ref()),
        winner,
        points,
    }
}

/// A round's topic, if the moderator set one, and its result, in one line; empty if there is nothing to tell but that there
/// were arguments.
pub(super) fn headline(session: &Session<'_>, ruling: &Ruling, focus: &str) -> String {
    let about = text::shorten(focus.trim_end_matches(['.', '!', ' ']), 90);
    let interrupted =
        session.interjections.iter().filter(|i| session.round_of(i.about) == Some(ruling.round));
    let said = session.said_in(ruling.round);
    let passed = said.iter().filter(|s| is_pass(session.settings, s)).count();
    let counted = |n: usize, noun: &str| (n > 0).then(|| text::count(n, noun));
    let parts = [
        ruling.judged.then(|| format!("{} wins the round", winner_name(session, ruling))),
        counted(interrupted.count(), "interruption"),
        counted(passed, "rebuttal").map(|n| format!("{n} passed")),
        ruling.end_now.then(|| "the moderator ends the rounds".to_owned()),
    ];
    let result = text::separated(parts.into_iter().flatten(), "; ");
    match (about.as_str(), result.as_str()) {
        ("", _) if !ruling.judged => text::capitalised(&result),
        ("", _) => result,
        (_, "") => format!("On \"{about}\""),
        _ => format!("On \"{about}\": {result}"),
    }
}

fn line(session: &Session<'_>, rulings: &[Ruling], verdict: Option<&Verdict>) -> String {
    match verdict {
        Some(verdict) => verdict_in_words::line(session.floor.plan(), verdict),
        None if session.settings.scoring => outcome_phrases::NO_WINNER.to_owned(),
        None if ended_early(rulings) => format!(
            "Ended by the moderator after {} of {}, not scored",
            rulings.len(),
            text::count(session.settings.round_count, "round")
        ),
        None => "Debated to the end, not scored".to_owned(),
    }
}

fn decided_by(session: &Session<'_>, verdict: Option<&Verdict>) -> String {
    match verdict {
        Some(verdict) => verdict_in_words::decided_by(session.floor.plan(), verdict),
        // That is the outcome's line.
        None if session.settings.scoring => String::new(),
        None => "The job turns scores off.".to_owned(),
    }
}

fn facts(
    session: &Session<'_>,
    rulings: &[Ruling],
    winner: Option<&Winner>,
    points: &BTreeMap<String, f64>,
) -> Vec<(String, String)> {
    let plan = session.floor.plan();
    let judged = rulings
        .iter()
        .filter(|ruling| ruling.judged)
        .map(|ruling| format!("round {} {}", ruling.round, winner_name(session, ruling)));
    let judged = text::if_any(text::separated(judged, ", "));
    let passes = session.passes().len();
    let facts = [
        session.settings.scoring.then(|| ("Winner", outcome_phrases::won(plan, winner))),
        winner.map(|_| ("Totals, of 10", outcome_phrases::scored(plan, points))),
        Some(("Rounds", rounds(session, rulings))),
        judged.map(|judged| ("Won", judged)),
        Some(("Interruptions", interrupted(session))),
        (passes > 0).then(|| ("Rebuttals passed", passes.to_string())),
    ]
    .into_iter()
    .flatten();
    facts.map(|(name, value)| fact(name, value)).collect()
}

fn rounds(session: &Session<'_>, rulings: &[Ruling]) -> String {
    let held = format!("{} of {}", rulings.len(), session.settings.round_count);
    if ended_early(rulings) { format!("{held}, ended by the moderator") } else { held }
}

fn ended_early(rulings: &[Ruling]) -> bool {
    rulings.last().is_some_and(|ruling| ruling.end_now)
}

fn interrupted(session: &Session<'_>) -> String {
    let causes = session.interjections.iter().map(|i| i.cause);
    let count = |cause| causes.clone().filter(|own| *own == cause).count();
    let counts = text::counts(&[
        (count(InterjectionCause::Rule), "for breaking a rule"),
        (count(InterjectionCause::Fact), "for a false claim"),
    ]);
    if counts.is_empty() {
        return "none".to_owned();
    }
    // Lines on rounds count the others.
    let outside = session.interjections.iter().filter(|i| session.round_of(i.about) == Some(0));
    let outside = outside.count();
    counts + &text::told_if(outside > 0, || format!(", {outside} of them in openings or closings"))
}

fn details(
    session: &Session<'_>,
    rulings: &[Ruling],
    verdict: Option<&Verdict>,
) -> Map<String, Value> {
    let judged = rulings.iter().filter(|ruling| ruling.judged);
    let winner = |r: &Ruling| json!({"round": r.round, "winner": r.winner, "reason": r.reason});
    let end = if ended_early(rulings) { EndReason::EndedByModerator } else { EndReason::Completed };
    let mut details = Map::from_iter([
        ("end_reason".to_owned(), json!(end)),
        ("rounds".to_owned(), json!(rulings.len())),
        ("scores".to_owned(), Value::Null),
        ("round_winners".to_owned(), judged.map(winner).collect()),
        ("passes".to_owned(), json!(session.passes())),
    ]);
    details.extend(verdict.map(verdict_in_words::details).unwrap_or_default());
    details
}
