//! The open points in a speaker's task: what needs an answer, and the status of the speaker's own points.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{Floor, speaker_labels};
use crate::event::{Event, EventKind, How};
use crate::flow::{Edge, Flow, FlowPoint, FlowQuestion, PointStatus};
use crate::job::participant::Participant;
use crate::plan::Plan;

/// Maximum points of a kind that a task names: the side's first point of the debate, and the newest.
const POINTS: usize = 5;
/// Maximum questions that a task names; the newest.
const QUESTIONS: usize = 2;

/// What a task shows of the debate besides the flow.
pub(super) struct Known {
    /// The latest stances, by participant.
    stances: HashMap<String, String>,
    /// What prompts call the case that a statement argues if it is not its speaker's own, by statement.
    advocacy: HashMap<u32, &'static str>,
    /// How far the notes go, in words, if they do not cover everything argued so far.
    until: Option<String>,
}

impl Known {
    pub(super) fn of(plan: &Plan, events: &[Event], until: Option<String>) -> Self {
        let taken = events.iter().filter_map(|event| match &event.kind {
            EventKind::Stance(held) => Some((held.by.id.clone(), held.stance.clone()?)),
            _ => None,
        });
        Self {
            stances: taken.collect(),
            advocacy: advocacy(plan, events),
            until,
        }
    }

    /// Whether two participants take the same stance. If so, neither has reason to answer the other first.
    fn agree(&self, one: &str, other: &str) -> bool {
        let (one, other) = (self.stances.get(one), self.stances.get(other));
        one.is_some() && one == other
    }
}

/// Statements that argue a case which is not their speaker's own, with what prompts call it.
fn advocacy(plan: &Plan, events: &[Event]) -> HashMap<u32, &'static str> {
    let profile = plan.format.profile();
    let argued = events.iter().filter_map(|event| match &event.kind {
        EventKind::Statement(said) => Some((said.n, profile.advocacy_in(said.phase.name())?)),
        _ => None,
    });
    argued.collect()
}

/// Who made a point, and in which role if it was not part of the speaker's own case.
fn named_as(plan: &Plan, point: &FlowPoint, advocacy: &HashMap<u32, &str>) -> String {
    let name = plan.name_of(&point.by);
    match advocacy.get(&point.statement) {
        Some(words) => format!("{name}, {words}"),
        None => name.to_owned(),
    }
}

impl Floor {
    /// Who made a point, and in which role if it was not part of the speaker's own case.
    pub fn made_by(&self, point: &FlowPoint) -> String {
        let advocacy = self.log.look(|events| advocacy(&self.plan, events));
        named_as(&self.plan, point, &advocacy)
    }
}

/// How a task shows a point.
type Row = fn(&Shown<'_>, &FlowPoint) -> Value;

/// The flow for one speaker's task.
struct Shown<'s> {
    plan: &'s Plan,
    flow: &'s Flow,
    known: &'s Known,
    by: &'s Participant,
    side: &'s str,
}

/// The flow as a speaker's task shows it.
pub(super) fn shown(plan: &Plan, by: &Participant, flow: &Flow, known: &Known) -> Value {
    let Some(side) = plan.format.profile().side(by) else {
        return Value::Null;
    };
    let shown = Shown {
        plan,
        flow,
        known,
        by,
        side,
    };
    shown.value()
}

impl Shown<'_> {
    fn value(&self) -> Value {
        use PointStatus::{Answered, Conceded, Open, PartlyAnswered, Withdrawn};
        let attacked = self.own(&[Answered, PartlyAnswered]);
        let mut value = json!({
            "until": self.known.until,
            "repeated": self.rows(repeated(self.flow, self.by), named),
            "withdrawn": self.own(&[Withdrawn]).len(),
            "asked": self.asked(),
        });
        for (key, points, row) in [
            ("granted", self.own(&[Conceded]), grant as Row),
            ("standing", self.own(&[Open]), named),
            ("attacked", attacked.clone(), attack),
        ] {
            let (listed, older) = newest(points, POINTS, |p| self.is_first(p));
            value[key] = json!({"points": self.rows(listed, row), "more": older});
        }
        let (listed, more) = self.unanswered(&attacked);
        value["unanswered"] = json!({"points": self.rows(listed, named), "more": more});
        value
    }

    fn rows(&self, points: Vec<&FlowPoint>, row: Row) -> Vec<Value> {
        points.into_iter().map(|point| row(self, point)).collect()
    }

    /// Points of the speaker's side with one of these statuses, except those argued for a case that is not its own.
    fn own(&self, statuses: &[PointStatus]) -> Vec<&FlowPoint> {
        let own = self.flow.points.iter().filter(|p| p.side == self.side);
        let meant = own.filter(|p| !self.known.advocacy.contains_key(&p.statement));
        meant.filter(|p| statuses.contains(&p.status)).collect()
    }

    /// Points of others that wait for an answer, and how many of them are not listed. A point already named as the answer to
    /// one of the speaker's own is not repeated.
    fn unanswered(&self, attacked: &[&FlowPoint]) -> (Vec<&FlowPoint>, usize) {
        let (named, _) = newest(attacked.to_vec(), POINTS, |p| self.is_first(p));
        let answers = named.iter().filter_map(|point| answer(self.flow, point));
        let answers: Vec<&FlowPoint> = answers.filter_map(|(_, with)| with).collect();
        let others = self.flow.points.iter().filter(|p| p.side != self.side);
        let waits = |p: &&FlowPoint| {
            matches!(p.status, PointStatus::Open | PointStatus::PartlyAnswered)
                && !answers.contains(p)
        };
        let mut waiting: Vec<&FlowPoint> = others.filter(waits).collect();
        // The weightiest come last; among the points of one statement, that is the first.
        let agrees = |point: &FlowPoint| self.known.agree(&point.by, &self.by.id);
        waiting.reverse();
        waiting.sort_by_key(|point| {
            let partly = point.status == PointStatus::PartlyAnswered;
            (!agrees(point), !partly, point.statement)
        });
        let (mut listed, more) = newest(waiting, POINTS, |p| self.is_first(p) && !agrees(p));
        listed.reverse();
        listed.sort_by_key(|point| point.statement);
        (listed, more)
    }

    /// Whether a point is the first that its side made: the one its case began with.
    fn is_first(&self, point: &FlowPoint) -> bool {
        let mut side = self.flow.points.iter().filter(|p| p.side == point.side);
        side.next() == Some(point)
    }

    /// Questions that wait for this speaker's answer.
    fn asked(&self) -> Vec<Value> {
        let put = |q: &&FlowQuestion| is_put_to(self.plan, q, self.by, self.side);
        let asked: Vec<&FlowQuestion> = self.flow.questions.iter().filter(put).collect();
        let asks = |question: &&FlowQuestion| {
            json!({
                "name": self.plan.name_of(&question.by),
                "names_you": names(self.plan, &question.text, &self.by.name),
                "text": question.text,
                "partly": self.flow.is_partly_answered(question),
            })
        };
        let from = asked.len().saturating_sub(QUESTIONS);
        asked[from..].iter().map(asks).collect()
    }
}

/// The last `most` items, and how many are left out. A side's first point takes the place of the oldest of these.
fn newest<T: Copy>(all: Vec<T>, most: usize, is_first: impl Fn(T) -> bool) -> (Vec<T>, usize) {
    let left_out = all.len().saturating_sub(most);
    let first = all[..left_out].iter().copied().rfind(|one| is_first(*one));
    let from = left_out + usize::from(first.is_some());
    let kept = first.into_iter().chain(all[from..].iter().copied());
    (kept.collect(), left_out)
}

fn named(shown: &Shown<'_>, point: &FlowPoint) -> Value {
    let met = |edge: &Edge| edge.at == point.id && edge.how == How::Full;
    json!({
        "id": point.id,
        "name": named_as(shown.plan, point, &shown.known.advocacy),
        "text": point.text,
        "partly": point.status == PointStatus::PartlyAnswered,
        "met": shown.flow.edges.iter().any(met),
    })
}

/// A point of the speaker's side with the last answer to it that counts, and whether it was defended against that answer.
fn attack(shown: &Shown<'_>, point: &FlowPoint) -> Value {
    let last = answer(shown.flow, point);
    let mut row = named(shown, point);
    row["answered_by"] = json!(last.map(|(edge, _)| shown.plan.name_of(&edge.by)));
    row["partly"] = json!(last.is_some_and(|(edge, _)| edge.how == How::Partial));
    row["answer"] = json!(last.and_then(|(_, with)| with).map(|with| &with.text));
    let defends =
        |edge: &Edge, last: &Edge| edge.how == How::Defended && edge.statement > last.statement;
    let defended =
        last.is_some_and(|(last, _)| shown.flow.about(&point.id).any(|e| defends(e, last)));
    row["defended"] = json!(defended);
    row
}

/// The last answer to a point that counts, and the point it was made with. A point older than the answered one is omitted:
/// it was not made in answer to it, so repeating it is the answer.
fn answer<'f>(flow: &'f Flow, point: &FlowPoint) -> Option<(&'f Edge, Option<&'f FlowPoint>)> {
    let edge = flow.answer_that_counts(&point.id)?;
    let with = edge.with.as_deref().and_then(|with| flow.point(with));
    Some((edge, with.filter(|with| with.statement >= point.statement)))
}

/// Points that a speaker repeated without adding to them, in its last turn covered by the notes.
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

/// A point of the speaker's side that another side conceded, and what that side held against it all the same.
fn grant(shown: &Shown<'_>, point: &FlowPoint) -> Value {
    let about = |edge: &&Edge| edge.at == point.id && edge.how == How::Conceded;
    let last = shown.flow.edges.iter().rfind(about);
    let mut row = named(shown, point);
    row["by"] = json!(last.map(|edge| shown.plan.name_of(&edge.by)));
    let held = last.and_then(|edge| edge.with.as_deref());
    let held = held.filter(|id| shown.flow.is_held(id));
    let against = held.and_then(|id| shown.flow.point(id));
    row["against"] = json!(against.map(|point| &point.text));
    row
}

/// Whether a question waits for this speaker. If there are several other sides, only if it names the speaker.
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

/// Whether a text names someone, not counting longer names that contain this one, such as Ann-Marie for Ann.
pub(super) fn names(plan: &Plan, text: &str, name: &str) -> bool {
    let others = plan.participants.iter().map(|other| other.name.as_str());
    let longer =
        others.filter(|other| other.len() > name.len() && speaker_labels::mentions(other, name));
    let without = |text: String, other: &str| text.replace(&other.to_lowercase(), " ");
    speaker_labels::mentions(&longer.fold(text.to_lowercase(), without), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(id: &str, statement: u32) -> FlowPoint {
        FlowPoint {
            id: id.to_owned(),
            statement,
            ..FlowPoint::default()
        }
    }

    fn answered(at: &str, how: How, with: Option<&str>, statement: u32) -> Edge {
        Edge {
            statement,
            by: "b".to_owned(),
            at: at.to_owned(),
            how,
            with: with.map(str::to_owned),
        }
    }

    #[test]
    fn m7_a_list_that_is_shortened_keeps_what_a_side_began_with_and_counts_the_rest() {
        let all: Vec<u32> = (1..=8).collect();
        let (kept, more) = newest(all.clone(), 5, |n| n == 1);
        assert_eq!((kept, more), (vec![1, 5, 6, 7, 8], 3));
        assert_eq!(newest(all.clone(), 5, |n| n == 6).0, [4, 5, 6, 7, 8]);
        assert_eq!(
            newest(all[..5].to_vec(), 5, |n| n == 1),
            (vec![1, 2, 3, 4, 5], 0)
        );
    }

    #[test]
    fn m7_a_point_older_than_another_is_not_shown_as_the_answer_to_it() {
        let flow = |with: &str| Flow {
            points: vec![point("B1", 2), point("A1", 3), point("B2", 4)],
            edges: vec![answered("A1", How::Partial, Some(with), 4)],
            ..Flow::default()
        };
        for (with, expected) in [("B1", None), ("B2", Some("B2"))] {
            let flow = flow(with);
            let (edge, shown) = answer(&flow, &flow.points[1]).expect("an answer");
            assert_eq!(
                (edge.statement, shown.map(|p| p.id.as_str())),
                (4, expected)
            );
        }
    }
}
