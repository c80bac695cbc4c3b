//! The open points in a speaker's task: what needs an answer, and the status of the speaker's own points.

mod known;
mod questions;

use std::collections::HashMap;

use serde_json::{Value, json};

use self::known::Known;
use super::Floor;
use crate::event::{Event, How};
use crate::flow::{Edge, Flow, FlowPoint, PointStatus, newest};
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::text;

/// Maximum points of a kind that a task names: the side's first point of the debate, and the newest.
const POINTS: usize = 5;

/// Who made a point, and in which role if it was not part of the speaker's own case, or is no longer.
fn named_as(plan: &Plan, point: &FlowPoint, advocacy: &HashMap<u32, String>) -> String {
    let name = plan.name_of(&point.by);
    match advocacy.get(&point.statement) {
        Some(words) => format!("{name}, {words}"),
        None => name.to_owned(),
    }
}

impl Floor {
    /// Who made a point, and in which role if it was not part of the speaker's own case.
    pub fn made_by(&self, point: &FlowPoint) -> String {
        let advocacy = self.log.look(|events| known::advocacy(&self.plan, events));
        named_as(&self.plan, point, &advocacy)
    }

    /// The names of those who granted a point, if it counts as granted.
    pub fn granted_by(&self, flow: &Flow, point: &FlowPoint) -> Option<String> {
        granted_by(&self.plan, flow, point)
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

/// The flow as a speaker's task shows it. Where speakers alternate, it goes as far as the speaker's own last turn: as notes are
/// taken once per exchange, the first speaker of each would otherwise know more of it than the second.
pub(super) fn shown(floor: &Floor, by: &Participant) -> Value {
    let plan = &floor.plan;
    let Some(side) = plan.format.profile.side(by) else {
        return Value::Null;
    };
    let alternate = plan.format.profile.turn.is_some();
    let own = floor.log.look(|events| own_last(events, &by.id)).filter(|_| alternate);
    let last = if alternate { own.map_or(0, |(n, _)| n) } else { u32::MAX };
    let (flow, until) = {
        let prompts = floor.prompts.lock();
        let until = own.map_or_else(|| prompts.noted_until(), |(_, n)| Some(format!("turn {n}")));
        (prompts.sheet.flow_after(last), until)
    };
    let known = floor.log.look(|events| Known::of(plan, events, until, last));
    Shown { plan, flow: &flow, known: &known, by, side }.value()
}

/// The number of a speaker's last statement, and its round.
fn own_last(events: &[Event], id: &str) -> Option<(u32, u32)> {
    let own = Event::statements(events).filter(|said| said.by == id);
    own.last().map(|said| (said.n, said.round))
}

impl Shown<'_> {
    fn value(&self) -> Value {
        use PointStatus::{Answered, Conceded, Open, PartlyAnswered, Standing, Withdrawn};
        let is_met = |point: &&FlowPoint| matches!(point.status, Answered | PartlyAnswered);
        let repeated = self.repeated().into_iter().filter(|point| !is_met(point));
        let mut value = json!({
            "until": self.known.until,
            "repeated": self.rows(repeated.collect(), named),
            "withdrawn": self.own(&[Withdrawn]).len(),
            "asked": questions::asked(self.plan, self.flow, self.by, self.known),
            "asks": questions::unanswered(self.plan, self.flow, self.side, self.known),
        });
        for (key, points, row) in [
            ("granted", self.own(&[Conceded]), grant as Row),
            ("yielded", self.yielded(), named),
            ("standing", self.own(&[Open, Standing]), named),
            ("attacked", self.own(&[Answered, PartlyAnswered]), attack),
        ] {
            let (listed, older) = newest(points, POINTS, |p| self.flow.is_first(p));
            value[key] = json!({"points": self.rows(listed, row), "more": older});
        }
        let (listed, more) = self.unanswered();
        value["unanswered"] = json!({"points": self.rows(listed, attack), "more": more});
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

    /// Points of others that the speaker's side granted.
    fn yielded(&self) -> Vec<&FlowPoint> {
        let others = self.flow.points.iter().filter(|p| p.side != self.side);
        let granted = others.filter(|p| p.status == PointStatus::Conceded);
        granted.filter(|p| self.did(p, |how| how == How::Conceded)).collect()
    }

    /// The last answers to a granted point of those whose side did not grant it.
    fn disputed<'s>(&'s self, point: &'s FlowPoint) -> Vec<&'s Edge> {
        self.flow.disputed(point, |id| self.plan.side_of(id))
    }

    /// The points of others to list of those that wait for an answer, those first that nobody answered, and how many are not.
    fn unanswered(&self) -> (Vec<&FlowPoint>, usize) {
        let others = self.flow.points.iter().filter(|p| p.side != self.side);
        let mut waiting: Vec<&FlowPoint> = others.filter(|point| self.waits(point)).collect();
        let is_open = |point: &FlowPoint| point.status == PointStatus::Open;
        // The weightiest come last: what nobody answered; of that, what its side argued last; of the points of one statement, the
        // first.
        let agrees = |point: &FlowPoint| self.known.agree(&point.by, &self.by.id);
        waiting.reverse();
        waiting.sort_by_key(|point| (!agrees(point), is_open(point), self.last_argued(point)));
        let all = waiting.len();
        let mut listed = of_each_side(waiting, |p| self.flow.is_first(p) && !agrees(p));
        listed.sort_by_key(|point| (agrees(point), !is_open(point), point.statement));
        let more = all - listed.len();
        (listed, more)
    }

    /// The number of the last statement in which its side made, defended or repeated a point.
    fn last_argued(&self, point: &FlowPoint) -> u32 {
        let own = self.flow.about(&point.id).filter(|edge| edge.how.is_own());
        let last = own.map(|edge| edge.statement).max();
        last.map_or(point.statement, |last| last.max(point.statement))
    }

    /// Whether a point of others waits for this side. One that only others granted does.
    fn waits(&self, point: &FlowPoint) -> bool {
        match point.status {
            PointStatus::Open | PointStatus::PartlyAnswered => true,
            PointStatus::Conceded => {
                !self.did(point, |how| matches!(how, How::Full | How::Conceded))
            }
            _ => false,
        }
    }

    /// Whether the speaker's side made such a move on a point.
    fn did(&self, point: &FlowPoint, is_such: impl Fn(How) -> bool) -> bool {
        let mut about = self.flow.about(&point.id);
        about.any(|edge| self.plan.side_of(&edge.by) == Some(self.side) && is_such(edge.how))
    }

    /// Points that the speaker repeated without adding to them, in its last turn covered by the notes. An answer to an
    /// interruption is no turn: it was to bring nothing new. Those that were replied to say so in their own list.
    fn repeated(&self) -> Vec<&FlowPoint> {
        let made = self.flow.points.iter().map(|point| (&point.by, point.statement));
        let done = self.flow.edges.iter().map(|e| (&e.by, e.statement));
        let is_turn = |n: &u32| !self.known.corrections.contains(n);
        let own = made.chain(done).filter(|(who, _)| **who == self.by.id);
        let last = own.map(|(_, n)| n).filter(is_turn).max();
        let edges =
            self.flow.edges.iter().filter(|e| {
                e.how == How::Repeated && e.by == self.by.id && Some(e.statement) == last
            });
        edges.filter_map(|e| self.flow.point(&e.at)).collect()
    }
}

/// Points of others to list of those that wait, the weightiest of which come last: one of each side before a second of any.
fn of_each_side<'f>(
    waiting: Vec<&'f FlowPoint>,
    is_first: impl Fn(&FlowPoint) -> bool,
) -> Vec<&'f FlowPoint> {
    let sides = text::gathered(waiting.into_iter().rev().map(|point| (&point.side, point)));
    let ranked = |(_, mut own): (_, Vec<&'f FlowPoint>)| {
        own.reverse();
        let (listed, _) = newest(own, POINTS, &is_first);
        listed.into_iter().rev().enumerate().collect::<Vec<_>>()
    };
    let mut ranked: Vec<(usize, &FlowPoint)> = sides.into_iter().flat_map(ranked).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, point)| point).take(POINTS).collect()
}

fn granted_by(plan: &Plan, flow: &Flow, point: &FlowPoint) -> Option<String> {
    let names = text::distinct(flow.granting(point).map(|edge| plan.name_of(&edge.by)));
    text::if_any(text::joined(names, "and"))
}

fn named(shown: &Shown<'_>, point: &FlowPoint) -> Value {
    let met = |edge: &Edge| edge.at == point.id && edge.how == How::Full;
    json!({
        "id": point.id,
        "name": named_as(shown.plan, point, &shown.known.advocacy),
        "text": point.text,
        "met": shown.flow.edges.iter().any(met),
        "by": granted_by(shown.plan, shown.flow, point),
    })
}

/// The points that those who granted one hold against it, unless they gave these up: a whole reply need not settle one.
fn held_against<'f>(
    flow: &'f Flow,
    point: &'f FlowPoint,
) -> impl Iterator<Item = (&'f Edge, &'f FlowPoint)> {
    flow.granting(point).filter_map(|edge| {
        let with = flow.point(edge.with.as_deref()?)?;
        flow.is_held(&with.id).then_some((edge, with))
    })
}

/// A point with the last answer to it that counts, and whether it was defended against that answer.
fn attack(shown: &Shown<'_>, point: &FlowPoint) -> Value {
    let last = answer(shown.flow, point);
    let mut row = named(shown, point);
    row["answered_by"] = json!(last.map(|(edge, _)| shown.plan.name_of(&edge.by)));
    row["partly"] = json!(last.is_some_and(|(edge, _)| edge.how == How::Partial));
    row["answer"] = json!(last.and_then(|(_, with)| with).map(|with| &with.text));
    row["defended"] = json!(last.is_some_and(|(last, _)| shown.flow.is_defended(last)));
    row["again"] = json!(shown.repeated().contains(&point));
    row
}

/// The last answer to a point that counts, and the point it was made with.
fn answer<'f>(flow: &'f Flow, point: &FlowPoint) -> Option<(&'f Edge, Option<&'f FlowPoint>)> {
    let edge = flow.answer_that_counts(&point.id)?;
    Some((edge, edge.with.as_deref().and_then(|with| flow.point(with))))
}

/// A point of the speaker's side that others conceded, what these held against it all the same, and how yet others answered it.
fn grant(shown: &Shown<'_>, point: &FlowPoint) -> Value {
    let mut row = named(shown, point);
    let with = held_against(shown.flow, point);
    let with = with.map(|(edge, with)| {
        let replied = if with.status == PointStatus::Answered { " (replied to)" } else { "" };
        (shown.plan.name_of(&edge.by), format!("{}{replied}", with.text))
    });
    let against = text::distinct(with).into_iter();
    row["against"] = against.map(|(by, text)| json!({"by": by, "text": text})).collect();
    let text = |edge: &Edge| Some(&shown.flow.point(edge.with.as_deref()?)?.text);
    let answer = |edge: &Edge| {
        json!({
            "by": shown.plan.name_of(&edge.by),
            "partly": edge.how == How::Partial,
            "text": text(edge),
            "defended": shown.flow.is_defended(edge),
        })
    };
    row["answers"] = shown.disputed(point).into_iter().map(answer).collect();
    row
}
