//! What was left open, in sentences: of each side the unanswered argument that mattered most, and who
//! left it; the others in few words; what came too late; a question that was passed over.

use std::cmp::Reverse;

use super::endings::{self, quoted};
use super::questions;
use super::turns::{silent, without_turn};
use super::weight::{FEW, SIDES, was_asked_for, weight};
use crate::artifacts::stances;
use crate::event::{How, Results};
use crate::flow::FlowPoint;
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

/// What nobody replied to, or could.
pub(super) struct Unanswered<'t> {
    trace: &'t Trace,
    /// The weightiest argument of a side that it began with or came back to.
    main: Vec<Missed<'t>>,
    others: Vec<&'t FlowPoint>,
    late: Vec<&'t FlowPoint>,
}

/// A point that somebody passed over.
struct Missed<'t> {
    point: &'t FlowPoint,
    /// The sides that did.
    silent: Vec<&'t str>,
    /// Whether it was said again to one of them, without being asked for.
    again: bool,
}

impl<'t> Unanswered<'t> {
    /// What perhaps nobody doubted, what only those left who agreed with its speaker, and what was said for a stance that its
    /// speaker left, is not missed.
    pub(super) fn of(trace: &'t Trace) -> Self {
        let doubted = trace.flow.points.iter().filter(|point| {
            endings::is_unanswered(trace, point)
                && !endings::is_undoubted(trace, point)
                && stances::left(trace, point).is_none()
        });
        let (mut late, dropped): (Vec<&FlowPoint>, Vec<&FlowPoint>) =
            doubted.partition(|point| endings::is_late(trace, point));
        late.retain(|point| without_turn(trace, point).next().is_some());
        let missed = dropped.into_iter().map(|point| Missed::of(trace, point));
        let missed: Vec<Missed<'_>> = missed.filter(|missed| !missed.silent.is_empty()).collect();
        if stances::end_alike(trace) {
            let others = missed.into_iter().map(|it| it.point).collect();
            return Self { trace, main: Vec::new(), others, late: Vec::new() };
        }
        let (main, others) = with_main(trace, missed);
        Self { trace, main, others, late }
    }

    /// What was left open, and a question that was passed over.
    pub(super) fn told(&self) -> Option<String> {
        let points =
            if stances::end_alike(self.trace) { self.not_taken_up() } else { self.left_open() };
        let all = points.into_iter().chain(question(self.trace));
        text::if_any(text::separated(all, " "))
    }

    /// Points of those who all agree in the end, which nobody neglected: `Not taken up by others, as the clerk noted, …: Ann's “…”.`
    fn not_taken_up(&self) -> Option<String> {
        let points = listed(self.trace, &self.others)?;
        Some(format!(
            "Not taken up by others, as the clerk noted, some perhaps because nobody disagrees: {points}."
        ))
    }

    /// What was passed over, first by those outside the majority, and what came too late: `Left open, as the
    /// clerk noted it: no reply by Ben to Ann's first argument “…”; nor any to Ann's “…”; Ben's “…” came too late for a reply.`
    fn left_open(&self) -> Option<String> {
        let trace = self.trace;
        let main = self.main.iter().map(|missed| missed.told(trace)).enumerate();
        let main = main.map(|(place, told)| match place {
            0 => format!("no reply {told}"),
            _ => format!("none {told}"),
        });
        let nor = if self.main.is_empty() { "no reply" } else { "nor any" };
        let others = listed(trace, &self.others).map(|points| format!("{nor} to {points}"));
        let late = listed(trace, &self.late);
        let late = late.map(|points| format!("{points} came too late for a reply"));
        let all = text::if_any(text::separated(main.chain(others).chain(late), "; "))?;
        let by = if super::by_clerk(trace) { ", as the clerk noted it" } else { "" };
        Some(format!("Left open{by}: {all}."))
    }

    /// The points that these sentences quote.
    pub(super) fn named_points(&self) -> Vec<&'t FlowPoint> {
        let named = [&self.others, &self.late].into_iter().flat_map(|points| {
            let each = text::gathered(points.iter().map(|point| (point.by.as_str(), *point)));
            let named = |(_, own)| named_of(self.trace, points, own);
            each.into_iter().flat_map(named).collect::<Vec<_>>()
        });
        let main = self.main.iter().map(|missed| missed.point);
        main.chain(named).collect()
    }
}

impl<'t> Missed<'t> {
    fn of(trace: &'t Trace, point: &'t FlowPoint) -> Self {
        let mut about = trace.flow.about(&point.id);
        let again = about.any(|edge| {
            edge.how == How::Repeated
                && !was_asked_for(trace, edge)
                && !silent(trace, point, edge.statement).is_empty()
        });
        Self { point, silent: silent(trace, point, point.statement), again }
    }

    /// `by Ben (the winner) to Ann's first argument “…”, though it was said again`
    fn told(&self, trace: &Trace) -> String {
        let which = if trace.flow.is_first(self.point) { "first argument" } else { "argument" };
        let again = if self.again { ", though it was said again" } else { "" };
        let who = self.by_whom(trace);
        let (by, quoted) = (text::possessive(trace.name_of(&self.point.by)), quoted(self.point));
        format!("{who}to {by} {which} {quoted}{again}")
    }

    /// `by Ann or Ben (the winner) `; nothing where many passed it over.
    fn by_whom(&self, trace: &Trace) -> String {
        let winner = trace.outcome.as_ref().and_then(|it| it.winner.as_ref()?.id());
        let name = |id: &&str| {
            let is_winner = Some(*id) == winner && trace.participant(id).is_some();
            format!("{}{}", trace.name_of(id), if is_winner { " (the winner)" } else { "" })
        };
        let names = text::joined(self.silent.iter().map(name), "or");
        if self.silent.len() > SILENT { String::new() } else { format!("by {names} ") }
    }
}

/// The few that are told by themselves, those outside the majority and the weightiest first, and the others.
fn with_main<'t>(
    trace: &'t Trace,
    missed: Vec<Missed<'t>>,
) -> (Vec<Missed<'t>>, Vec<&'t FlowPoint>) {
    let is_loyal = |point: &FlowPoint| !is_dissenter(trace, &point.by);
    let came_back = |point: &FlowPoint| weight(trace, point).0 > 0;
    let counts = |it: &&Missed<'t>| {
        trace.flow.is_first(it.point) || came_back(it.point) || !is_loyal(it.point)
    };
    let own = missed.iter().filter(counts);
    let sides = text::gathered(own.map(|it| (it.point.side.as_str(), it.point)));
    let mut main: Vec<&FlowPoint> =
        sides.into_iter().filter_map(|(_, own)| heaviest(trace, own.into_iter())).collect();
    main.sort_by_key(|point| (is_loyal(point), Reverse(weight(trace, point))));
    main.truncate(MAIN);
    let place = |it: &Missed<'_>| main.iter().position(|point| *point == it.point);
    let (mut told, others): (Vec<Missed<'_>>, Vec<Missed<'_>>) =
        missed.into_iter().partition(|it| place(it).is_some());
    told.sort_by_key(place);
    let mut others: Vec<&FlowPoint> = others.into_iter().map(|it| it.point).collect();
    others.sort_by_key(|point| is_loyal(point));
    (told, others)
}

/// The weightiest of some points, of equal ones the earliest; of a dissenter's, the last objection.
fn heaviest<'t>(
    trace: &'t Trace,
    points: impl Iterator<Item = &'t FlowPoint>,
) -> Option<&'t FlowPoint> {
    points.min_by_key(|point| {
        let (weight, is_own) = weight(trace, point);
        let dissents = is_dissenter(trace, &point.by);
        let last = (dissents && !is_own).then_some(Reverse(point.statement));
        (Reverse(weight), is_own == dissents, last)
    })
}

/// Whether somebody ended outside the majority.
fn is_dissenter(trace: &Trace, id: &str) -> bool {
    let results = Results::of(trace.outcome.as_ref());
    results.dissent.iter().any(|dissenter| dissenter == id)
}

/// A question that was passed over whenever it could have been answered, of equal ones the earliest: `The clerk noted no answer by
/// Ben to Ann's question: “…”`
fn question(trace: &Trace) -> Option<String> {
    let all = questions::passed_over(trace);
    let passed = all.into_iter().min_by_key(|it| {
        let by_dissenter = is_dissenter(trace, &it.question.by);
        Reverse((by_dissenter, it.turns))
    })?;
    let by = text::possessive(trace.name_of(&passed.question.by));
    let asked = text::shorten(&text::one_line(&passed.question.text), QUESTION);
    let noted = if super::by_clerk(trace) { "The clerk noted" } else { "The notes have" };
    Some(format!("{noted} no answer by {} to {by} question: “{asked}”", passed.by))
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
        let named: Vec<String> =
            named_of(trace, points, own).into_iter().map(|point| dated(trace, point)).collect();
        let more = match all - named.len() {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        format!("{} {}{more}", text::possessive(trace.name_of(by)), text::joined(&named, "and"))
    };
    text::joined(each.into_iter().map(of), "and")
}

/// A point in quotation marks; `“…” (new in the closing)` where that may be why it has no reply.
fn dated(trace: &Trace, point: &FlowPoint) -> String {
    let when = endings::made_late(trace, point).filter(|_| !endings::is_late(trace, point));
    let when = when.map_or_else(String::new, |when| format!(" ({when})"));
    format!("{}{when}", quoted(point))
}

/// Those of somebody's points that are named: all, or where there is no room for all of these, the weightiest; none where too
/// many people made them.
fn named_of<'t>(
    trace: &'t Trace,
    points: &[&FlowPoint],
    own: Vec<&'t FlowPoint>,
) -> Vec<&'t FlowPoint> {
    if are_named(trace, points) {
        own
    } else if speakers(points) > SIDES {
        Vec::new()
    } else {
        heaviest(trace, own.into_iter()).into_iter().collect()
    }
}

/// `2 points of Ann and 1 of Ben`.
fn counted(trace: &Trace, points: &[&FlowPoint]) -> String {
    let each = text::gathered(points.iter().map(|point| (point.by.as_str(), point)));
    let of = |(place, (by, own)): (usize, &(&str, Vec<_>))| match (place, own.len() as u64) {
        (0, n) => format!("{} of {}", text::count(n, "point"), trace.name_of(by)),
        (_, n) => format!("{n} of {}", trace.name_of(by)),
    };
    text::joined(each.iter().enumerate().map(of), "and")
}
