//! A dialectic in short: what the skeptic attacked, what the proposer granted, how the drafts were scored, and whether the
//! answer got better.

use crate::artifacts::arguments::{dialectic_ledger, endings};
use crate::formats::dialectic::{self, Point, Resolution, Severity};
use crate::text;
use crate::trace::Trace;

/// The id of who answers.
const PROPOSER: &str = "proposer";
/// The id of who criticises.
const SKEPTIC: &str = "skeptic";
/// Points that are told in words.
const NAMED: usize = 2;

/// The story; nothing in other formats.
pub(in crate::artifacts) fn story(trace: &Trace) -> Vec<String> {
    let all: Vec<Point> = dialectic_ledger::points(trace).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let told = [
        began(trace),
        Some(raised(trace, &all)),
        Some(accepted(trace, &all)),
        quality(trace),
        compared(trace),
    ];
    told.into_iter().flatten().collect()
}

/// What the first draft began with.
fn began(trace: &Trace) -> Option<String> {
    let notes = trace.notes.iter().flat_map(|notes| &notes.statements);
    let is_draft = |n: u32| {
        trace
            .statement(n)
            .is_some_and(|s| s.by == PROPOSER && s.was_heard())
    };
    let first = notes
        .filter(|notes| is_draft(notes.n))
        .min_by_key(|notes| notes.n)?;
    let name = trace.name_of(PROPOSER);
    Some(format!(
        "{name} began with “{}.”",
        endings::words(&first.claim)
    ))
}

/// What the skeptic attacked, the gravest first: `Skeptic raised 9 points against the drafts (5 major, 4 minor), among them: …`
fn raised(trace: &Trace, all: &[Point]) -> String {
    let of = |severity: Severity| {
        let own = all.iter().filter(|point| point.issue.severity == severity);
        (own.count(), severity)
    };
    let mut gravest: Vec<&Point> = all.iter().collect();
    gravest.sort_by_key(|point| point.issue.severity);
    let gravest = gravest.into_iter().take(NAMED);
    let named = gravest.map(|point| format!("“{}”", dialectic_ledger::fault(point)));
    let among = match all.len() {
        ..=NAMED => "",
        _ => ", first of all",
    };
    format!(
        "{} raised {} against the drafts ({}){among}: {}.",
        trace.name_of(SKEPTIC),
        text::count(all.len() as u64, "point"),
        text::counts(&Severity::ALL.map(of)),
        text::joined(&named.collect::<Vec<_>>(), "and")
    )
}

/// How many points the proposer accepted of those it could reply to, which one it first defended, and what the skeptic made of
/// that.
fn accepted(trace: &Trace, all: &[Point]) -> String {
    let (late, met): (Vec<&Point>, Vec<&Point>) = all
        .iter()
        .partition(|point| dialectic_ledger::is_late(trace, point));
    let accepted: Vec<&&Point> = met
        .iter()
        .filter(|p| dialectic_ledger::ends_accepted(p))
        .collect();
    let by = trace.name_of(PROPOSER);
    if met.is_empty() {
        return format!("{by} had no turn left to reply.");
    }
    let (n, could) = (accepted.len(), met.len());
    let of = match n {
        0 => format!("none of the {could}"),
        1 if could == 1 => "the only one".to_owned(),
        2 if could == 2 => "both".to_owned(),
        n if n == could => format!("all {n}"),
        n => format!("{n} of the {could}"),
    };
    let turned = accepted
        .iter()
        .find(|point| dialectic_ledger::was_defended(point));
    let turned = turned.map_or_else(String::new, |point| {
        let (n, severity) = (point.n, point.issue.severity);
        format!(", {severity} point {n} after it had defended its draft")
    });
    let resolved = met.iter();
    let resolved = resolved.filter(|point| point.status == Some(Resolution::Resolved));
    let resolved = match resolved.count() {
        1 if could == 1 => "it".to_owned(),
        2 if could == 2 => "both".to_owned(),
        n if n == could => format!("all {n}"),
        n => format!("{n} of the {could}"),
    };
    let late = match late.len() {
        0 => String::new(),
        n => format!("; {n} came with the last critique"),
    };
    format!(
        "{by} accepted {of} to which it could reply{turned}{}; {} called {resolved} resolved{late}.",
        others(&met),
        trace.name_of(SKEPTIC)
    )
}

/// What the proposer did about the points that it did not accept: `, defended 1 and left 1 unanswered`.
fn others(met: &[&Point]) -> String {
    let left = met.iter().filter(|point| point.answers.is_empty()).count();
    let accepted = met.iter().filter(|p| dialectic_ledger::ends_accepted(p));
    let defended = met.len() - left - accepted.count();
    match (defended, left) {
        (0, 0) => String::new(),
        (n, 0) => format!(", and defended {n}"),
        (0, n) => format!(", and left {n} unanswered"),
        (n, left) => format!(", defended {n} and left {left} unanswered"),
    }
}

/// How the quality that the skeptic stated changed.
fn quality(trace: &Trace) -> Option<String> {
    match dialectic::qualities(trace.outcome.as_ref())[..] {
        [first, .., last] if first != last => Some(format!(
            "{} scored the first draft {first} of 10 and the last draft {last}.",
            trace.name_of(SKEPTIC)
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
