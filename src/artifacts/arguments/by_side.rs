//! What each side argued and how that ended, and what nobody replied to, in sentences: from the flow, or where there is none,
//! from first sentences.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::endings;
use crate::flow::{Edge, FlowPoint, PointStatus};
use crate::text;
use crate::trace::Trace;

/// Sides that are told of.
const SIDES: usize = 4;
/// Up to so many sides have room for three points each.
const FEW: usize = 2;
/// Points without a reply that are all named of few sides; of more, one of each.
const NAMED: usize = 3;
/// As many replies as a concession counts for.
const CONCEDED: usize = 2;

/// What was made of a side's points.
struct Side<'t> {
    name: String,
    points: Vec<&'t FlowPoint>,
}

/// What each side argued: `As the clerk noted it, Ann argued “…” (conceded by Ben) and …`; without any points, what they
/// claimed.
pub(in crate::artifacts) fn sides(trace: &Trace) -> Option<String> {
    let sides = told(trace);
    if sides.is_empty() {
        return claims(trace);
    }
    let of = sides.iter().take(SIDES).map(|side| argued(trace, side));
    let more = sides.len().saturating_sub(SIDES);
    let more = (more > 0).then(|| format!("{more} more argued."));
    let all: Vec<String> = of.chain(more).collect();
    let by = match super::by_clerk(trace) {
        true => "As the clerk noted it, ",
        false => "",
    };
    Some(format!("{by}{}", all.join(" ")))
}

/// The points that are told.
pub(in crate::artifacts) fn points(trace: &Trace) -> Vec<&FlowPoint> {
    let sides = told(trace).into_iter().take(SIDES);
    let argued = sides.flat_map(|side| side.points);
    let (dropped, late) = unanswered_points(trace);
    let named = [dropped, late].into_iter();
    let named = named.flat_map(|points| {
        let each = text::gathered(points.iter().map(|point| (point.by.as_str(), *point)));
        let named = |(_, own)| named_of(trace, &points, own);
        each.into_iter().flat_map(named).collect::<Vec<_>>()
    });
    argued.chain(named).collect()
}

/// Points to which no reply was noted, and those that came too late for one, but what is told already: few in words.
pub(in crate::artifacts) fn unanswered(trace: &Trace) -> Option<String> {
    let (dropped, late) = unanswered_points(trace);
    let told = |points: &[&FlowPoint]| match speakers(points) {
        0 => None,
        n if n <= SIDES => Some(named(trace, points)),
        _ => Some(counted(trace, points)),
    };
    let dropped = told(&dropped).map(|points| format!("No reply was noted to {points}."));
    let late = told(&late).map(|points| format!("{points} came too late for a reply."));
    let all: Vec<String> = dropped.into_iter().chain(late).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// How many people made these.
fn speakers(points: &[&FlowPoint]) -> usize {
    text::distinct(points.iter().map(|point| point.by.as_str())).len()
}

/// Whether there is room for all of these in words.
fn are_named(trace: &Trace, points: &[&FlowPoint]) -> bool {
    let sides = trace.flow.points.iter().map(|point| point.side.as_str());
    points.len() <= NAMED && text::distinct(sides).len() <= FEW
}

/// Each side with the points that are told of it, in their order.
fn told(trace: &Trace) -> Vec<Side<'_>> {
    let all = trace.flow.points.iter();
    let sides = text::gathered(all.map(|point| (point.side.as_str(), point)));
    let room = match sides.len() {
        n if n <= FEW => 3,
        n if n <= SIDES => 2,
        _ => 1,
    };
    let sides = sides.into_iter().map(|(_, own)| Side {
        name: super::side_name(&own, trace),
        points: chosen(trace, own, room),
    });
    sides.collect()
}

/// What a side began with, and what most was done about: of what nobody replied to, another sentence tells.
fn chosen<'t>(trace: &Trace, own: Vec<&'t FlowPoint>, room: usize) -> Vec<&'t FlowPoint> {
    let replied = own.iter().filter(|point| !endings::is_unanswered(point));
    let mut pool: Vec<&FlowPoint> = replied.copied().collect();
    if pool.is_empty() {
        pool = own;
    }
    let first = pool.first().map(|point| point.id.clone());
    pool.sort_by_key(|point| {
        let is_first = Some(&point.id) == first.as_ref();
        Reverse((is_first, weight(trace, point)))
    });
    pool.truncate(room);
    pool.sort_by_key(|point| point.statement);
    pool
}

/// In how many statements somebody came back to a point or used it; a concession turns more than a reply.
fn weight(trace: &Trace, point: &FlowPoint) -> usize {
    let is_about = |edge: &Edge| edge.at == point.id || edge.with.as_ref() == Some(&point.id);
    let about = trace.flow.edges.iter().filter(|edge| is_about(edge));
    let later = about.map(|edge| edge.statement);
    let later: BTreeSet<u32> = later.filter(|n| *n > point.statement).collect();
    later.len() + CONCEDED * usize::from(point.status == PointStatus::Conceded)
}

/// `Ann argued “…” and “…” (both conceded by Ben); “…” (replied to).`
fn argued(trace: &Trace, side: &Side<'_>) -> String {
    let alike = |point: &FlowPoint| endings::in_short(trace, point, true);
    let same = side
        .points
        .chunk_by(|one, other| alike(one) == alike(other));
    let part = |same: &[&FlowPoint]| {
        let quoted: Vec<String> = same.iter().map(|point| quoted(point)).collect();
        let fate = endings::in_short(trace, same[0], same.len() > 1);
        let all = match same.len() {
            1 => "",
            2 => "both ",
            _ => "all ",
        };
        format!("{} ({all}{fate})", text::joined(&quoted, "and"))
    };
    let parts: Vec<String> = same.map(part).collect();
    format!("{} argued {}.", side.name, parts.join("; "))
}

fn quoted(point: &FlowPoint) -> String {
    format!("“{}”", words(&point.text))
}

/// Somebody's words for quotation marks: on one line, without emphasis and without the full stop.
pub(in crate::artifacts) fn words(said: &str) -> String {
    let said = text::without_emphasis(&text::one_line(said));
    text::unquoted(&said).trim_end_matches('.').to_owned()
}

/// Those that were dropped and those that came too late, without what is told of the sides and what perhaps nobody doubted.
fn unanswered_points(trace: &Trace) -> (Vec<&FlowPoint>, Vec<&FlowPoint>) {
    let sides = told(trace);
    let is_told = |point: &FlowPoint| {
        let mut own = sides.iter().take(SIDES).flat_map(|side| &side.points);
        own.any(|told| told.id == point.id)
    };
    let all = trace.flow.points.iter();
    let is_missed =
        |point: &FlowPoint| endings::is_unanswered(point) && !endings::is_undoubted(trace, point);
    all.filter(|point| is_missed(point) && !is_told(point))
        .partition(|point| point.status == PointStatus::Dropped)
}

/// `Ann's “…” and “…” and Ben's “…”`; of many, `Ann's “…” (and 2 more) and Ben's “…”`.
fn named(trace: &Trace, points: &[&FlowPoint]) -> String {
    let each = text::gathered(points.iter().map(|point| (point.by.as_str(), *point)));
    let of = |(by, own): (&str, Vec<&FlowPoint>)| {
        let all = own.len();
        let named: Vec<String> = named_of(trace, points, own)
            .into_iter()
            .map(quoted)
            .collect();
        let more = match all - named.len() {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        format!(
            "{}'s {}{more}",
            trace.name_of(by),
            text::joined(&named, "and")
        )
    };
    let of: Vec<String> = each.into_iter().map(of).collect();
    text::joined(&of, "and")
}

/// Those of somebody's points that are named: all, or where there is no room for all of these, the one most returned to, the
/// latest of several; none where too many people made them.
fn named_of<'t>(
    trace: &Trace,
    points: &[&FlowPoint],
    own: Vec<&'t FlowPoint>,
) -> Vec<&'t FlowPoint> {
    match are_named(trace, points) {
        true => own,
        false if speakers(points) > SIDES => Vec::new(),
        false => own
            .into_iter()
            .max_by_key(|point| weight(trace, point))
            .into_iter()
            .collect(),
    }
}

/// `2 points of Ann and 1 of Ben`.
fn counted(trace: &Trace, points: &[&FlowPoint]) -> String {
    let each = text::gathered(points.iter().map(|point| (point.by.as_str(), point)));
    let of = |(place, (by, own)): (usize, &(&str, Vec<_>))| match (place, own.len() as u64) {
        (0, n) => format!("{} of {}", text::count(n, "point"), trace.name_of(by)),
        (_, n) => format!("{n} of {}", trace.name_of(by)),
    };
    let of: Vec<String> = each.iter().enumerate().map(of).collect();
    text::joined(&of, "and")
}

/// The first claims of some, but what only repeats a position: `The clerk noted these claims. Ann: …`
fn claims(trace: &Trace) -> Option<String> {
    let claim = |id: &str, position: &str| {
        let notes = trace.notes.iter().flat_map(|notes| &notes.statements);
        let mut own = notes.filter(|notes| trace.statement(notes.n).is_some_and(|s| s.by == id));
        own.find(|notes| words(&notes.claim) != words(position))
    };
    let of = trace.contestants().filter_map(|p| {
        let claim = claim(&p.id, &p.position)?;
        Some(text::sentence(&format!(
            "{}: {}",
            p.name,
            words(&claim.claim)
        )))
    });
    let of: Vec<String> = of.take(SIDES).collect();
    let by = match super::by_clerk(trace) {
        true => "The clerk noted these claims.",
        false => "First sentences of each.",
    };
    (!of.is_empty()).then(|| format!("{by} {}", of.join(" ")))
}
