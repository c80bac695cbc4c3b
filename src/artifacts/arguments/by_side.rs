//! What each side argued and how that ended, in sentences: from the flow, or where there is none, from first sentences.

use std::cmp::Reverse;

use super::endings::{self, quoted, words};
use super::in_short::in_short;
use super::unanswered::Unanswered;
use super::weight::{FEW, SIDES, weight};
use crate::artifacts::{banner, stances};
use crate::flow::{FlowPoint, PointStatus};
use crate::text;
use crate::trace::Trace;

/// Granted points, and withdrawn ones, that are told first.
const SETTLED: usize = 3;

/// What was made of a side's points.
struct Side<'t> {
    name: &'t str,
    is_team: bool,
    points: Vec<&'t FlowPoint>,
    /// Whether it made others that no sentence tells.
    has_more: bool,
}

/// What was granted or withdrawn, what was left open, then what each side argued: `Left open, as the clerk noted it: … Ann argued
/// “…” and …`; without any points, what they claimed. Where all agree in the end, what nobody replied to matters least.
pub(in crate::artifacts) fn noted(trace: &Trace) -> Vec<String> {
    let unanswered = Unanswered::of(trace);
    let settled = settled(trace);
    let told = told(trace, &unanswered, &settled);
    let (settled, open) = (were_settled(trace, &settled), unanswered.told());
    let (open, last) = if stances::end_alike(trace) { (None, open) } else { (open, None) };
    // Whose words these are is said once where they follow each other.
    let is_by_clerk = settled.is_some() || open.is_some();
    let sides = sides(trace, &told, is_by_clerk);
    let claims = trace.flow.points.is_empty().then(|| claims(trace));
    let all = settled.into_iter().chain(open).chain(sides).chain(last).chain(claims.flatten());
    all.map(|told| banner::begun(trace, &told)).collect()
}

/// The points that are told.
pub(in crate::artifacts) fn points(trace: &Trace) -> Vec<&FlowPoint> {
    let unanswered = Unanswered::of(trace);
    let settled = settled(trace);
    let sides = told(trace, &unanswered, &settled).into_iter().take(SIDES);
    let argued = sides.flat_map(|side| side.points);
    let all = settled.iter().copied().chain(argued);
    text::distinct(all.chain(unanswered.named_points()))
}

/// What a side does with a point that it no longer disputes, in words.
const SETTLES: [(PointStatus, &str); 2] =
    [(PointStatus::Conceded, "granted"), (PointStatus::Withdrawn, "withdrawn")];

/// The weightiest points that a side granted, first those with nothing held against them, and those that one withdrew, in their order.
fn settled(trace: &Trace) -> Vec<&FlowPoint> {
    let of = |(status, _)| {
        let mut own = all_settled(trace, status);
        let is_qualified = |point: &FlowPoint| endings::is_qualified(trace, point);
        own.sort_by_key(|point| (is_qualified(point), Reverse(weight(trace, point))));
        own.truncate(SETTLED);
        own.sort_by_key(|point| (is_qualified(point), point.statement));
        own
    };
    SETTLES.into_iter().flat_map(of).collect()
}

fn all_settled(trace: &Trace, status: PointStatus) -> Vec<&FlowPoint> {
    trace.flow.points.iter().filter(|point| is_settled(trace, point, status)).collect()
}

/// Whether it has such a status, where none of them moves: those that somebody moved for are told with that.
fn is_settled(trace: &Trace, point: &FlowPoint, status: PointStatus) -> bool {
    trace.stances.is_empty() && point.status == status
}

/// `Granted, as the clerk noted it: Ann's “…” (by Ben, who held “…” against it) and 2 more; withdrawn: Ben's “…”.`
fn were_settled(trace: &Trace, points: &[&FlowPoint]) -> Option<String> {
    let one = |(point, owned): (&&FlowPoint, String)| {
        let fate = in_short(trace, point, false);
        match fate.strip_prefix(endings::CONCEDED) {
            Some(by) => format!("{owned} ({})", by.trim_start()),
            None => owned,
        }
    };
    let mut by = if super::by_clerk(trace) { ", as the clerk noted it" } else { "" };
    let of = |(status, word)| {
        let own: Vec<&FlowPoint> =
            points.iter().copied().filter(|point| point.status == status).collect();
        let more = all_settled(trace, status).len() - own.len();
        let more = (more > 0).then(|| format!("{more} more"));
        let told = own.iter().zip(owned(trace, &own, true)).map(one).chain(more);
        let told = text::if_any(text::joined(told, "and"))?;
        Some(format!("{word}{}: {told}", std::mem::take(&mut by)))
    };
    let all = text::if_any(text::separated(SETTLES.into_iter().filter_map(of), "; "))?;
    Some(format!("{all}."))
}

/// `Ann's “…”`; of a further one, or where it needs no name, `“…”`.
fn owned(trace: &Trace, points: &[&FlowPoint], is_named: bool) -> Vec<String> {
    let mut owner = None;
    let one = |point: &&FlowPoint| match owner.replace(point.by.clone()) {
        before if !is_named || before.as_ref() == Some(&point.by) => quoted(point),
        _ => format!("{} {}", text::possessive(trace.name_of(&point.by)), quoted(point)),
    };
    points.iter().map(one).collect()
}

/// What each side argued, one by one: `As the clerk noted it, Ann argued “…” (granted by Ben) and …`
fn sides(trace: &Trace, sides: &[Side<'_>], is_by_clerk: bool) -> Vec<String> {
    let by = if super::by_clerk(trace) && !is_by_clerk { "As the clerk noted it, " } else { "" };
    let of = sides.iter().take(SIDES).map(|side| argued(trace, side)).enumerate();
    let of = of.map(|(place, told)| if place == 0 { format!("{by}{told}") } else { told });
    let more = sides.len().saturating_sub(SIDES);
    of.chain((more > 0).then(|| format!("{more} more argued."))).collect()
}

/// Each side with the points that are told of it, in their order; none of a side of which all is told elsewhere.
fn told<'t>(
    trace: &'t Trace,
    unanswered: &Unanswered<'t>,
    settled: &[&'t FlowPoint],
) -> Vec<Side<'t>> {
    let all = trace.flow.points.iter();
    let sides = text::gathered(all.map(|point| (point.side.as_str(), point)));
    let room = if sides.len() <= FEW { 3 } else { 1 };
    let elsewhere = [&unanswered.named_points()[..], settled].concat();
    let sides = sides.into_iter().map(|(_, own)| {
        let points = chosen(trace, &own, &elsewhere, room);
        let is_told = |point: &FlowPoint| elsewhere.contains(&point) || points.contains(&point);
        let makers = super::makers(&own, trace);
        let is_team = makers.len() > 1;
        let name = if is_team { trace.name_of(&own[0].side) } else { makers[0] };
        Side { name, is_team, has_more: !own.into_iter().all(is_told), points }
    });
    sides.filter(|side| !side.points.is_empty()).collect()
}

/// What a side began with, and what most was done about, rather than what it gave up, said for a stance since left, or said too late:
/// of what nobody replied to, another sentence tells.
fn chosen<'t>(
    trace: &'t Trace,
    own: &[&'t FlowPoint],
    elsewhere: &[&FlowPoint],
    room: usize,
) -> Vec<&'t FlowPoint> {
    let first = own.first().copied();
    let all = own.iter().copied();
    let (told, mut pool): (Vec<&FlowPoint>, Vec<&FlowPoint>) =
        all.partition(|point| elsewhere.contains(point));
    // Granted and withdrawn points have a sentence of their own, which says that there are others.
    pool.retain(|point| !SETTLES.iter().any(|(status, _)| is_settled(trace, point, *status)));
    // A side of which something is told needs no point that nobody missed a reply to.
    if !told.is_empty() || pool.iter().any(|point| !endings::is_unanswered(trace, point)) {
        pool.retain(|point| !endings::is_unanswered(trace, point));
    }
    pool.sort_by_key(|point| {
        let is_lost = point.status == PointStatus::Withdrawn || endings::is_late(trace, point);
        let is_kept = !is_lost && stances::left(trace, point).is_none();
        Reverse((is_kept, is_kept && Some(*point) == first, weight(trace, point)))
    });
    pool.truncate(room);
    pool.sort_by_key(|point| point.statement);
    pool
}

/// `Ann argued “…” and “…” (both granted by Ben); “…” (said for “gas”; replied to).`, `the team argued Cy's “…” (replied to).`
fn argued(trace: &Trace, side: &Side<'_>) -> String {
    let fate = |point: &FlowPoint, several: bool| {
        let left = stances::left(trace, point).map(|left| format!("said for “{left}”"));
        text::separated(left.into_iter().chain([in_short(trace, point, several)]), "; ")
    };
    let same = side.points.chunk_by(|one, other| fate(one, true) == fate(other, true));
    let mut quoted = owned(trace, &side.points, side.is_team).into_iter();
    let part = |same: &[&FlowPoint]| {
        let quoted = quoted.by_ref().take(same.len());
        let fate = fate(same[0], same.len() > 1);
        let all = match same.len() {
            1 => "",
            2 => "both ",
            _ => "all ",
        };
        format!("{} ({all}{fate})", text::joined(quoted, "and"))
    };
    let parts = text::separated(same.map(part), "; ");
    let argued = if side.has_more { "argued, among other points," } else { "argued" };
    format!("{} {argued} {parts}.", side.name)
}

/// The first claims of some, but what only repeats a position: `The clerk noted these claims. Ann: …`
fn claims(trace: &Trace) -> Option<String> {
    let claim = |id: &str, position: &str| {
        let notes = trace.notes.iter().flat_map(|notes| &notes.statements);
        let mut own = notes.filter(|notes| trace.statement(notes.n).is_some_and(|s| s.by == id));
        own.find(|notes| words(&notes.claim) != words(position))
    };
    let of: Vec<String> = trace
        .contestants()
        .filter_map(|p| {
            let claim = claim(&p.id, &p.position)?;
            Some(text::sentence(&format!("{}: {}", p.name, words(&claim.claim))))
        })
        .take(SIDES)
        .collect();
    let by = if super::by_clerk(trace) {
        "The clerk noted these claims."
    } else {
        "First sentences of each."
    };
    (!of.is_empty()).then(|| format!("{by} {}", of.join(" ")))
}
