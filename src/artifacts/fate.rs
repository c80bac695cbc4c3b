//! What became of an argument, in words: its status, who did what about it in which statement, and whether anybody had a turn
//! left.

use serde_json::{Value, json};

use super::arguments::number;
use super::place;
use crate::event::{How, Statement};
use crate::flow::{Edge, FlowPoint, PointStatus};
use crate::trace::Trace;

/// A status that needs its meaning beside it.
const DROPPED: &str = "never answered";
/// As above.
const STANDS: &str = "stands";
/// As above, where its side defended the point.
const IN_PART: &str = "answered in part";
/// As above, where there are more than two sides.
const CONCEDED: &str = "conceded";

/// The status in words that a reader understands without the definitions.
pub(super) fn status(point: &FlowPoint) -> &'static str {
    match point.status {
        PointStatus::Dropped => DROPPED,
        PointStatus::Standing | PointStatus::Open if !point.faced => "no turn left to answer it",
        PointStatus::Standing | PointStatus::Open => STANDS,
        PointStatus::Conceded => CONCEDED,
        PointStatus::PartlyAnswered => IN_PART,
        PointStatus::Answered => "answered",
        PointStatus::Withdrawn => "withdrawn",
    }
}

/// What statuses mean that do not say it themselves, where they occur.
pub(super) fn legend(trace: &Trace, points: &[&FlowPoint]) -> Vec<[&'static str; 2]> {
    let defended = |point: &&FlowPoint| done(trace, point, How::Defended);
    let with = |word: &'static str| points.iter().copied().filter(move |p| status(p) == word);
    let meanings = [
        (
            with(DROPPED).next().is_some(),
            [
                DROPPED,
                "others spoke after it, and the clerk noted no answer",
            ],
        ),
        (
            with(STANDS).next().is_some(),
            [STANDS, "no answer to it holds"],
        ),
        (
            with(IN_PART).any(|point| defended(&point)),
            [
                IN_PART,
                "a part of it was answered, or all of it, and it was defended",
            ],
        ),
        (
            with(CONCEDED).next().is_some() && has_many_sides(trace),
            [
                CONCEDED,
                "by those who are named; others may see it otherwise",
            ],
        ),
    ];
    let occurs = meanings.into_iter().filter(|(occurs, _)| *occurs);
    occurs.map(|(_, meaning)| meaning).collect()
}

fn has_many_sides(trace: &Trace) -> bool {
    let mut sides: Vec<&str> = trace.flow.points.iter().map(|p| p.side.as_str()).collect();
    sides.sort_unstable();
    sides.dedup();
    sides.len() > 2
}

fn done(trace: &Trace, point: &FlowPoint, how: How) -> bool {
    trace.flow.about(&point.id).any(|edge| edge.how == how)
}

/// What was done about a point, in order: `answered by Marek`, `defended`, each with the statements that did it. What several
/// did one after the other is said once: `conceded by Ann`, `by Ben`.
pub(super) fn became(trace: &Trace, point: &FlowPoint) -> Vec<Value> {
    let mut told: Vec<(&str, String, Vec<String>)> = Vec::new();
    for edge in trace.flow.about(&point.id) {
        let (did, by) = (did(point, edge), by(trace, point, edge));
        let n = number(edge.statement);
        match told.last_mut() {
            Some((last, who, statements)) if *last == did && *who == by => statements.push(n),
            _ => told.push((did, by, vec![n])),
        }
    }
    let mut last = "";
    let part = |(did, by, statements): &(&'static str, String, Vec<String>)| {
        let again = last == *did && !by.is_empty();
        last = did;
        let words = if again {
            by.clone()
        } else {
            format!("{did} {by}")
        };
        json!({"did": words.trim(), "in": statements})
    };
    told.iter().map(part).collect()
}

fn did(point: &FlowPoint, edge: &Edge) -> &'static str {
    match edge.how {
        How::Full => "answered",
        // The status says that it was in part.
        How::Partial if point.status == PointStatus::PartlyAnswered => "answered",
        How::Partial => "answered in part",
        How::Conceded => "conceded",
        How::Repeated => "said again",
        How::Withdrawn => "withdrawn",
        How::Defended => "defended",
        How::Upheld => "upheld",
    }
}

/// `by Marek`; who made the point needs no name. Of answers that did not hold, the point they were made with, which stands
/// in the list as answered itself.
fn by(trace: &Trace, point: &FlowPoint, edge: &Edge) -> String {
    if edge.by == point.by {
        return String::new();
    }
    let with = edge.with.as_ref().filter(|_| status(point) == STANDS);
    let with = with.map_or_else(String::new, |with| format!(" with {with}"));
    format!("by {}{with}", trace.name_of(&edge.by))
}

/// Whether the last answer to a point, on which its status rests, was given when its side had no turn left in which to reply.
pub(super) fn has_last_word(trace: &Trace, point: &FlowPoint) -> bool {
    let is_answer = |edge: &&Edge| matches!(edge.how, How::Full | How::Partial);
    let rests = matches!(
        point.status,
        PointStatus::Answered | PointStatus::PartlyAnswered
    );
    let last = trace.flow.about(&point.id).rfind(is_answer);
    let replies = |s: &Statement, edge: &Edge| s.saw >= edge.statement && is_of(trace, s, point);
    let is_over = trace.outcome.is_some();
    last.is_some_and(|edge| rests && is_over && !trace.statements.iter().any(|s| replies(s, edge)))
}

/// Whether a statement is one of the side that made a point.
fn is_of(trace: &Trace, s: &Statement, point: &FlowPoint) -> bool {
    let position = |id: &str| {
        let by = trace.participants.iter().find(|p| p.id == id);
        by.map(|p| p.position.as_str())
            .filter(|position| !position.is_empty())
    };
    let own = trace.flow.points.iter().find(|own| own.by == s.by);
    let same_side = own.is_some_and(|own| own.side == point.side);
    let argues = trace
        .participants
        .iter()
        .any(|p| p.contestant && p.id == s.by);
    let same_position =
        argues && position(&s.by).is_some_and(|own| position(&point.by) == Some(own));
    s.by == point.by || same_side || same_position
}

/// Where a point came late, and what follows: `new in a closing`.
pub(super) fn late(trace: &Trace, point: &FlowPoint) -> Option<&'static str> {
    let made = trace.statements.iter().find(|s| s.n == point.statement)?;
    if made.phase == "closing" {
        return Some("new in a closing");
    }
    let last = trace.rounds.last().map(|notes| notes.round);
    let is_last = trace.rounds_held() > 1 && place::round_of(trace, made) == last;
    let is_unanswered = point.status == PointStatus::Dropped;
    (is_last && is_unanswered).then_some("made in the last round")
}
