//! A dialectic in short: what the skeptic attacked and left open, what the proposer granted, how the drafts were scored, and
//! whether the answer got better.

use super::exchanges;
use crate::artifacts::arguments::dialectic_ledger;
use crate::formats::dialectic::{self, Point, Resolution, Severity};
use crate::text;
use crate::trace::Trace;

/// The id of who answers.
const PROPOSER: &str = "proposer";
/// The id of who criticises.
const SKEPTIC: &str = "skeptic";
/// Points that are told in words.
const NAMED: usize = 3;

/// The story; nothing in other formats.
pub(in crate::artifacts) fn story(trace: &Trace) -> Vec<String> {
    let all: Vec<Point> = dialectic_ledger::points(trace).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let begins = [compared(trace), quality(trace)].into_iter().flatten();
    let told = begins.chain(raised(trace, &all)).chain(last_draft(trace, &all));
    told.chain([answered(trace, &all)]).collect()
}

/// What the skeptic attacked, then one by one the gravest points that it left open, or where it left none, the gravest: `Skeptic
/// raised 9 points against the drafts (1 critical, 6 major, 2 minor) and left 3 open.`, `Point 6 (major, on the draft of round 2): …`
fn raised(trace: &Trace, all: &[Point]) -> Vec<String> {
    let of = |severity: Severity| {
        let own = all.iter().filter(|point| point.issue.severity == severity);
        (own.count(), severity)
    };
    let open: Vec<&Point> = all.iter().filter(|point| point.is_open()).collect();
    let left = match open.len() {
        0 => "none".to_owned(),
        n => share(n, all.len()),
    };
    let drafts = match trace.rounds_held() {
        1 => "draft",
        _ => "drafts",
    };
    let raised = format!(
        "{} raised {} against the {drafts} ({}) and left {left} open.",
        trace.name_of(SKEPTIC),
        text::count(all.len() as u64, "point"),
        text::counts(&Severity::ALL.map(of)),
    );
    let told = if open.is_empty() { all.iter().collect() } else { open };
    [vec![raised], gravest(trace, told)].concat()
}

/// What the last draft said, where a critical point is open: the final answer need not say the same.
fn last_draft(trace: &Trace, all: &[Point]) -> Option<String> {
    let is_grave = |p: &Point| p.is_open() && p.issue.severity == Severity::Critical;
    let last = trace.rounds.last().filter(|_| all.iter().any(is_grave))?;
    let said = exchanges::answer(trace, last.round);
    let which = match trace.rounds_held() {
        1 => "The",
        _ => "The last",
    };
    // A first sentence that stands in for a claim is quoted, full stop and all.
    let said = if exchanges::is_label(&said) { text::sentence(&said) } else { said };
    (!said.is_empty()).then(|| format!("{which} draft said: {said}"))
}

/// The gravest of some points, and how many there are besides: `Point 6 (major, on draft 2): …`, `… and 1 more.`
fn gravest(trace: &Trace, mut points: Vec<&Point>) -> Vec<String> {
    points.sort_by_key(|point| point.issue.severity);
    let more = points.len().saturating_sub(NAMED);
    let told = points.into_iter().take(NAMED).map(|point| {
        let said = dialectic_ledger::in_short(point);
        let on = dialectic_ledger::on_draft(trace, point);
        format!("Point {} ({}{on}): {said}", point.n, point.issue.severity)
    });
    told.chain((more > 0).then(|| format!("… and {more} more."))).collect()
}

/// What the proposer did about the points that it could answer, and what the skeptic made of that: `Proposer could answer 7 points
/// and accepted all 7. Skeptic called 6 of them resolved and 1 in part. Its last 2 points came after Proposer's
/// last turn.`
fn answered(trace: &Trace, all: &[Point]) -> String {
    let is_late = |point: &&Point| dialectic_ledger::is_late(trace, point);
    let (late, met): (Vec<&Point>, Vec<&Point>) = all.iter().partition(is_late);
    let by = trace.name_of(PROPOSER);
    if met.is_empty() {
        return format!("{by} had no turn left to reply.");
    }
    let late = match late.len() {
        0 => String::new(),
        1 => format!(" Its last point came after {} last turn.", text::possessive(by)),
        n => format!(" Its last {n} points came after {} last turn.", text::possessive(by)),
    };
    format!(
        "{by} had a turn to answer {}: it {}. {} {}.{late}",
        text::count(met.len() as u64, "point"),
        reactions(&met),
        trace.name_of(SKEPTIC),
        resolved(&met)
    )
}

/// What became of the points that the proposer could answer, and which it accepted only after it had defended its draft: `accepted
/// 5, point 1 only after defending its draft, and defended 2`.
fn reactions(met: &[&Point]) -> String {
    let all = met.iter();
    let accepted: Vec<&&Point> =
        all.filter(|point| dialectic_ledger::ends_accepted(point)).collect();
    let left = met.iter().filter(|point| point.answers.is_empty()).count();
    let defended = met.len() - left - accepted.len();
    let of = |n: usize| share(n, met.len());
    let parts = [
        (accepted.len(), format!("accepted {}{}", of(accepted.len()), turned(&accepted))),
        (defended, format!("defended {}", of(defended))),
        (left, format!("left {} unanswered", of(left))),
    ]
    .into_iter()
    .filter(|(n, _)| *n > 0);
    text::joined(parts.map(|(_, words)| words), "and")
}

/// Which of these were accepted only after the proposer had defended its draft: `, point 1 only after defending its draft`.
fn turned(accepted: &[&&Point]) -> String {
    let turned: Vec<String> = accepted
        .iter()
        .filter(|point| dialectic_ledger::was_defended(point))
        .map(|point| point.n.to_string())
        .collect();
    let noun = if turned.len() == 1 { "point" } else { "points" };
    if turned.is_empty() {
        String::new()
    } else {
        format!(", {noun} {} only after defending its draft", text::joined(&turned, "and"))
    }
}

/// What the skeptic made of these points: `called 6 of them resolved, 1 in part and 1 not resolved, and did not mention 1 again`.
fn resolved(met: &[&Point]) -> String {
    let of = |status| met.iter().filter(|p| p.status == Some(status)).count();
    let (whole, part) = (of(Resolution::Resolved), of(Resolution::Partial));
    match (whole, part, met.len()) {
        (n, _, all) if n == all => return format!("called {} resolved", share(n, all)),
        (_, 1, 1) => return "called it resolved in part".to_owned(),
        (_, _, 1) => return "did not call it resolved".to_owned(),
        (0, 0, _) => return "called none of them resolved".to_owned(),
        _ => {}
    }
    let in_part = if whole > 0 { "in part" } else { "resolved in part" };
    let rest = of(Resolution::Unresolved);
    let all = [(whole, "resolved"), (part, in_part), (rest, "not resolved")];
    let some = all.into_iter().filter(|(n, _)| *n > 0).enumerate();
    let told = some.map(|(place, (n, words))| match place {
        0 => format!("{n} of them {words}"),
        _ => format!("{n} {words}"),
    });
    let told = text::joined(told, "and");
    match met.len() - whole - part - rest {
        0 => format!("called {told}"),
        silent => format!("called {told}, and did not mention {silent} again"),
    }
}

/// So many of all: `all 7`, `both`, `it`, `5`.
fn share(n: usize, all: usize) -> String {
    match (n, all) {
        (1, 1) => "it".to_owned(),
        (2, 2) => "both".to_owned(),
        (n, all) if n == all => format!("all {n}"),
        (n, _) => n.to_string(),
    }
}

/// The quality of each draft, as the skeptic stated it: where there were several, they tell whether the answer got better.
fn quality(trace: &Trace) -> Option<String> {
    let scores: Vec<String> =
        dialectic::qualities(trace.outcome.as_ref()).iter().map(f64::to_string).collect();
    (scores.len() > 1).then(|| {
        let (name, scores) = (trace.name_of(SKEPTIC), text::joined(&scores, "and"));
        format!("{name} scored the drafts {scores} of 10.")
    })
}

/// How the first and the final answer compare: where they were compared, they are two.
fn compared(trace: &Trace) -> Option<String> {
    let words = dialectic_ledger::comparison(trace)?;
    Some(format!("First and final answer compared, blind: {words}."))
}
