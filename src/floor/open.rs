//! The part of the flow in a speaker's task: what needs an answer, and the status of the speaker's own points.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde_json::{Value, json};

use super::voices;
use crate::event::{Event, EventKind, How};
use crate::flow::{Edge, Flow, FlowPoint, FlowQuestion, PointStatus};
use crate::job::participant::Participant;
use crate::plan::Plan;

/// Points of a kind that a task names, the newest; of those of others, what nobody has answered before the rest.
const POINTS: usize = 5;
/// Questions that a task names, the newest.
const QUESTIONS: usize = 2;

/// The stances that were taken last, by participant.
pub(super) struct Stances(HashMap<String, String>);

impl Stances {
    pub(super) fn of(events: &[Event]) -> Self {
        let taken = events.iter().filter_map(|event| match &event.kind {
            EventKind::Stance(held) => Some((held.by.id.clone(), held.stance.clone()?)),
            _ => None,
        });
        Self(taken.collect())
    }

    /// Whether two stand at the same: neither has cause to answer the other first.
    fn agree(&self, one: &str, other: &str) -> bool {
        let (one, other) = (self.0.get(one), self.0.get(other));
        one.is_some() && one == other
    }
}

/// A point as a task shows it.
type Row = fn(&Plan, &Flow, &FlowPoint) -> Value;

/// The flow as a speaker's task shows it.
pub(super) fn shown(plan: &Plan, by: &Participant, flow: &Flow, stances: &Stances) -> Value {
    let Some(side) = plan.format.profile().side(by) else {
        return Value::Null;
    };
    let points = |is_own: bool, statuses: &[PointStatus]| -> Vec<&FlowPoint> {
        let all = flow.points.iter().filter(|p| (p.side == side) == is_own);
        all.filter(|p| statuses.contains(&p.status)).collect()
    };
    let own = |statuses: &[PointStatus]| newest(points(true, statuses), POINTS);
    let attacked = own(&[PointStatus::Answered, PointStatus::PartlyAnswered]);
    // A point that is named as the answer to an own one is not named again.
    let answers = attacked.iter().filter_map(|point| answer(flow, point));
    let answers: Vec<&FlowPoint> = answers.collect();
    let mut unanswered = points(false, &[PointStatus::Open, PointStatus::PartlyAnswered]);
    unanswered.retain(|point| !answers.contains(point));
    let more = unanswered.len().saturating_sub(POINTS);
    let unanswered = gravest(unanswered, |point| stances.agree(&point.by, &by.id));
    let questions = flow.questions.iter();
    let asked = questions.filter(|question| is_put_to(plan, question, by, side));
    let asked = newest(asked.collect(), QUESTIONS);
    let asks = |question: &FlowQuestion| {
        json!({
            "name": plan.name_of(&question.by),
            "names_you": names(plan, &question.text, &by.name),
            "text": question.text,
        })
    };
    let rows = |points: Vec<&FlowPoint>, row: Row| -> Vec<Value> {
        points.into_iter().map(|p| row(plan, flow, p)).collect()
    };
    json!({
        "more": more,
        "unanswered": rows(unanswered, named),
        "attacked": rows(attacked, attack),
        "repeated": rows(repeated(flow, by), named),
        "standing": rows(own(&[PointStatus::Open]), named),
        "granted": rows(own(&[PointStatus::Conceded]), grant),
        "asked": asked.into_iter().map(asks).collect::<Vec<_>>(),
    })
}

fn newest<T>(mut all: Vec<T>, most: usize) -> Vec<T> {
    all.drain(..all.len().saturating_sub(most));
    all
}

/// The points that a task names of those that wait for an answer, in the order in which they were made: first those of
/// speakers who stand elsewhere.
fn gravest(mut waiting: Vec<&FlowPoint>, agrees: impl Fn(&FlowPoint) -> bool) -> Vec<&FlowPoint> {
    waiting.sort_by_key(|point| {
        (
            agrees(point),
            point.status == PointStatus::PartlyAnswered,
            Reverse(point.statement),
        )
    });
    waiting.truncate(POINTS);
    waiting.sort_by_key(|point| point.statement);
    waiting
}

fn named(plan: &Plan, flow: &Flow, point: &FlowPoint) -> Value {
    let met = |edge: &Edge| edge.at == point.id && edge.how == How::Full;
    json!({
        "id": point.id,
        "name": plan.name_of(&point.by),
        "text": point.text,
        "partly": point.status == PointStatus::PartlyAnswered,
        "met": flow.edges.iter().any(met),
    })
}

/// A point of the speaker's side with the last answer to it that counts.
fn attack(plan: &Plan, flow: &Flow, point: &FlowPoint) -> Value {
    let last = flow.answer_that_counts(&point.id);
    let mut shown = named(plan, flow, point);
    shown["answered_by"] = json!(last.map(|edge| plan.name_of(&edge.by)));
    let answer = answer(flow, point);
    shown["answer"] = json!(answer.map(|point| &point.text));
    shown["unmet"] = json!(answer.is_some_and(|point| point.status == PointStatus::Open));
    shown
}

/// The point with which another was answered.
fn answer<'f>(flow: &'f Flow, point: &FlowPoint) -> Option<&'f FlowPoint> {
    let with = flow.answer_that_counts(&point.id)?.with.as_deref()?;
    flow.point(with)
}

/// The points that a speaker said again and added nothing to, in the last turn of which the notes have anything.
fn repeated<'f>(flow: &'f Flow, by: &Participant) -> Vec<&'f FlowPoint> {
    let made = flow.points.iter().map(|point| (&point.by, point.statement));
    let done = flow.edges.iter().map(|edge| (&edge.by, edge.statement));
    let own = made.chain(done).filter(|(who, _)| **who == by.id);
    let last = own.map(|(_, statement)| statement).max();
    let edges = flow.edges.iter().filter(|edge| {
        edge.how == How::Repeated && edge.by == by.id && Some(edge.statement) == last
    });
    edges.filter_map(|edge| flow.point(&edge.at)).collect()
}

/// A point of the speaker's side that another side granted.
fn grant(plan: &Plan, flow: &Flow, point: &FlowPoint) -> Value {
    let about = |edge: &&Edge| edge.at == point.id && edge.how == How::Conceded;
    let last = flow.edges.iter().rfind(about);
    let mut shown = named(plan, flow, point);
    shown["by"] = json!(last.map(|edge| plan.name_of(&edge.by)));
    shown
}

/// Whether a question waits for this speaker: of several other sides, only where it names the speaker.
fn is_put_to(plan: &Plan, question: &FlowQuestion, by: &Participant, side: &str) -> bool {
    let sides = plan
        .participants
        .iter()
        .filter_map(|p| plan.format.profile().side(p));
    let mut others = sides.filter(|other| *other != question.side);
    let first = others.next();
    let alone = others.all(|other| Some(other) == first);
    let names = || names(plan, &question.text, &by.name);
    question.answered_in.is_none() && question.side != side && (alone || names())
}

/// Whether a text names someone, and not only someone else whose name holds this one, such as Ann-Marie for Ann.
fn names(plan: &Plan, text: &str, name: &str) -> bool {
    let others = plan.participants.iter().map(|other| other.name.as_str());
    let longer = others.filter(|other| other.len() > name.len() && voices::mentions(other, name));
    let without = |text: String, other: &str| text.replace(&other.to_lowercase(), " ");
    voices::mentions(&longer.fold(text.to_lowercase(), without), name)
}
