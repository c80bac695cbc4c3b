//! The questions in a speaker's task: others' that wait for its answer, and its side's own that have none.

use serde_json::{Value, json};

use super::known::Known;
use crate::event::Statement;
use crate::floor::said_question::{self, everyone, names};
use crate::flow::{self, Flow, FlowQuestion, Other, asks_again, puts_again};
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::text;

/// Maximum questions of a kind that a task names; the newest.
const QUESTIONS: usize = 2;

/// The questions that wait for a speaker's answer, those put to everyone first. What was said since the notes is read without the
/// clerk, so that whoever speaks next knows of its questions, too.
pub(super) fn asked(plan: &Plan, flow: &Flow, by: &Participant, known: &Known) -> Vec<Value> {
    let waiting = flow.questions.iter().filter(|q| q.answered_in.is_none());
    let waiting = waiting.filter(|q| is_due(plan, q, by, known));
    let put: Vec<(&FlowQuestion, Put)> =
        waiting.filter_map(|q| Some((q, put_to(plan, q, by, known)?))).collect();
    let since: Vec<FlowQuestion> =
        known.since.iter().filter_map(|said| asked_in(plan, said, by, known)).collect();
    let is_new = |q: &&FlowQuestion| {
        put.iter().all(|(old, _)| old.by != q.by || !asks_again(&old.text, &q.text))
    };
    let new = since.iter().filter(is_new).map(|q| (q, Put::ToIt));
    let mut all: Vec<(&FlowQuestion, Put)> = put.iter().copied().chain(new).collect();
    all.sort_by_key(|(_, put)| *put);
    newest(all, |(question, put)| {
        let mut row = row(flow, question);
        // Whom it is for is told beside it.
        let behind_name = question.text.strip_prefix(&by.name).and_then(|it| it.strip_prefix(", "));
        let is_for_another = |rest: &&str| everyone(plan).any(|name| rest.starts_with(name));
        let behind_name = behind_name.filter(|rest| !is_for_another(rest));
        let text = behind_name.map_or_else(|| question.text.clone(), text::capitalised);
        row["name"] = json!(plan.name_of(&question.by));
        row["names_you"] = json!(names(plan, &text, &by.name));
        row["text"] = json!(text);
        row["of_all"] = json!(put == Put::ToAll);
        row["put_to"] = json!(predecessor(plan, question, by, known));
        row
    })
}

/// Whether a question is put to a speaker: not while the clerk has still to read what its side said to it, unless it was put again
/// after that, and only once more then: a third time would bring no more.
fn is_due(plan: &Plan, question: &FlowQuestion, by: &Participant, known: &Known) -> bool {
    let side = plan.side_of(&by.id);
    let has_spoken = |turn: &&Statement| {
        let is_turn = !known.corrections.contains(&turn.n);
        is_turn && plan.side_of(&turn.by) == side && turn.saw >= question.statement
    };
    let rounds = text::distinct(known.noted.iter().filter(has_spoken).map(|turn| turn.round));
    let is_put_again = |reply: &Statement| {
        let mut later = known.since.iter().filter(|turn| turn.n > reply.n);
        later.any(|turn| turn.by == question.by && puts_again(&turn.text, &question.text))
    };
    known.since.iter().rfind(has_spoken).is_none_or(is_put_again) && rounds.len() <= 1
}

/// A question to a speaker in what was said since the notes.
fn asked_in(
    plan: &Plan,
    said: &Statement,
    by: &Participant,
    known: &Known,
) -> Option<FlowQuestion> {
    let side = plan.side_of(&said.by)?.to_owned();
    let text = said_question::asked(plan, said, Some(by))?;
    let (by_id, statement) = (said.by.clone(), said.n);
    let question = FlowQuestion { by: by_id, side, statement, text, ..FlowQuestion::default() };
    let is_its = put_to(plan, &question, by, known) == Some(Put::ToIt);
    (is_its && is_due(plan, &question, by, known)).then_some(question)
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
        turn.saw >= q.statement && by.is_some_and(|by| put_to(plan, q, by, known).is_some())
    };
    let own = flow.questions.iter().filter(|q| q.side == side && q.answered_in.is_none());
    let open = own.filter(|q| known.noted.iter().any(|turn| had_a_turn(q, turn)));
    let team = plan.format.profile.team.filter(|team| *team != side);
    newest(open.collect(), |question: &FlowQuestion| {
        let mut row = row(flow, question);
        let then = team.and_then(|team| spoke_then(plan, question, team, known));
        row["put_to"] = json!(then.map(|turn| plan.name_of(&turn.by)));
        row
    })
}

fn newest<T: Copy>(all: Vec<T>, row: impl Fn(T) -> Value) -> Vec<Value> {
    let from = all.len().saturating_sub(QUESTIONS);
    all[from..].iter().map(|question| row(*question)).collect()
}

fn row(flow: &Flow, question: &FlowQuestion) -> Value {
    json!({"text": question.text, "partly": flow.is_partly_answered(question)})
}

/// To whom a question is put.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Put {
    /// To all on other sides: it names nobody, and no rebuttal says whom it is for.
    ToAll,
    /// To a speaker.
    ToIt,
}

/// How a question is put to this speaker, if it is.
fn put_to(plan: &Plan, question: &FlowQuestion, by: &Participant, known: &Known) -> Option<Put> {
    let profile = plan.format.profile;
    let other = |p| {
        let side = profile.side(p).filter(|side| *side != question.side)?;
        Some(Other { id: &p.id, name: &p.name, side })
    };
    let others: Vec<Other<'_>> = plan.participants.iter().filter_map(other).collect();
    let is_it = |all: &[Other<'_>]| all.iter().any(|it| it.id == by.id);
    let can_answer = is_it(&others);
    let rebutted = known.rebutted.get(&question.statement).map(String::as_str);
    let mut turns = known.noted.iter().chain(&known.since);
    let said = turns.find(|turn| turn.n == question.statement).map_or("", |turn| &turn.text);
    let asked = flow::asked(&question.text, said, others, everyone(plan), rebutted);
    match asked.as_slice() {
        [] => can_answer.then_some(Put::ToAll),
        asked => is_it(asked).then_some(Put::ToIt),
    }
}
