//! Why a debate ended before its full length, where the outcome does not say it.

use crate::event::{EndReason, Results};
use crate::trace::Trace;

/// Why it ended early: `The moderator ended it after 2 of 3 rounds.` A debate of full length needs no word.
pub(in crate::artifacts) fn ended(trace: &Trace) -> Option<String> {
    let (held, planned) = rounds(trace)?;
    let results = Results::of(trace.outcome.as_ref());
    let who = if results.end_reason == Some(EndReason::EndedByModerator) {
        "The moderator ended it"
    } else if held < planned {
        "It ended"
    } else {
        return None;
    };
    Some(format!("{who} after {held} of {planned} rounds."))
}

/// How many rounds were held and how many were planned. Votes and stances end a debate too; the outcome tells of them.
pub(in crate::artifacts) fn rounds(trace: &Trace) -> Option<(u64, u64)> {
    trace.outcome.as_ref()?;
    let is_told = !trace.ballots.is_empty() || !trace.stances.is_empty();
    let settings = &trace.plan.settings;
    let mut planned =
        ["rounds", "round_count"].iter().filter_map(|key| settings.get(*key)?.as_u64());
    let planned = planned.next().filter(|_| !is_told)?;
    Some((trace.rounds_held() as u64, planned))
}
