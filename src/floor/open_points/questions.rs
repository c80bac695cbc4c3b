//! The questions in a speaker's task: others' that wait for its answer, and its side's own that have none.

use serde_json::{Value, json};

use super::known::Known;
use crate::event::Statement;
use crate::flow::{self, Flow, FlowQuestion, Other};
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::text::mentions;

/// Maximum questions of a kind that a task names; the newest.
const QUESTIONS: usize = 2;

/// The questions that wait for a speaker's answer.
pub(super) fn asked(plan: &Plan, flow: &Flow, by: &Participant, known: &Known) -> Vec<Value> {
    let put = flow.questions.iter().filter(|q| is_put_to(plan, q, by, known));
    let row = |question: &FlowQuestion| {
        let mut row = row(flow, question);
        row["name"] = json!(plan.name_of(&question.by));
        row["names_you"] = json!(names(plan, &question.text, &by.name));
        row["put_to"] = json!(predecessor(plan, question, by, known));
        row
    };
    newest(put.collect(), row)
}

/// The name of who spoke for the speaker's side when a question was put, where that was another: its "you" is not the speaker.
fn predecessor<'k>(
    plan: &'k Plan,
    question: &FlowQuestion,
    by: &Participant,
    known: &'k Known,
) -> Option<&'k str> {
    let then = spoke_then(plan, question, plan.side_of(&by.id)?, known)?;
    (then.by != by.id).then(|| plan.name_of(&then.by))
}

/// A side's turn in the round in which a question was put.
fn spoke_then<'k>(
    plan: &Plan,
    question: &FlowQuestion,
    side: &str,
    known: &'k Known,
) -> Option<&'k Statement> {
    let mut turns = known.noted.iter();
    let put = turns.clone().find(|turn| turn.n == question.statement)?;
    turns.find(|turn| turn.round == put.round && plan.side_of(&turn.by) == Some(side))
}

/// A side's questions without a full answer, though someone asked had a turn since; of those put to a team, who spoke for it then.
pub(super) fn unanswered(plan: &Plan, flow: &Flow, side: &str, known: &Known) -> Vec<Value> {
    let had_a_turn = |q: &FlowQuestion, turn: &Statement| {
        let by = plan.participant(&turn.by);
        turn.saw >= q.statement && by.is_some_and(|by| is_put_to(plan, q, by, known))
    };
    let own = flow.questions.iter().filter(|q| q.side == side);
    let open = own.filter(|q| known.noted.iter().any(|turn| had_a_turn(q, turn)));
    let team = plan.format.profile.team.filter(|team| *team != side);
    newest(open.collect(), |question| {
        let mut row = row(flow, question);
        let then = team.and_then(|team| spoke_then(plan, question, team, known));
        row["put_to"] = json!(then.map(|turn| plan.name_of(&turn.by)));
        row
    })
}

fn newest(all: Vec<&FlowQuestion>, row: impl Fn(&FlowQuestion) -> Value) -> Vec<Value> {
    let from = all.len().saturating_sub(QUESTIONS);
    all[from..].iter().map(|question| row(question)).collect()
}

fn row(flow: &Flow, question: &FlowQuestion) -> Value {
    json!({"text": question.text, "partly": flow.is_partly_answered(question)})
}

/// Whether a question waits for this speaker.
fn is_put_to(plan: &Plan, question: &FlowQuestion, by: &Participant, known: &Known) -> bool {
    let profile = plan.format.profile;
    let other = |p| {
        let side = profile.side(p).filter(|side| *side != question.side)?;
        let (id, name) = (&p.id, &p.name);
        Some(Other { id, name, side })
    };
    let others = plan.participants.iter().filter_map(other).collect();
    let rebutted = known.rebutted.get(&question.statement).map(String::as_str);
    let put = known.noted.iter().find(|turn| turn.n == question.statement);
    let said = put.map_or("", |turn| &turn.text);
    let asked = flow::asked(&question.text, said, others, everyone(plan), rebutted);
    question.answered_in.is_none() && asked.iter().any(|it| it.id == by.id)
}

fn everyone(plan: &Plan) -> impl Iterator<Item = &str> + Clone {
    plan.participants.iter().map(|other| other.name.as_str())
}

/// Whether a text names a participant.
pub(in crate::floor) fn names(plan: &Plan, text: &str, name: &str) -> bool {
    mentions::names(text, name, everyone(plan))
}
