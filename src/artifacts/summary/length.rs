//! How long a debate was and why it ended, where the outcome does not say it.

use crate::artifacts::statement_place;
use crate::event::{EndReason, Phase, Results, Statement};
use crate::text;
use crate::trace::Trace;

/// Up to so many turns are told one by one.
const TURNS: usize = 5;

/// Why it ended: `The debate ran its full length of 3 rounds.`
pub(in crate::artifacts) fn ended(trace: &Trace) -> Option<String> {
    let outcome = trace.outcome.as_ref()?;
    // Votes and stances end a debate too; the outcome tells of them.
    let is_told = !trace.ballots.is_empty() || !trace.stances.is_empty();
    let settings = &trace.plan.settings;
    let planned = ["rounds", "round_count"].iter();
    let mut planned = planned.filter_map(|key| settings.get(*key)?.as_u64());
    let planned = planned.next().filter(|_| !is_told)?;
    let held = trace.rounds_held() as u64;
    let by_moderator = Results::of(Some(outcome)).end_reason == Some(EndReason::EndedByModerator);
    Some(match (by_moderator, held < planned) {
        (true, _) => format!("The moderator ended it after {held} of {planned} rounds."),
        (_, true) => format!("It ended after {held} of {planned} rounds."),
        (_, false) => full(trace, &text::count(planned, "round")),
    })
}

/// What the whole of it was.
fn full(trace: &Trace, rounds: &str) -> String {
    if let Some(turns) = single_turns(trace) {
        return format!("The debate ran its full length of {rounds}, one statement each{turns}.");
    }
    let outside = |phase| {
        let mut said = trace.statements.iter();
        said.any(|s| s.phase == phase && statement_place::round_of(trace, s).is_none())
    };
    match outside(Phase::OPENING) && outside(Phase::CLOSING) {
        true => format!("The debate ran its full length: openings, {rounds} and closings."),
        false => format!("The debate ran its full length of {rounds}."),
    }
}

/// Who spoke in rounds of a single turn: `: Ann, Ben, Ann`, or of many, how often each did, if not equally often. Nothing of
/// other rounds.
fn single_turns(trace: &Trace) -> Option<String> {
    let is_turn = |s: &&Statement| {
        statement_place::round_of(trace, s).is_some() && trace.contestants().any(|p| p.id == s.by)
    };
    let turns: Vec<&Statement> = trace.statements.iter().filter(is_turn).collect();
    let mut rounds: Vec<Option<u32>> = turns
        .iter()
        .map(|s| statement_place::round_of(trace, s))
        .collect();
    rounds.dedup();
    if turns.len() < 2 || rounds.len() < turns.len() {
        return None;
    }
    let names: Vec<&str> = turns.iter().map(|s| trace.name_of(&s.by)).collect();
    if names.len() <= TURNS {
        return Some(format!(": {}", names.join(", ")));
    }
    let count = |name: &str| names.iter().filter(|own| **own == name).count();
    let each = text::distinct(names.iter().copied());
    if each.iter().all(|name| count(name) == count(each[0])) {
        return Some(String::new());
    }
    let each = each.into_iter();
    let each = each.map(|name| format!("{} by {name}", count(name)));
    let each = text::joined(&each.collect::<Vec<_>>(), "and");
    Some(format!(": {each}"))
}
