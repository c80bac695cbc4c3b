//! A statement as the page has it.

use serde_json::{Value, json};

use crate::artifacts::arguments::{dialectic_ledger, endings};
use crate::artifacts::{index, interruptions, statement_place};
use crate::event::{Origin, Statement};
use crate::flow::Edge;
use crate::formats::dialectic::Resolution;
use crate::panel::candidates::{side_of, sides};
use crate::text;
use crate::trace::Trace;

/// Sides that have a colour of their own; further ones begin again.
const COLOURS: usize = 6;

/// A statement for the template.
pub(super) fn shown(trace: &Trace, s: &Statement) -> Value {
    json!({
        "n": statement_place::number(s.n),
        "name": trace.name_of(&s.by),
        "side": side(trace, &s.by),
        "phase": s.phase.words(),
        "model": s.model,
        "tokens": s.tokens,
        "estimated": s.tokens_estimated && s.origin != Origin::Template,
        "marks": marks(trace, s),
        "text": s.text,
        "thinking": s.thinking,
        "stops": stops(trace, s),
        "makes": made(trace, s),
        "asks": asked(trace, s),
        "does": moves(trace, s),
        "position": position(trace, s),
        "file": format!("messages/{}.md", statement_place::message_name(trace, s)),
    })
}

/// The colour of a side, from 1; none of those who do not argue.
pub fn side(trace: &Trace, id: &str) -> Option<usize> {
    let at = sides(trace).into_iter().position(|side| side == side_of(trace, id))?;
    Some(at % COLOURS + 1)
}

/// What a reader must know of a statement, in a few words each.
fn marks(trace: &Trace, s: &Statement) -> Vec<String> {
    let is_rejected = index::rejected(trace, s).is_some();
    let attempt = s.attempt.filter(|attempt| *attempt > 1 && !is_rejected);
    let again = attempt.map(|attempt| format!("retried: attempt {attempt}"));
    index::notes(trace, s).into_iter().chain(again).collect()
}

/// Which statement this one interrupts, what for and why, and what was answered.
fn stops(trace: &Trace, s: &Statement) -> Option<Value> {
    let found = trace.interjections.iter().find(|i| i.statement == s.n)?;
    Some(interruptions::shown(trace, found))
}

/// The arguments that are new in a statement.
fn made(trace: &Trace, s: &Statement) -> Vec<Value> {
    let own = trace.flow.points.iter().filter(|point| point.statement == s.n);
    own.map(|point| named(trace, &point.id)).collect()
}

/// The questions that a statement puts.
fn asked(trace: &Trace, s: &Statement) -> Vec<Value> {
    let own = trace.flow.questions.iter().filter(|question| question.statement == s.n);
    own.map(|question| named(trace, &question.id)).collect()
}

/// What a statement does about earlier arguments, but for a move on its speaker's position, each with the points that it does it
/// about. Words for a skeptic's points stand behind these, as in its ledger.
fn moves(trace: &Trace, s: &Statement) -> Vec<Value> {
    let moved = trace.flow.on_a_position_in(s.n);
    let edges = trace.flow.edges.iter().filter(|edge| edge.statement == s.n);
    let own = edges.filter(|edge| Some(*edge) != moved && text_of(trace, &edge.at).is_some());
    let how = |edge: &Edge| match dialectic_ledger::did(trace, edge) {
        Some(word) => (word, true),
        None => (endings::does(edge), false),
    };
    let resolved = dialectic_ledger::resolved_by(trace, s).into_iter();
    let resolved = resolved.map(|id| ((Resolution::Resolved.word(), true), named(trace, id)));
    let all = own.map(|edge| (how(edge), named(trace, &edge.at))).chain(resolved);
    let alike = text::gathered(all).into_iter();
    alike
        .map(|((how, behind), points)| json!({"how": how, "behind": behind, "points": points}))
        .collect()
}

/// To what a statement narrows its speaker's position, or to nothing, if it gives that up.
fn position(trace: &Trace, s: &Statement) -> Option<Value> {
    let left = trace.flow.on_a_position_in(s.n)?.with.as_ref();
    Some(json!({"left": left.map(|id| named(trace, id))}))
}

/// A point or question by its id, which is its anchor, with the name that it has in this format, and its text.
fn named(trace: &Trace, id: &str) -> Value {
    let text = text_of(trace, id).map(text::one_line);
    let is_question = trace.flow.point(id).is_none();
    json!({"id": id, "name": dialectic_ledger::name(trace, id), "text": text, "is_question": is_question})
}

fn text_of<'t>(trace: &'t Trace, id: &str) -> Option<&'t str> {
    let questions = || trace.flow.questions.iter().find(|question| question.id == id);
    let point = trace.flow.point(id).map(|point| point.text.as_str());
    point.or_else(|| questions().map(|question| question.text.as_str()))
}
