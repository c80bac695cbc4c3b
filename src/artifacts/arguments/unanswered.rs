//! What was left unanswered, in sentences: of each side the argument that mattered most, and who left it; the others in few
//! words; a question that was passed over.

use std::cmp::Reverse;

use super::endings::{self, quoted};
use super::questions;
use super::weight::{FEW, SIDES, replies_to, was_asked_for, weight};
use crate::artifacts::stances;
use crate::event::{How, Results};
use crate::flow::{FlowPoint, PointStatus};
use crate::panel::candidates::side_of;
use crate::text;
use crate::trace::Trace;

/// Arguments that are told by themselves.
const MAIN: usize = 2;
/// Points without a reply that are all named of few sides; of more, one of each.
const NAMED: usize = 3;
/// Up to so many who left an argument are named.
const SILENT: usize = 2;
/// Characters of a question.
const QUESTION: usize = 160;

/// What nobody replied to.
struct Dropped<'t> {
    /// The weightiest argument of a side that it began with or came back to.
    main: Vec<&'t FlowPoint>,
    others: Vec<&'t FlowPoint>,
}

/// What nobody replied to, first of those outside the majority; without a capital at its beginning.
pub(super) fn dropped(trace: &Trace) -> Option<String> {
    let dropped = found(trace);
    let main = dropped.main.iter().map(|point| left(trace, point));
    let main = main.enumerate().map(|(place, told)| match place {
        0 => told,
        _ => text::capitalised(&told),
    });
    let others = listed(trace, &dropped.others);
    let nobody = if dropped.main.is_empty() {
        "no reply"
    } else {
        "No reply"
    };
    let others = others.map(|points| format!("{nobody} was noted to {points}."));
    let all: Vec<String> = main.chain(others).chain(question(trace)).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// What came too late for a reply: `Ben's “…”, a reply to “…”, came too late for one.`
pub(super) fn late(trace: &Trace) -> Option<String> {
    let late = late_points(trace);
    if let [only] = late[..]
        && let Some(at) = replies_to(trace, only)
    {
        let name = trace.name_of(&only.by);
        let (own, at) = (quoted(only), quoted(at));
        return Some(format!(
            "{name}'s {own}, a reply to {at}, came too late for one."
        ));
    }
    listed(trace, &late).map(|points| format!("{points} came too late for a reply."))
}

/// The points that these sentences quote.
pub(super) fn named_points(trace: &Trace) -> Vec<&FlowPoint> {
    let dropped = found(trace);
    let lists = [dropped.others, late_points(trace)].into_iter();
    let named = lists.flat_map(|points| {
        let each = text::gathered(points.iter().map(|point| (point.by.as_str(), *point)));
        let named = |(_, own)| named_of(trace, &points, own);
        each.into_iter().flat_map(named).collect::<Vec<_>>()
    });
    dropped.main.into_iter().chain(named).collect()
}

/// What perhaps nobody doubted, and what only those left who agree with its speaker, is not missed.
fn found(trace: &Trace) -> Dropped<'_> {
    let all = trace.flow.points.iter();
    let is_missed = |point: &&FlowPoint| {
        point.status == PointStatus::Dropped
            && !endings::is_undoubted(trace, point)
            && !silent(trace, point).is_empty()
    };
    let missed: Vec<&FlowPoint> = all.filter(is_missed).collect();
    let sides = text::gathered(missed.iter().map(|point| (point.side.as_str(), *point)));
    let main = sides.iter().filter_map(|(_, own)| main_of(trace, own));
    let mut main: Vec<&FlowPoint> = main.collect();
    main.sort_by_key(|point| {
        (
            !is_dissenter(trace, &point.by),
            Reverse(weight(trace, point)),
        )
    });
    main.truncate(MAIN);
    let others = missed.into_iter().filter(|point| !main.contains(point));
    let mut others: Vec<&FlowPoint> = others.collect();
    others.sort_by_key(|point| !is_dissenter(trace, &point.by));
    Dropped { main, others }
}

/// Points that nobody could reply to any more.
fn late_points(trace: &Trace) -> Vec<&FlowPoint> {
    let all = trace.flow.points.iter();
    let is_late = |point: &&FlowPoint| {
        endings::is_unanswered(point)
            && point.status != PointStatus::Dropped
            && !endings::is_undoubted(trace, point)
    };
    all.filter(is_late).collect()
}

/// The weightiest of a side's points that it began with or came back to, of equal ones the earliest.
fn main_of<'t>(trace: &'t Trace, own: &[&'t FlowPoint]) -> Option<&'t FlowPoint> {
    let counts = |point: &&FlowPoint| is_first(trace, point) || times_repeated(trace, point) > 0;
    heaviest(trace, own.iter().copied().filter(counts))
}

/// The weightiest of some points, of equal ones the earliest.
fn heaviest<'t>(
    trace: &'t Trace,
    points: impl Iterator<Item = &'t FlowPoint>,
) -> Option<&'t FlowPoint> {
    points.min_by_key(|point| Reverse(weight(trace, point)))
}

fn is_first(trace: &Trace, point: &FlowPoint) -> bool {
    let mut own = trace.flow.points.iter().filter(|p| p.side == point.side);
    own.next() == Some(point)
}

/// How often a point was said again without being asked for.
fn times_repeated(trace: &Trace, point: &FlowPoint) -> usize {
    let about = trace.flow.about(&point.id);
    let again = about.filter(|edge| edge.how == How::Repeated && !was_asked_for(trace, edge));
    again.count()
}

/// Whether somebody ended outside the majority.
fn is_dissenter(trace: &Trace, id: &str) -> bool {
    let results = Results::of(trace.outcome.as_ref());
    results.dissent.iter().any(|dissenter| dissenter == id)
}

/// The sides that had a turn to reply to a point and did not, but for those of one mind with a speaker who made it as an own view.
fn silent<'t>(trace: &'t Trace, point: &FlowPoint) -> Vec<&'t str> {
    let others = trace.contestants().filter(|p| {
        let mut said = trace.statements.iter();
        let had_a_turn = said.any(|s| s.by == p.id && s.saw >= point.statement);
        let own = stances::last_of(trace, &p.id);
        let agrees = own.is_some()
            && own == stances::last_of(trace, &point.by)
            && endings::role(trace, point).is_none();
        had_a_turn && !agrees && side_of(trace, &p.id) != point.side
    });
    text::distinct(others.map(|p| side_of(trace, &p.id)))
}

/// `the winner, Ben, never replied to Ann's first argument, “…”, though it was said again.`
fn left(trace: &Trace, point: &FlowPoint) -> String {
    let winner = trace
        .outcome
        .as_ref()
        .and_then(|it| it.winner.as_ref()?.id());
    let name = |id: &&str| {
        let name = trace.name_of(id);
        match Some(*id) == winner && trace.participant(id).is_some() {
            true => format!("the winner, {name},"),
            false => name.to_owned(),
        }
    };
    let silent: Vec<String> = silent(trace, point).iter().map(name).collect();
    let who = match silent.len() {
        ..=SILENT => format!("{} never", text::joined(&silent, "and")),
        _ => "nobody".to_owned(),
    };
    let which = match is_first(trace, point) {
        true => "first argument",
        false => "argument",
    };
    let again = match times_repeated(trace, point) {
        0 => String::new(),
        1 => ", though it was said again".to_owned(),
        2 => ", though it was said again twice".to_owned(),
        n => format!(", though it was said again {n} times"),
    };
    let by = trace.name_of(&point.by);
    format!("{who} replied to {by}'s {which}, {}{again}.", quoted(point))
}

/// A question that was passed over whenever it could have been answered: `Ben did not answer Ann's question “…”`
fn question(trace: &Trace) -> Option<String> {
    let all = questions::passed_over(trace);
    let passed = all.into_iter().max_by_key(|it| {
        let by_dissenter = is_dissenter(trace, &it.question.by);
        (by_dissenter, it.turns)
    })?;
    let by = trace.name_of(&passed.question.by);
    let asked = text::shorten(&text::one_line(&passed.question.text), QUESTION);
    Some(format!(
        "{} did not answer {by}'s question: “{asked}”",
        passed.asked
    ))
}

/// Points in words where there are few enough speakers, else their numbers.
fn listed(trace: &Trace, points: &[&FlowPoint]) -> Option<String> {
    match speakers(points) {
        0 => None,
        n if n <= SIDES => Some(named(trace, points)),
        _ => Some(counted(trace, points)),
    }
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

/// Those of somebody's points that are named: all, or where there is no room for all of these, the weightiest; none where too
/// many people made them.
fn named_of<'t>(
    trace: &'t Trace,
    points: &[&FlowPoint],
    own: Vec<&'t FlowPoint>,
) -> Vec<&'t FlowPoint> {
    match are_named(trace, points) {
        true => own,
        false if speakers(points) > SIDES => Vec::new(),
        false => heaviest(trace, own.into_iter()).into_iter().collect(),
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
