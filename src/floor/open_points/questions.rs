//! The questions in a speaker's task: others' that wait for its answer, and its side's own that have none.

use serde_json::{Value, json};

use super::known::{Known, NotedTurn};
use crate::flow::{Flow, FlowQuestion};
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::text::{self, mentions};

/// Maximum questions of a kind that a task names; the newest.
const QUESTIONS: usize = 2;

/// The questions that wait for a speaker's answer.
pub(super) fn asked(plan: &Plan, flow: &Flow, by: &Participant, known: &Known) -> Vec<Value> {
    let put = flow
        .questions
        .iter()
        .filter(|q| is_put_to(plan, q, by, known));
    let row = |question: &FlowQuestion| {
        let mut row = row(flow, question);
        row["name"] = json!(plan.name_of(&question.by));
        row["names_you"] = json!(names(plan, &question.text, &by.name));
        row
    };
    newest(put.collect(), row)
}

/// A side's questions without a full answer, though someone asked had a turn since.
pub(super) fn unanswered(plan: &Plan, flow: &Flow, side: &str, known: &Known) -> Vec<Value> {
    let had_a_turn = |q: &FlowQuestion, turn: &NotedTurn| {
        let by = plan.participant(&turn.by);
        turn.saw >= q.statement && by.is_some_and(|by| is_put_to(plan, q, by, known))
    };
    let own = flow.questions.iter().filter(|q| q.side == side);
    let open = own.filter(|q| known.noted.iter().any(|turn| had_a_turn(q, turn)));
    newest(open.collect(), |question| row(flow, question))
}

fn newest(all: Vec<&FlowQuestion>, row: impl Fn(&FlowQuestion) -> Value) -> Vec<Value> {
    let from = all.len().saturating_sub(QUESTIONS);
    all[from..].iter().map(|question| row(question)).collect()
}

fn row(flow: &Flow, question: &FlowQuestion) -> Value {
    json!({"text": question.text, "partly": flow.is_partly_answered(question)})
}

/// Whether a question waits for this speaker. If there are several other sides, only if it names the speaker, or names nobody and
/// stands in a rebuttal of what the speaker argued.
fn is_put_to(plan: &Plan, question: &FlowQuestion, by: &Participant, known: &Known) -> bool {
    let profile = plan.format.profile();
    let others = plan.participants.iter();
    let others = others.filter(|p| profile.side(p).is_some_and(|side| side != question.side));
    let sides = text::distinct(others.clone().filter_map(|p| profile.side(p)));
    let names = |p: &Participant| names(plan, &question.text, &p.name);
    let is_rebutted = || known.rebutted.get(&question.statement) == Some(&by.id);
    let is_meant = || names(by) || (is_rebutted() && !others.clone().any(names));
    let is_others = others.clone().any(|p| p.id == by.id);
    question.answered_in.is_none() && is_others && (sides.len() == 1 || is_meant())
}

/// Whether a text names a participant.
pub(in crate::floor) fn names(plan: &Plan, text: &str, name: &str) -> bool {
    let others = plan.participants.iter().map(|other| other.name.as_str());
    mentions::names(text, name, others)
}
