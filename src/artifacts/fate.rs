//! What became of an argument, in words: its status, who did what about it in which statement, and whether anybody had a turn
//! left.

use serde_json::{Value, json};

use super::place::{self, number};
use crate::event::{How, Phase, Statement};
use crate::flow::{Edge, FlowPoint, PointStatus};
use crate::trace::Trace;

/// A status that says what was noted, and no more.
const DROPPED: &str = "no reply noted";
/// Of a point that no other side could answer any more.
const NO_TURN: &str = "no turn left";
/// Of a point whose answers were answered themselves.
const STANDS: &str = "stands";
const ANSWERED: &str = "answered";
/// Of a point that was answered in part, or as a whole and defended afterwards.
const IN_PART: &str = "answered in part";

/// The status in words that a reader understands without the definitions.
pub(super) fn status(point: &FlowPoint) -> &'static str {
    match point.status {
        PointStatus::Dropped => DROPPED,
        PointStatus::Standing | PointStatus::Open if !point.faced => NO_TURN,
        PointStatus::Standing | PointStatus::Open => STANDS,
        PointStatus::Conceded => "conceded",
        PointStatus::PartlyAnswered => IN_PART,
        PointStatus::Answered => ANSWERED,
        PointStatus::Withdrawn => "withdrawn",
    }
}

/// What the statuses that occur mean, where they do not say it themselves.
pub(super) fn legend(points: &[&FlowPoint]) -> Vec<[&'static str; 2]> {
    let meanings = [
        [
            DROPPED,
            "others spoke after it, but the clerk noted no answer",
        ],
        [NO_TURN, "no other side spoke after reading it"],
        [STANDS, "no answer to it holds"],
        [
            IN_PART,
            "only part of it was answered, or it was defended afterwards",
        ],
        [ANSWERED, "in full"],
    ];
    let occurs = |[word, _]: &[&str; 2]| points.iter().any(|point| status(point) == *word);
    meanings.into_iter().filter(occurs).collect()
}

/// A later statement of such a speaker that was asked for without this one on the record.
fn blind_after(trace: &Trace, n: u32, is_such: impl Fn(&Statement) -> bool) -> Option<&Statement> {
    let argues = |s: &&Statement| trace.contestants().any(|p| p.id == s.by);
    let later = trace.statements.iter().filter(|s| s.n > n && s.saw < n);
    later.filter(argues).find(|s| is_such(s))
}

/// What another side did last about a point whose status rests on it.
pub(super) fn settled_by<'t>(trace: &'t Trace, point: &'t FlowPoint) -> Option<&'t Edge> {
    let settles = |edge: &&Edge| match point.status {
        PointStatus::Conceded => edge.how == How::Conceded,
        PointStatus::Answered | PointStatus::PartlyAnswered => {
            matches!(edge.how, How::Full | How::Partial)
        }
        _ => false,
    };
    trace.flow.about(&point.id).rfind(settles)
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
        // Nor is said again what the status says, where it comes first.
        let is_told = last.is_empty() && is_status(point, did);
        let again = (last == *did || is_told) && !by.is_empty();
        last = did;
        let words = match again {
            true => by.clone(),
            false => format!("{did} {by}"),
        };
        json!({"did": words.trim(), "in": statements})
    };
    told.iter().map(part).collect()
}

/// Whether a status says already what was done.
fn is_status(point: &FlowPoint, did: &str) -> bool {
    let in_part = status(point) == IN_PART && did == "answered";
    in_part || status(point) == did
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

/// What a statement does about a point, in words.
pub(super) fn does(how: How) -> &'static str {
    match how {
        How::Full => "answers",
        How::Partial => "answers in part",
        How::Conceded => "concedes",
        How::Repeated => "says again",
        How::Withdrawn => "withdraws",
        How::Defended => "defends",
        How::Upheld => "upholds",
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

/// That whoever made a point had no turn left in which to reply to the last answer to it, on which its status rests, or only
/// one in which that answer was not known.
pub(super) fn last_word(trace: &Trace, point: &FlowPoint) -> Option<String> {
    let is_answer = |edge: &&Edge| matches!(edge.how, How::Full | How::Partial);
    let rests = matches!(
        point.status,
        PointStatus::Answered | PointStatus::PartlyAnswered
    );
    let last = trace.flow.about(&point.id).rfind(is_answer)?;
    let replies = |s: &Statement| s.saw >= last.statement && is_of(trace, s, point);
    let is_over = trace.outcome.is_some();
    let had_none = rests && is_over && !trace.statements.iter().any(replies);
    had_none.then(|| {
        let name = trace.name_of(&point.by);
        match blind_after(trace, last.statement, |s| is_of(trace, s, point)) {
            Some(s) => format!("only a blind {} left for {name}", s.phase.words()),
            None => format!("no turn left for {name}"),
        }
    })
}

/// Whether a statement is one of the side that made a point.
fn is_of(trace: &Trace, s: &Statement, point: &FlowPoint) -> bool {
    let position = |id: &str| {
        let position = trace.participant(id).map(|p| p.position.as_str());
        position.filter(|position| !position.is_empty())
    };
    let own = trace.flow.points.iter().find(|own| own.by == s.by);
    let same_side = own.is_some_and(|own| own.side == point.side);
    let argues = trace.contestants().any(|p| p.id == s.by);
    let same_position =
        argues && position(&s.by).is_some_and(|own| position(&point.by) == Some(own));
    s.by == point.by || same_side || same_position
}

/// Which points of a contestant were new in a closing among these statements.
pub(super) fn new_in_closings<'t>(trace: &'t Trace, id: &str, turns: &[u32]) -> Vec<&'t str> {
    let cited = turns.iter().filter_map(|n| trace.statement(*n));
    let closings = cited.filter(|s| s.phase == Phase::CLOSING);
    let closings: Vec<u32> = closings.map(|s| s.n).collect();
    let points = trace.flow.points.iter();
    let points = points.filter(|point| point.by == id && closings.contains(&point.statement));
    points.map(|point| point.id.as_str()).collect()
}

/// Where a point came late, and what follows: `new in the closing`.
pub(super) fn late(trace: &Trace, point: &FlowPoint) -> Option<&'static str> {
    let made = trace.statement(point.statement)?;
    if made.phase == Phase::CLOSING {
        return Some("new in the closing");
    }
    let last = trace.rounds.last().map(|notes| notes.round);
    let is_last = trace.rounds_held() > 1 && place::round_of(trace, made) == last;
    let is_unanswered = point.status == PointStatus::Dropped;
    (is_last && is_unanswered).then_some("made in the last round")
}
