//! A dialectic in short: whether the answer got better, how the drafts were scored, what the skeptic attacked and left open, and
//! what the proposer made of it.

use crate::artifacts::arguments::dialectic_ledger;
use crate::artifacts::judgments::verdict::counted_as;
use crate::event::Statement;
use crate::formats::dialectic::{self, Answer, Point, Severity};
use crate::text;
use crate::trace::Trace;

/// The id of who criticises.
const SKEPTIC: &str = "skeptic";
/// The id of who answers.
const PROPOSER: &str = "proposer";

/// The story; nothing in other formats.
pub(super) fn story(trace: &Trace) -> Vec<String> {
    let all: Vec<Point> = dialectic_ledger::points(trace).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let told = [compared(trace), quality(trace), Some(raised(trace, &all))];
    told.into_iter().flatten().collect()
}

/// How the first and the final answer compare: where they were compared, they are two.
fn compared(trace: &Trace) -> Option<String> {
    let words = dialectic_ledger::comparison(trace)?;
    Some(format!("First and final answer compared, blind: {words}."))
}

/// The quality of each draft, as the skeptic stated it: they tell whether the answer got better.
fn quality(trace: &Trace) -> Option<String> {
    let stated = dialectic::qualities(trace.outcome.as_ref()).into_iter();
    let scores: Vec<String> = stated.map(|(round, score)| scored(trace, round, score)).collect();
    let drafts = if scores.len() == 1 { "draft" } else { "drafts" };
    let scores = text::if_any(text::separated(scores, "; "))?;
    Some(format!("{} scored the {drafts}, out of 10: {scores}.", trace.name_of(SKEPTIC)))
}

/// A score that counts as another than was stated is told as both.
fn scored(trace: &Trace, round: u64, score: f64) -> String {
    let is_it = |s: &&Statement| s.by == SKEPTIC && u64::from(s.round) == round;
    let said = trace.statements.iter().find(is_it);
    match said.and_then(|s| s.rounded.get("quality")) {
        Some(given) => counted_as(*given, score),
        None => score.to_string(),
    }
}

/// `Skeptic raised 9 points (1 critical, 6 major, 2 minor). Of these, Proposer accepted 4 and defended 2; 3 came after the last draft.
/// Skeptic left 3 open.`
fn raised(trace: &Trace, all: &[Point]) -> String {
    let of = |severity: Severity| {
        let own = all.iter().filter(|point| point.issue.severity == severity);
        (own.count(), severity)
    };
    let left = match all.iter().filter(|point| point.is_open()).count() {
        0 => "none".to_owned(),
        n => n.to_string(),
    };
    let (name, n) = (trace.name_of(SKEPTIC), all.len());
    let (severities, answered) = (Severity::ALL.map(of), answered(trace, all));
    let points = match severities.iter().find(|(own, _)| *own == n) {
        Some((_, only)) => text::count(n as u64, &format!("{only} point")),
        None => format!("{n} points ({})", text::counts(&severities)),
    };
    format!("{name} raised {points}. {answered} {name} left {left} open.")
}

/// `Of these, Proposer accepted 4, partly accepted 1, defended 1 and did not answer 1; 2 came after the last draft.`, of one alone
/// `Proposer accepted it.`
fn answered(trace: &Trace, all: &[Point]) -> String {
    let is_late = |point: &&Point| dialectic_ledger::is_late(trace, point);
    let late = all.iter().filter(is_late).count();
    let left = all.iter().filter(|point| point.answers.is_empty()).count() - late;
    let last = |answer: Answer| {
        let ends = |point: &&Point| point.answers.last().is_some_and(|it| it.answer == answer);
        (all.iter().filter(ends).count(), answer.word())
    };
    let did = [Answer::Accept, Answer::Part, Answer::Defend].map(last);
    let did = did.into_iter().chain([(left, "did not answer")]);
    let is_one = all.len() == 1;
    let of = |n: usize, it: &str| if is_one { it.to_owned() } else { n.to_string() };
    let did = did.filter(|(n, _)| *n > 0).map(|(n, did)| format!("{did} {}", of(n, "it")));
    let late = (late > 0).then(|| format!("{} came after the last draft", of(late, "It")));
    let did = text::if_any(text::joined(did, "and"));
    let did = did.map(|did| format!("{} {did}", trace.name_of(PROPOSER)));
    let of_these = if is_one { "" } else { "Of these, " };
    format!("{of_these}{}.", text::separated(did.into_iter().chain(late), "; "))
}
