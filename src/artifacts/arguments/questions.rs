//! The questions that debaters put to each other: by whom, to whom, and what became of them.

use serde_json::{Value, json};

use crate::artifacts::statement_place::number;
use crate::event::{How, Statement, rebutted};
use crate::flow::{self, Edge, FlowQuestion, Other};
use crate::text;
use crate::trace::{Trace, TraceParticipant};

/// Questions that are listed; of more, those that nobody answered as a whole come first.
const LISTED: usize = 10;

/// Of a question after which those who were asked had no turn.
const NO_TURN: &str = "no turn left to answer";

/// The questions in the order in which they were put.
pub(in crate::artifacts) fn shown(trace: &Trace) -> Value {
    let mut all: Vec<&FlowQuestion> = trace.flow.questions.iter().collect();
    all.sort_by_key(|question| answered_in(trace, question).is_some());
    let left_out = all.len().saturating_sub(LISTED);
    all.truncate(LISTED);
    all.sort_by_key(|question| question.statement);
    let rows: Vec<Value> = all.iter().map(|q| row(trace, q)).collect();
    json!({"rows": rows, "left_out": left_out})
}

fn row(trace: &Trace, question: &FlowQuestion) -> Value {
    let asked = asked(trace, question);
    json!({
        "id": question.id,
        "by": trace.name_of(&question.by),
        "to": named(&asked),
        "in": number(question.statement),
        "text": question.text,
        "became": became(trace, question, &asked),
        // Where that is nothing: those who were asked passed over no turn, if it was put to anybody.
        "unanswered": if asked.is_empty() { "no answer noted" } else { NO_TURN },
    })
}

fn named(all: &[Other<'_>]) -> String {
    text::joined(all.iter().map(|p| p.name), "and")
}

/// Who was asked. Each member of a team counts as a side of its own: of a question to a whole team, nobody is named.
fn asked<'t>(trace: &'t Trace, question: &FlowQuestion) -> Vec<Other<'t>> {
    let others = trace.contestants().filter(|p| !is_own(trace, p, question)).map(|p| Other {
        id: &p.id,
        name: &p.name,
        side: &p.id,
    });
    let everyone = trace.participants.iter().map(|p| p.name.as_str());
    let rebutted = rebutted(trace.statements.iter(), question.statement);
    let said = trace.statement(question.statement).map_or("", |put| &put.text);
    flow::asked(&question.text, said, others.collect(), everyone, rebutted)
}

fn is_own(trace: &Trace, p: &TraceParticipant, question: &FlowQuestion) -> bool {
    let made = trace.flow.points.iter().find(|point| point.by == p.id);
    p.id == question.by || made.is_some_and(|point| point.side == question.side)
}

/// The numbers of the turns in which those asked passed a question over before anybody replied to it.
fn passed(trace: &Trace, question: &FlowQuestion, asked: &[Other<'_>]) -> Vec<String> {
    let replies = replies(trace, question);
    let until = replies.first().map_or(u32::MAX, |edge| edge.statement);
    let is_asked = |s: &&Statement| asked.iter().any(|p| p.id == s.by);
    let turns = trace.statements.iter().filter(is_asked);
    let passed = turns.filter(|s| s.saw >= question.statement && s.n < until);
    passed.map(|s| number(s.n)).collect()
}

/// In which turns those asked passed it over before it was answered, where it was put again, and where it was answered, as a whole or
/// in part.
fn became(trace: &Trace, question: &FlowQuestion, asked: &[Other<'_>]) -> Vec<Value> {
    let passed = passed(trace, question, asked);
    let passed = (!passed.is_empty()).then(|| json!({"did": "no answer noted", "in": passed}));
    let replies = replies(trace, question);
    let is_told = |edge: &&Edge| edge.how == How::Repeated || replies.contains(edge);
    let answered = trace.flow.about(&question.id).filter(is_told).map(|edge| {
        let did = match edge.how {
            How::Repeated => "put again".to_owned(),
            How::Partial => format!("answered in part by {}", trace.name_of(&edge.by)),
            _ => format!("answered by {}", trace.name_of(&edge.by)),
        };
        (did, number(edge.statement))
    });
    let answered = text::gathered(answered)
        .into_iter()
        .map(|(did, statements)| json!({"did": did, "in": statements}));
    passed.into_iter().chain(answered).collect()
}

/// The statement that answered all of a question. In traces of earlier versions the question itself says so of a part too.
fn answered_in(trace: &Trace, question: &FlowQuestion) -> Option<u32> {
    let mut about = trace.flow.about(&question.id);
    let answer = about.find(|edge| !edge.how.is_own() && edge.how != How::Partial)?;
    Some(answer.statement)
}

/// The replies to a question, until one that answers all of it.
fn replies<'t>(trace: &'t Trace, question: &'t FlowQuestion) -> Vec<&'t Edge> {
    let until = answered_in(trace, question).unwrap_or(u32::MAX);
    let about = trace.flow.about(&question.id);
    about.filter(|edge| !edge.how.is_own() && edge.statement <= until).collect()
}
