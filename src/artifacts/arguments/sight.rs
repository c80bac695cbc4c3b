//! Who could not respond to the answer on which an argument's status rests: its side had no turn left, or wrote its last statement
//! without sight of it.

use serde_json::{Value, json};

use super::endings::settled_by;
use crate::artifacts::statement_place::number;
use crate::event::{Phase, Statement};
use crate::flow::{Edge, FlowPoint};
use crate::text;
use crate::trace::Trace;

/// That the side that made a point had no turn left in which to respond to the answer on which its status rests.
pub(in crate::artifacts) fn last_word(trace: &Trace, point: &FlowPoint) -> Option<String> {
    let answer = last_answer(trace, point)?;
    let has_turn = blind_beside(trace, answer.statement, point).is_some();
    let side = match trace.name_of(&point.side) {
        unnamed if unnamed == point.side => trace.name_of(&point.by),
        name => name,
    };
    (!has_turn).then(|| format!("{side} had no turn left"))
}

/// Whose last statements were written without sight of the answers on which the status of these points rests, with the number of
/// each answer: said once above a list of the points. Of several that were all written side by side, only their kind.
pub(in crate::artifacts) fn unseen(trace: &Trace, points: &[&FlowPoint]) -> Vec<Value> {
    let blind = |point: &&FlowPoint| {
        let answer = trace.statement(last_answer(trace, point)?.statement)?;
        Some((blind_beside(trace, answer.n, point)?, answer))
    };
    let pairs: Vec<(&Statement, &Statement)> = points.iter().filter_map(blind).collect();
    let whose =
        |s: &Statement| format!("{} {}", text::possessive(trace.name_of(&s.by)), s.phase.words());
    let row = |words: String, within: Vec<String>| json!({"words": words, "in": within});
    let one = |(s, answer): &(&Statement, &Statement)| {
        row(format!("{} was written without seeing", whose(s)), vec![number(answer.n)])
    };
    let each = text::distinct(pairs.iter().map(one));
    let beside = side_by_side(&pairs).filter(|_| each.len() > 1);
    let beside = beside.map(|phase| {
        let words = format!("The {}s were written without sight of each other", phase.words());
        vec![row(words, Vec::new())]
    });
    beside.unwrap_or(each)
}

/// The phase of statements none of whose speakers had seen another of them.
fn side_by_side<'t>(pairs: &[(&'t Statement, &'t Statement)]) -> Option<&'t Phase> {
    let all: Vec<&Statement> = pairs.iter().flat_map(|(one, other)| [*one, *other]).collect();
    let (first, least) = (all.first()?, all.iter().map(|s| s.n).min()?);
    let beside = all.iter().all(|s| s.phase == first.phase && s.saw < least);
    beside.then_some(&first.phase)
}

/// The answer on which a point's status rests, if nobody of its side spoke who knew it.
pub(super) fn last_answer<'t>(trace: &'t Trace, point: &'t FlowPoint) -> Option<&'t Edge> {
    trace.outcome.as_ref()?;
    let answer = settled_by(trace, point).filter(|edge| edge.how.is_reply())?;
    let responds = |s: &Statement| s.saw >= answer.statement && is_of(trace, s, point);
    (!trace.statements.iter().any(responds)).then_some(answer)
}

/// The statement of a point's side that was written beside another one: neither was known to the other's speaker.
fn blind_beside<'t>(trace: &'t Trace, n: u32, point: &FlowPoint) -> Option<&'t Statement> {
    let other = trace.statement(n)?;
    let is_beside = |s: &&Statement| s.saw < n && other.saw < s.n;
    let own = trace.statements.iter().filter(|s| is_of(trace, s, point));
    own.rev().find(is_beside)
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
