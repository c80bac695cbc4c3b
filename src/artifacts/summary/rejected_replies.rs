//! Replies that were not taken, in words: what was wrong with them and what came of it.

use crate::event::{BY_CLERK, Origin, Rejection, Statement};
use crate::text;
use crate::trace::Trace;

/// Characters of the reasons of a reply; an objection may quote much of it.
const REASONS: usize = 240;
/// Characters of what the clerk says of it.
const BECAUSE: usize = 120;

/// A sentence for each call: `003, Ann: 1 reply discarded (it declines the task); the next was accepted.`
pub(in crate::artifacts) fn lines(trace: &Trace) -> Vec<String> {
    let rejections = trace.rejections.iter();
    let calls = text::gathered(rejections.map(|rejection| (&rejection.call, rejection)));
    calls.iter().map(|(_, call)| line(trace, call)).collect()
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
    let all = of(trace, s);
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
    let place = match said {
        Some(said) => format!("{:03}", said.n),
        None => format!("round {}", first.round),
    };
    let why = call.iter().map(|rejection| {
        let why = text::separated(rejection.reasons.iter().map(|reason| why(reason)), "; ");
        text::shorten(&why, REASONS)
    });
    let (name, why, end) = (trace.name_of(&first.by), text::separated(why, "; "), ended(said));
    let replies = match call.len() {
        1 => "1 reply".to_owned(),
        n => format!("{n} replies"),
    };
    text::one_line(&format!("{place}, {name}: {replies} discarded ({why}){end}."))
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
fn ended(said: Option<&Statement>) -> &'static str {
    match said.map(|said| (&said.origin, said.objections.is_empty())) {
        None => "",
        Some((Origin::Emergency, _)) => "; an emergency reply stands in",
        Some((Origin::Fallback, _)) => "; a fallback model's was accepted",
        Some((_, true)) => "; the next was accepted",
        Some((_, false)) => "; the next stands with an objection",
    }
}
