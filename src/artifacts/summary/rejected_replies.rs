//! Replies that were not taken, in words: what was wrong with them and what came of it.

use crate::artifacts::statement_place;
use crate::event::{BY_CLERK, Origin, Rejection, Statement};
use crate::text;
use crate::trace::Trace;

/// The reason of a reply that refuses the task.
const REFUSES: &str = "it declines the task";
/// Characters of the reasons of a reply; an objection may quote much of it.
const REASONS: usize = 240;
/// Characters of what the clerk says of it.
const BECAUSE: usize = 120;
/// Words for the replies to a call, in order.
const ORDINALS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

/// A sentence for each call: `Ann's first reply in round 2 refused the task and was discarded; the second was accepted.`
pub(in crate::artifacts) fn lines(trace: &Trace) -> Vec<String> {
    let rejections = trace.rejections.iter();
    let calls = text::gathered(rejections.map(|rejection| (&rejection.call, rejection)));
    let told = calls.iter().filter(|(_, call)| {
        let mut said = trace.statements.iter();
        !said.any(|s| s.call.as_ref() == Some(&call[0].call) && stands_with(s, call))
    });
    told.map(|(_, call)| line(trace, call)).collect()
}

/// Whether a statement was kept with what was wrong with the replies before it, as its own note says.
fn stands_with(s: &Statement, rejections: &[&Rejection]) -> bool {
    rejections.iter().all(|it| it.reasons == s.objections)
}

/// The same of the replies to a statement's call before the one that was taken.
pub(in crate::artifacts) fn before(trace: &Trace, s: &Statement) -> Option<String> {
    let rejections = of(trace, s);
    (!rejections.is_empty()).then(|| line(trace, &rejections))
}

fn of<'t>(trace: &'t Trace, s: &Statement) -> Vec<&'t Rejection> {
    trace.rejections.iter().filter(|it| s.call.as_ref() == Some(&it.call)).collect()
}

/// The same in a few words: `first reply discarded: it says again what was said`.
pub(in crate::artifacts) fn in_short(trace: &Trace, s: &Statement) -> Option<String> {
    let all = Some(of(trace, s)).filter(|all| !stands_with(s, all))?;
    let why = all.first()?.reasons.iter().map(|reason| finding(reason).0);
    let which = match all.len() {
        1 => "first reply".to_owned(),
        n => format!("{n} replies"),
    };
    let told = format!("{which} discarded: {}", text::joined(why, "and"));
    Some(text::shorten(&told, BECAUSE))
}

/// What was found in a reply, without measurements, and what the clerk says of it.
fn finding(reason: &str) -> (&str, Option<&str>) {
    match reason.split_once(BY_CLERK) {
        // In earlier versions it was not quoted.
        Some((found, because)) => (found, Some(because.trim_matches(['“', '”']))),
        None => (reason.split(" (").next().unwrap_or(reason), None),
    }
}

fn line(trace: &Trace, call: &[&Rejection]) -> String {
    let first = call[0];
    let mut said = trace.statements.iter();
    let said = said.find(|s| s.call.as_ref() == Some(&first.call));
    let round = said.and_then(|said| statement_place::round_of(trace, said));
    let which = said
        .filter(|said| has_several(trace, said))
        .map_or_else(String::new, |said| format!(" for {:03}", said.n));
    let place = match (round.or(Some(first.round).filter(|n| *n > 0)), said) {
        (Some(round), _) => format!(" in round {round}"),
        (None, Some(said)) => format!(" in the {}", said.phase.words()),
        (None, None) => String::new(),
    };
    let told = call.iter().enumerate().map(|(at, rejection)| {
        let did = did(rejection);
        match at {
            0 => format!("{} reply{which}{place} {did}", ordinal(0)),
            at => format!("the {} {did}", ordinal(at)),
        }
    });
    let name = text::possessive(trace.name_of(&first.by));
    let end = ended(said, call.len());
    text::one_line(&format!("{name} {}{end}.", text::separated(told, "; ")))
}

/// Whether somebody had several turns in the round of a statement, so that it takes a number to tell them apart.
fn has_several(trace: &Trace, said: &Statement) -> bool {
    let round = statement_place::round_of(trace, said);
    let own = trace.statements.iter().filter(|s| s.by == said.by);
    let beside = own.filter(|s| statement_place::round_of(trace, s) == round);
    round.is_some() && beside.count() > 1
}

fn did(rejection: &Rejection) -> String {
    match rejection.reasons.as_slice() {
        [only] if only == REFUSES => "refused the task and was discarded".to_owned(),
        reasons => {
            let why = text::separated(reasons.iter().map(|reason| why(reason)), "; ");
            format!("was discarded ({})", text::shorten(&why, REASONS))
        }
    }
}

/// A reason with the clerk's words as such: `it is off the topic; the clerk: “It is about cats”`.
fn why(reason: &str) -> String {
    let (found, because) = finding(reason);
    because.map_or_else(
        || reason.to_owned(),
        |said| {
            let said = text::shorten(said, BECAUSE);
            format!("{found}; the clerk: “{}”", said.trim_end_matches('.'))
        },
    )
}

/// What came of it.
fn ended(said: Option<&Statement>, rejected: usize) -> String {
    let Some(said) = said else {
        return String::new();
    };
    let next = ordinal(rejected);
    match (said.origin, said.objections.is_empty()) {
        (Origin::Emergency, _) => "; an emergency reply stands in".to_owned(),
        (Origin::Fallback, _) => "; a fallback model's was accepted".to_owned(),
        (_, true) => format!("; the {next} was accepted"),
        (_, false) => format!("; the {next} stands with an objection"),
    }
}

fn ordinal(at: usize) -> &'static str {
    ORDINALS.get(at).unwrap_or(&"next")
}
