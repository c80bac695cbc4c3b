//! A dialectic in short: whether the answer got better, how the drafts were scored, and what the skeptic attacked and left open.

use crate::artifacts::arguments::dialectic_ledger;
use crate::formats::dialectic::{self, Point, Severity};
use crate::text;
use crate::trace::Trace;

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
    begins.chain(raised(trace, &all)).collect()
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
        n => n.to_string(),
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
