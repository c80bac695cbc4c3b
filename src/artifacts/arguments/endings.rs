//! What became of an argument, in words: how it ended and by whom, and what was done about it before.

use serde_json::{Value, json};

use super::turns::{silent, without_turn};
use crate::artifacts::stances;
use crate::artifacts::statement_place::{self, number};
use crate::event::{How, Phase};
use crate::flow::{Edge, FlowPoint, PointStatus};
use crate::panel::candidates::side_of;
use crate::text;
use crate::trace::Trace;

/// A status that says what was noted, and no more.
const DROPPED: &str = "no reply noted";
/// Of a point that no other side could reply to any more.
const LATE: &str = "came too late for a reply";
/// Of a point that replied to another one, which its side then defended.
pub(super) const COUNTERED: &str = "countered";
/// Of a point whose answers were answered themselves.
pub(super) const STANDS: &str = "stands";
/// Of a point that replied to another one, which its side then gave up.
pub(super) const PREVAILED: &str = "prevailed";
/// Of a point that its side gave up for a narrower one.
const NARROWED: &str = "narrowed";
/// Of a point that was answered as a whole: whether that settles it, the clerk doesn't say.
const REPLIED: &str = "replied to";
const IN_PART: &str = "replied to in part";
/// What that means where somebody replied to the whole, too.
const IN_PART_MEANS: &str = "a reply to the whole of it does not count if it was itself replied to, or if the point was then defended";
pub(super) const CONCEDED: &str = "granted";

/// How a point ended, in words that a reader understands without the definitions.
pub(in crate::artifacts) fn status(trace: &Trace, point: &FlowPoint) -> &'static str {
    match point.status {
        _ if is_late(trace, point) => LATE,
        PointStatus::Dropped if !countered_by(trace, point).is_empty() => COUNTERED,
        PointStatus::Dropped => DROPPED,
        PointStatus::Standing if !was_met(trace, point) => PREVAILED,
        PointStatus::Standing | PointStatus::Open => STANDS,
        PointStatus::Conceded => CONCEDED,
        PointStatus::Answered => REPLIED,
        PointStatus::PartlyAnswered => match settled_by(trace, point).map(|edge| edge.how) {
            Some(How::Full) => REPLIED,
            _ => IN_PART,
        },
        PointStatus::Withdrawn if trace.flow.narrowed_to(point).is_some() => NARROWED,
        PointStatus::Withdrawn => "withdrawn",
    }
}

/// Whether nobody of another mind had a turn to reply to a point, and somebody of another mind had none.
pub(super) fn is_late(trace: &Trace, point: &FlowPoint) -> bool {
    let missed = || silent(trace, point, point.statement);
    match point.status {
        PointStatus::Standing | PointStatus::Open => !point.faced,
        PointStatus::Dropped => missed().is_empty() && without_turn(trace, point).next().is_some(),
        _ => false,
    }
}

fn countered_by<'t>(trace: &'t Trace, point: &FlowPoint) -> Vec<&'t str> {
    trace.flow.countered_by(point, |n| trace.statement(n).map(|said| said.saw))
}

/// Whether somebody replied to the whole of a point, or granted it.
fn was_met(trace: &Trace, point: &FlowPoint) -> bool {
    let mut about = trace.flow.about(&point.id);
    about.any(|edge| matches!(edge.how, How::Full | How::Conceded))
}

/// The same with who did it: `granted by Ann, with A2 held against it`, `granted by Ann and Ben; Ben held B1 against it`, `replied
/// to by Ben, then defended`.
pub(in crate::artifacts) fn ended(trace: &Trace, point: &FlowPoint) -> String {
    let by = settlers(trace, point);
    let against = match held_against(trace, point, |held| held.id.clone()) {
        ids if ids.is_empty() => disputed(trace, point),
        ids => {
            let (held, disputed) = (text::joined(&ids, "and"), disputed(trace, point));
            let held = match some_holding(trace, point) {
                None => format!(", with {held} held against it"),
                Some(who) => format!("; {who} held {held} against it"),
            };
            format!("{held}{disputed}")
        }
    };
    let (granted, since) = (granted_before(trace, point), since(trace, point));
    let over = in_what(trace, point);
    format!("{granted}{}{by}{over}{against}{since}", status(trace, point))
}

/// ` over A1 and A2`: what was withdrawn after this point was made against it; ` by a defence of A1`: what was defended; ` to A3`: what
/// it was narrowed to.
fn in_what(trace: &Trace, point: &FlowPoint) -> String {
    if let Some(narrower) = trace.flow.narrowed_to(point) {
        return format!(" to {}", narrower.id);
    }
    let edges = trace.flow.edges.iter().filter(|edge| edge.how.is_reply());
    let made = edges.filter(|edge| edge.with.as_ref() == Some(&point.id));
    let over = text::distinct(made.map(|edge| edge.at.as_str()));
    match status(trace, point) {
        PREVAILED => format!(" over {}", text::joined(&over, "and")),
        COUNTERED => {
            let defended = countered_by(trace, point);
            format!(" by a defence of {}", text::joined(&defended, "and"))
        }
        _ => String::new(),
    }
}

/// `granted by Ann, then `: by whom a point was granted before its side withdrew it.
pub(super) fn granted_before(trace: &Trace, point: &FlowPoint) -> String {
    let settling = settling(trace, point).filter(|_| point.status == PointStatus::Withdrawn);
    let before = settling.map(|settling| settling.before).unwrap_or_default();
    let granted = before.iter().filter(|edge| edge.how == How::Conceded);
    match &text::distinct(granted.map(|edge| trace.name_of(&edge.by)))[..] {
        [] => String::new(),
        by => format!("{CONCEDED} by {}, then ", text::joined(by, "and")),
    }
}

/// ` by Ann and Ben`: those whose moves settled the point.
pub(super) fn settlers(trace: &Trace, point: &FlowPoint) -> String {
    let by = settling(trace, point).map(|settling| settling.by);
    match by.unwrap_or_default() {
        none if none.is_empty() => String::new(),
        by => format!(" by {}", text::joined(&by, "and")),
    }
}

/// Whether nobody replied to a point, or could.
pub(in crate::artifacts) fn is_unanswered(trace: &Trace, point: &FlowPoint) -> bool {
    point.status != PointStatus::Open && matches!(status(trace, point), DROPPED | LATE)
}

/// Whether nobody replied to a point, or could, in a debate in which all were of one mind and it was not made to oppose them.
pub(in crate::artifacts) fn is_undoubted(trace: &Trace, point: &FlowPoint) -> bool {
    is_unanswered(trace, point)
        && stances::are_all_the_same(trace)
        && trace.role_of_point(point).is_none()
}

/// The points that those who conceded this one set against it, as `words` gives them, but for those that they gave up: it is
/// right, they say, but something else counts for more. A whole reply need not settle one.
pub(super) fn held_against(
    trace: &Trace,
    point: &FlowPoint,
    words: impl Fn(&FlowPoint) -> String,
) -> Vec<String> {
    let held = holding(trace, point).into_iter();
    let held = held.filter_map(|edge| trace.flow.point(edge.with.as_deref()?));
    let told = held.map(|held| match held.status {
        PointStatus::Answered => format!("{}, itself {REPLIED},", words(held)),
        _ => words(held),
    });
    text::distinct(told)
}

/// Whether not all who could granted a point, or something was held against it.
pub(super) fn is_qualified(trace: &Trace, point: &FlowPoint) -> bool {
    !holding(trace, point).is_empty() || !disputed(trace, point).is_empty()
}

/// The concessions that set a point against this one.
fn holding<'t>(trace: &'t Trace, point: &'t FlowPoint) -> Vec<&'t Edge> {
    let settling = settling(trace, point).filter(|_| point.status == PointStatus::Conceded);
    let mut edges = settling.map(|settling| settling.own).unwrap_or_default();
    edges.retain(|edge| edge.with.as_ref().is_some_and(|id| trace.flow.is_held(id)));
    edges
}

/// Those who hold a point against one that they conceded, unless all who conceded it do.
pub(super) fn some_holding(trace: &Trace, point: &FlowPoint) -> Option<String> {
    let holding = holding(trace, point).into_iter();
    let who = text::distinct(holding.map(|edge| trace.name_of(&edge.by)));
    let all = settling(trace, point).map_or(0, |settling| settling.by.len());
    (who.len() < all).then(|| text::joined(&who, "and"))
}

/// The status, with that the point was defended afterwards: `replied to, then defended`.
pub(super) fn with_defence(trace: &Trace, point: &FlowPoint) -> String {
    format!("{}{}", status(trace, point), since(trace, point))
}

/// `; replied to in part by Ben`: those whose side did not grant what another one did.
pub(super) fn disputed(trace: &Trace, point: &FlowPoint) -> String {
    let replies = trace.flow.disputed(point, |by| Some(side_of(trace, by)));
    let told = replies.into_iter().map(|edge| match edge.how {
        How::Full => (REPLIED, trace.name_of(&edge.by)),
        _ => (IN_PART, trace.name_of(&edge.by)),
    });
    let told = text::gathered(told).into_iter();
    told.map(|(did, by)| format!("; {did} by {}", text::joined(&by, "and"))).collect()
}

/// A point in quotation marks.
pub(super) fn quoted(point: &FlowPoint) -> String {
    format!("“{}”", words(&point.text))
}

/// Somebody's words for quotation marks: on one line, without emphasis and without the full stop.
pub(in crate::artifacts) fn words(said: &str) -> String {
    let said = text::without_emphasis(&text::one_line(said));
    text::unquoted(&said).trim_end_matches('.').to_owned()
}

/// What its side did with a point after it was settled, as far as that changes what a reader makes of it.
pub(super) fn since(trace: &Trace, point: &FlowPoint) -> &'static str {
    let did = |how: How| {
        let settling = settling(trace, point);
        settling.is_some_and(|settling| settling.after.iter().any(|edge| edge.how == how))
    };
    match point.status {
        PointStatus::PartlyAnswered if did(How::Defended) => ", then defended",
        PointStatus::Withdrawn if did(How::Repeated) => ", then used again",
        _ => "",
    }
}

/// What the statuses that occur mean, where they do not say it themselves.
pub(in crate::artifacts) fn legend(trace: &Trace, points: &[&FlowPoint]) -> Vec<[&'static str; 2]> {
    let mut dropped = points.iter().filter(|p| status(trace, p) == DROPPED);
    let undoubted = dropped.all(|point| is_undoubted(trace, point));
    let dropped = undoubted.then_some([DROPPED, "perhaps because nobody doubted it"]);
    let mut partly = points.iter().filter(|p| status(trace, p) == IN_PART && was_met(trace, p));
    let partly = partly.next().map(|_| [IN_PART, IN_PART_MEANS]);
    let meanings = dropped.into_iter().chain(partly).chain([
        [
            STANDS,
            "nobody replied to a part of it, and each reply to the whole was itself replied to",
        ],
        [PREVAILED, "it was made against a point that was then withdrawn"],
        [COUNTERED, "no reply to it was noted, but what it was made against was then defended"],
        [REPLIED, "to the whole of it, which need not settle it"],
        [CONCEDED, "accepted as true; what follows from it may still be disputed"],
    ]);
    let occurs = |[word, _]: &[&str; 2]| points.iter().any(|point| status(trace, point) == *word);
    meanings.filter(occurs).collect()
}

/// What was done last about a point of what its status rests on.
pub(in crate::artifacts) fn settled_by<'t>(
    trace: &'t Trace,
    point: &'t FlowPoint,
) -> Option<&'t Edge> {
    let mut about = trace.flow.about(&point.id);
    match point.status {
        PointStatus::Conceded => about.rfind(|edge| edge.how == How::Conceded),
        PointStatus::Withdrawn => about.rfind(|edge| edge.how == How::Withdrawn),
        PointStatus::Answered | PointStatus::PartlyAnswered => {
            trace.flow.answer_that_counts(&point.id)
        }
        _ => None,
    }
}

/// The moves about a point by those that settled it: several did the same one after the other, or granted it at any time.
pub(super) struct Settling<'t> {
    by: Vec<&'t str>,
    pub(super) before: Vec<&'t Edge>,
    own: Vec<&'t Edge>,
    after: Vec<&'t Edge>,
}

pub(super) fn settling<'t>(trace: &'t Trace, point: &'t FlowPoint) -> Option<Settling<'t>> {
    let last = settled_by(trace, point)?;
    let all: Vec<&Edge> = trace.flow.about(&point.id).collect();
    let at = all.iter().rposition(|edge| *edge == last)?;
    let (until, after) = all.split_at(at + 1);
    let same = until.iter().rev().take_while(|edge| edge.how == last.how).count();
    let (before, run) = until.split_at(until.len() - same);
    let granted = all.iter().filter(|edge| edge.how == How::Conceded);
    // One grant takes nothing from another, whatever others did between them.
    let own: Vec<&Edge> = match last.how {
        How::Conceded => granted.copied().collect(),
        _ => run.to_vec(),
    };
    Some(Settling {
        by: text::distinct(own.iter().map(|edge| trace.name_of(&edge.by))),
        before: before.to_vec(),
        own,
        after: after.to_vec(),
    })
}

/// The moves about a point, for templates.
pub(in crate::artifacts) fn became(trace: &Trace, point: &FlowPoint) -> Vec<Value> {
    let moves = moves(trace, point).into_iter();
    moves.map(|(did, within)| json!({"did": did, "in": within})).collect()
}

/// What was done about a point and in which statements, in order: `reply by Marek`, `defended`. Who settled it alone is named by its
/// status.
pub(super) fn moves(trace: &Trace, point: &FlowPoint) -> Vec<(String, Vec<String>)> {
    let known = settling(trace, point).map(|settling| settling.by).unwrap_or_default();
    let all: Vec<&Edge> = trace.flow.about(&point.id).collect();
    let words = |edge: &&Edge| {
        let by = by(trace, point, edge, &known);
        (format!("{}{by}", did(edge)), number(edge.statement))
    };
    let told: Vec<(String, String)> = all.iter().map(words).collect();
    let same = told.chunk_by(|(one, _), (other, _)| one == other);
    let move_of = |same: &[(String, String)]| {
        let statements = same.iter().map(|(_, n)| n.clone());
        (same[0].0.clone(), text::distinct(statements))
    };
    same.map(move_of).collect()
}

/// A move, in words.
fn did(edge: &Edge) -> &'static str {
    match edge.how {
        How::Full => "reply",
        How::Partial => "reply in part",
        How::Conceded => CONCEDED,
        How::Repeated => "said again",
        How::Withdrawn if edge.with.is_some() => NARROWED,
        How::Withdrawn => "withdrawn",
        How::Defended => "defended",
        How::Upheld => "kept open",
    }
}

/// What a statement does about a point, in words.
pub(in crate::artifacts) fn does(how: How) -> &'static str {
    match how {
        How::Full => "replies to",
        How::Partial => "replies in part to",
        How::Conceded => "grants",
        How::Repeated => "says again",
        How::Withdrawn => "withdraws",
        How::Defended => "defends",
        How::Upheld => "keeps open",
    }
}

/// ` by Marek with B2`; who made the point needs no name. The point that a reply was made with has its own place in the list; what
/// was held against a granted one is told with the status.
fn by(trace: &Trace, point: &FlowPoint, edge: &Edge, known: &[&str]) -> String {
    if edge.by == point.by {
        return String::new();
    }
    let by = match trace.name_of(&edge.by) {
        name if known == [name] => String::new(),
        name => format!(" by {name}"),
    };
    let is_told = edge.how.is_reply() || point.status == PointStatus::Withdrawn;
    let with = edge.with.as_ref().filter(|_| is_told);
    let with = with.map_or_else(String::new, |id| {
        let made = trace.flow.point(id);
        let is_lost = made.is_some_and(|with| with.status == PointStatus::Withdrawn);
        let since = if is_lost { ", since withdrawn," } else { "" };
        format!(" with {id}{since}")
    });
    format!("{by}{with}")
}

/// In which role a point was made, if not for its speaker's own view, whether its speaker moved then, or that it came late: `as
/// devil's advocate`, `new in the closing`.
pub(in crate::artifacts) fn circumstance(trace: &Trace, point: &FlowPoint) -> Option<String> {
    let own = |told: &str| told.to_owned();
    let role = trace.role_of_point(point).map(own);
    role.or_else(|| stances::moved_with(trace, point)).or_else(|| made_late(trace, point).map(own))
}

/// That a point came in the closing, or in the last round.
pub(super) fn made_late(trace: &Trace, point: &FlowPoint) -> Option<&'static str> {
    let made = trace.statement(point.statement)?;
    if made.phase == Phase::CLOSING {
        // A reply may have a new reason there.
        let is_with = |edge: &Edge| edge.with.as_ref() == Some(&point.id);
        let mut own = trace.flow.edges.iter().filter(|edge| edge.statement == made.n);
        return (!own.any(is_with)).then_some("new in the closing");
    }
    let last = trace.rounds.last().map(|notes| notes.round);
    let is_last = trace.rounds_held() > 1 && statement_place::round_of(trace, made) == last;
    let mut said = trace.statements.iter();
    let ends_with_it = !said.any(|s| s.phase == Phase::CLOSING);
    // What came too late for a reply says so itself.
    let told = status(trace, point) == LATE;
    let is_late = !told && (ends_with_it || point.status == PointStatus::Dropped);
    (is_last && is_late).then_some("made in the last round")
}
