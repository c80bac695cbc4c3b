//! A dialectic in short: what the proposer granted, how the skeptic's score went, and whether the answer got better.

use super::ledger;
use crate::formats::dialectic::{self, Point};
use crate::text;
use crate::trace::Trace;

/// The story; nothing in other formats.
pub(super) fn story(trace: &Trace) -> Vec<String> {
    if !ledger::is_kept(trace) {
        return Vec::new();
    }
    let all = [accepted(trace), quality(trace), compared(trace)];
    all.into_iter().flatten().collect()
}

/// How many points the proposer accepted, with one that it first defended, or the gravest.
fn accepted(trace: &Trace) -> Option<String> {
    let all: Vec<Point> = ledger::points(trace).collect();
    let accepted = all.iter().filter(|point| ledger::ends_accepted(point));
    let accepted: Vec<&Point> = accepted.collect();
    let by = trace.name_of("proposer");
    let whole = text::count(all.len() as u64, "point");
    let turned = accepted.iter().find(|point| ledger::was_defended(point));
    let one = turned.or(accepted.first());
    let Some(one) = one else {
        return Some(format!("{by} accepted none of the skeptic's {whole}."));
    };
    let how = match turned {
        Some(_) => ". It first defended, then accepted,",
        None => ", among them",
    };
    let (n, severity, named) = (accepted.len(), one.issue.severity, ledger::named(one));
    Some(format!(
        "{by} accepted {n} of the skeptic's {whole}{how} {severity} point {}: {}",
        one.n,
        text::sentence(&named)
    ))
}

/// How the quality that the skeptic stated changed.
fn quality(trace: &Trace) -> Option<String> {
    match dialectic::qualities(trace.outcome.as_ref())[..] {
        [first, .., last] if first != last => Some(format!(
            "The skeptic's score went from {first} of 10 for the first draft to {last} for the last."
        )),
        _ => None,
    }
}

/// How the first and the final answer compare: where they were compared, they are two.
fn compared(trace: &Trace) -> Option<String> {
    let facts = trace.outcome.iter().flat_map(|outcome| &outcome.facts);
    let mut found = facts.filter(|(name, _)| name.starts_with("First answer against"));
    let (_, words) = found.next()?;
    Some(format!("First and final answer compared, blind: {words}."))
}
