//! The flow as data.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::successors;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counting::Counting;
use super::edge::Edge;
use crate::event::How;
use crate::text::distinct;

/// The flow of a debate, as far as it was noted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Flow {
    /// The arguments, in order.
    pub points: Vec<FlowPoint>,
    /// The moves on them, in order.
    pub edges: Vec<Edge>,
    /// Questions that were asked.
    pub questions: Vec<FlowQuestion>,
    /// The moves with which sides narrowed their positions or gave them up, in order (since 1.3).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<Edge>,
    /// Impossible moves in the notes, excluded.
    pub impossible: u32,
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) counting: Counting,
}

/// An argument.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FlowPoint {
    /// The letter of the side and a number, such as `B2`.
    pub id: String,
    /// The side it supports: a participant's id, or a team's role.
    pub side: String,
    /// The participant who made it.
    pub by: String,
    /// The number of the statement that made it.
    pub statement: u32,
    /// The argument in the clerk's words.
    pub text: String,
    /// The status.
    pub status: PointStatus,
    /// Whether another side spoke after it was on the record.
    pub faced: bool,
}

/// The status of an argument: the first that applies.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PointStatus {
    /// Its own side withdrew it.
    Withdrawn,
    /// Its own side gave it up for a narrower one.
    Narrowed,
    /// Another side conceded it, and its own side did not say afterwards that it is still open.
    Conceded,
    /// Another side fully answered it, without a point or with one that was not fully answered itself.
    Answered,
    /// Another side partly answered it, or fully answered it before its own side defended it.
    PartlyAnswered,
    /// Others spoke after it but nobody answered it, and the debate is over.
    Dropped,
    /// The point that it fully answered was withdrawn; or the debate is over, and either nobody could answer it or every answer to
    /// it was answered.
    Standing,
    /// It waits for an answer, and the debate continues.
    #[default]
    Open,
}

/// What a speaker's last move on its own position came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Yielded<'f> {
    /// The position's id.
    pub at: &'f str,
    /// The participant who narrowed it last, or gave it up.
    pub by: &'f str,
    /// The number of the statement that did.
    pub statement: u32,
    /// The point that is left of it; none where it was given up.
    pub left: Option<&'f FlowPoint>,
}

/// A question that was asked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FlowQuestion {
    /// Its id, such as `Q1`.
    pub id: String,
    /// The side that asked it.
    pub side: String,
    /// The participant who asked it.
    pub by: String,
    /// The number of the statement that asked it.
    pub statement: u32,
    /// The question, verbatim.
    pub text: String,
    /// The number of the statement that answered all of it.
    pub answered_in: Option<u32>,
}

impl Flow {
    /// A point.
    pub fn point(&self, id: &str) -> Option<&FlowPoint> {
        self.points.iter().find(|point| point.id == id)
    }

    /// Whether a point is the first that its side made: the one its case began with.
    pub fn is_first(&self, point: &FlowPoint) -> bool {
        let mut own = self.points.iter().filter(|other| other.side == point.side);
        own.next() == Some(point)
    }

    /// Whether part of a question was answered, and not all of it.
    pub fn is_partly_answered(&self, question: &FlowQuestion) -> bool {
        let mut about = self.about(&question.id);
        question.answered_in.is_none() && about.any(|edge| edge.how == How::Partial)
    }

    /// Whether a point is held: its own side did not give it up. One that others conceded is held all the more.
    pub fn is_held(&self, id: &str) -> bool {
        self.point(id).is_some_and(|point| !point.status.is_given_up())
    }

    /// The narrower point that took the place of one that its own side gave up.
    pub fn narrowed_to(&self, point: &FlowPoint) -> Option<&FlowPoint> {
        let mut about = self.about(&point.id);
        let given_up = about.rfind(|edge| edge.how == How::Withdrawn)?;
        self.point(given_up.with.as_deref()?)
    }

    /// A point and those that took its place one after the other, the narrowest last.
    pub fn narrowing<'f>(&'f self, point: &'f FlowPoint) -> impl Iterator<Item = &'f FlowPoint> {
        let next = |point: &&'f FlowPoint| {
            self.narrowed_to(point).filter(|narrower| narrower.statement > point.statement)
        };
        successors(Some(point), next)
    }

    /// What is left of a point that was narrowed, step by step.
    pub fn narrowest<'f>(&'f self, point: &'f FlowPoint) -> &'f FlowPoint {
        self.narrowing(point).last().unwrap_or(point)
    }

    /// The last move of each speaker on its own position, the newest last.
    pub fn on_positions(&self) -> Vec<Yielded<'_>> {
        let moves = self.positions.iter();
        let last: BTreeMap<&str, &Edge> = moves.map(|edge| (edge.by.as_str(), edge)).collect();
        let mut all: Vec<_> = last.values().map(|edge| self.yielded(edge, u32::MAX)).collect();
        all.sort_by_key(|it| it.statement);
        all
    }

    /// The move of a statement on a position or on what was left of one.
    pub fn on_a_position_in(&self, statement: u32) -> Option<&Edge> {
        let to = |edge: &Edge| self.point(edge.with.as_deref()?);
        let left = || self.positions.iter().filter_map(to).flat_map(|to| self.narrowing(to));
        let further = self.edges.iter().filter(|edge| edge.how == How::Withdrawn);
        let mut all = self.positions.iter().chain(further).filter(|it| it.statement == statement);
        all.find(|edge| self.positions.contains(edge) || left().any(|it| it.id == edge.at))
    }

    /// What a move on a position had come to by a statement: what was left may have been narrowed further, or withdrawn.
    fn yielded<'f>(&'f self, edge: &'f Edge, until: u32) -> Yielded<'f> {
        let mut last = edge;
        for step in self.edges.iter().filter(|step| step.how == How::Withdrawn) {
            let is_next = step.at == last.at || last.with.as_ref() == Some(&step.at);
            if is_next && step.statement <= until {
                last = step;
            }
        }
        let left = last.with.as_deref().and_then(|with| self.point(with));
        let Edge { by, statement, .. } = if last.statement < edge.statement { edge } else { last };
        Yielded { at: &edge.at, by, statement: *statement, left }
    }

    /// What the last move of some on their position had come to by a statement.
    pub fn on_position_of(&self, is_own: impl Fn(&str) -> bool, until: u32) -> Option<Yielded<'_>> {
        let mut moves = self.positions.iter();
        let last = moves.rfind(|edge| edge.statement <= until && is_own(&edge.by))?;
        Some(self.yielded(last, until))
    }

    /// What votes call the position of some after a statement.
    pub fn position_in_words(&self, is_own: impl Fn(&str) -> bool, until: u32) -> &'static str {
        match self.on_position_of(is_own, until).map(|it| it.left) {
            Some(Some(_)) => "the narrowed position",
            Some(None) => "what was left of its case",
            None => "the position",
        }
    }

    /// What is left of positions, by id.
    pub fn left_of_positions(&self) -> &BTreeSet<String> {
        let id = |it: &Yielded<'_>| it.left.map(|left| left.id.clone());
        let find = || self.on_positions().iter().filter_map(id).collect();
        self.counting.left.get_or_init(find)
    }

    /// Whether a point is what is left of a position, and nobody replied to it.
    pub fn is_left_of_position(&self, point: &FlowPoint) -> bool {
        self.left_of_positions().contains(&point.id) && !self.is_met(point)
    }

    /// The point that a narrower one took the place of.
    pub fn narrowed_from(&self, narrower: &FlowPoint) -> Option<&FlowPoint> {
        let is_it =
            |edge: &&Edge| edge.how == How::Withdrawn && edge.with.as_ref() == Some(&narrower.id);
        self.point(&self.edges.iter().find(is_it)?.at)
    }

    /// What its side still holds of a point: the point, or if it was narrowed, the narrower one; nothing of one that was withdrawn.
    pub fn left_of<'f>(&'f self, point: &'f FlowPoint) -> Option<&'f FlowPoint> {
        let last = self.narrowest(point);
        (!last.status.is_given_up()).then_some(last)
    }

    /// A point and the wider ones that it took the place of, the widest last.
    pub fn widening<'f>(&'f self, point: &'f FlowPoint) -> impl Iterator<Item = &'f FlowPoint> {
        let wider = |point: &&'f FlowPoint| {
            self.narrowed_from(point).filter(|wider| wider.statement < point.statement)
        };
        successors(Some(point), wider)
    }

    /// Whether a point is what its side kept of a wider one when others had replied to that, and nobody replied to what was left.
    pub fn is_left_over(&self, point: &FlowPoint) -> bool {
        !self.is_met(point) && self.widening(point).skip(1).any(|wider| self.is_met(wider))
    }

    /// Whether others did something about a point.
    fn is_met(&self, point: &FlowPoint) -> bool {
        self.about(&point.id).any(|edge| !edge.how.is_own())
    }

    /// The moves that granted a point, if it counts as granted.
    pub fn granting<'f>(&'f self, point: &'f FlowPoint) -> impl Iterator<Item = &'f Edge> {
        let granted = self.about(&point.id).filter(|edge| edge.how == How::Conceded);
        granted.filter(|_| point.status == PointStatus::Conceded)
    }

    /// The points that a point was made against, if all of them are held and were defended by somebody who had heard it, and nobody
    /// replied to that: it has the defences for a reply. `saw` is the last statement that stood on the record of another one.
    pub fn countered_by<'f>(
        &'f self,
        point: &FlowPoint,
        saw: impl Fn(u32) -> Option<u32>,
    ) -> Vec<&'f str> {
        let is_made = |edge: &&Edge| edge.with.as_ref() == Some(&point.id) && edge.how.is_reply();
        let made: Vec<&Edge> = self.edges.iter().filter(is_made).collect();
        let is_defended = |made: &&Edge| {
            let mut about = self.about(&made.at);
            let last = about.rfind(|edge| edge.how.is_reply() || edge.how == How::Defended);
            let defence = last.filter(|edge| edge.how == How::Defended);
            let saw = defence.and_then(|edge| saw(edge.statement));
            saw.is_some_and(|saw| saw >= made.statement) && self.is_held(&made.at)
        };
        let countered = Some(made).filter(|made| made.iter().all(is_defended));
        distinct(countered.into_iter().flatten().map(|edge| edge.at.as_str()))
    }

    /// The last answer to a point among those that its status rests on: a full one that counts, otherwise a partial one.
    pub fn answer_that_counts(&self, id: &str) -> Option<&Edge> {
        let answers = self.counting.of(&self.edges);
        let is_full = self.point(id).map(|p| p.status) == Some(PointStatus::Answered);
        let counting = if is_full { &answers.full } else { &answers.part };
        let last = answers.about.get(id)?.iter().rfind(|place| counting.contains(*place))?;
        self.edges.get(*last)
    }

    /// Whether a point's own side, having read a move on it, called it open: of a partial answer, without leaving it the part.
    pub fn is_overruled(&self, edge: &Edge) -> bool {
        let stands = || self.point(&edge.at).is_some_and(|it| it.status == PointStatus::Standing);
        let place = self.edges.iter().position(|other| other == edge);
        let leaves_none = edge.how == How::Partial && stands();
        leaves_none
            || place.is_some_and(|place| self.counting.of(&self.edges).overruled.contains(&place))
    }

    /// Whether a point's own side defended it after an answer.
    pub fn is_defended(&self, answer: &Edge) -> bool {
        let mut about = self.about(&answer.at);
        about.any(|edge| edge.how == How::Defended && edge.statement > answer.statement)
    }

    /// How a point stands, for people: `replied to in part, then defended`, or of a reply to the whole of it, `replied to, then
    /// defended`.
    pub fn stands(&self, point: &FlowPoint) -> &'static str {
        let is_part = point.status == PointStatus::PartlyAnswered;
        let answer = self.answer_that_counts(&point.id).filter(|_| is_part);
        match answer {
            Some(answer) if self.is_defended(answer) => match answer.how {
                How::Full => "replied to, then defended",
                _ => "replied to in part, then defended",
            },
            _ => point.status.words(),
        }
    }

    /// The same where points have ids: `narrowed to A9`.
    pub fn stands_by_id(&self, point: &FlowPoint) -> String {
        match self.narrowed_to(point) {
            Some(narrower) => format!("narrowed to {}", narrower.id),
            None => self.stands(point).to_owned(),
        }
    }

    /// The last replies to a granted point by each of those whose side did not grant it: another side's grant does not speak for
    /// them. `side` gives a speaker's.
    pub fn disputed<'f>(
        &'f self,
        point: &'f FlowPoint,
        side: impl Fn(&'f str) -> Option<&'f str>,
    ) -> Vec<&'f Edge> {
        if point.status != PointStatus::Conceded {
            return Vec::new();
        }
        let about = || self.about(&point.id);
        let granted: Vec<Option<&str>> =
            about().filter(|edge| edge.how == How::Conceded).map(|edge| side(&edge.by)).collect();
        let by_others = about().filter(|edge| !granted.contains(&side(&edge.by)));
        let replies: Vec<&Edge> = by_others.filter(|edge| edge.how.is_reply()).collect();
        let is_last = |(place, edge): &(usize, &&Edge)| {
            let mut later = replies[place + 1..].iter();
            !later.any(|other| other.by == edge.by)
        };
        let last = replies.iter().enumerate().filter(is_last);
        last.map(|(_, edge)| *edge).collect()
    }

    /// What was done about a point or a question, in order.
    pub fn about<'f>(&'f self, id: &'f str) -> impl DoubleEndedIterator<Item = &'f Edge> {
        self.edges.iter().filter(move |edge| edge.at == id)
    }

    /// Whether nothing was noted.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty() && self.questions.is_empty()
    }
}

impl Yielded<'_> {
    /// What was done to the position.
    pub fn did(&self) -> &'static str {
        if self.left.is_some() { "narrowed" } else { "given up" }
    }

    /// The same where points have ids: `narrowed to A9`.
    pub fn stands(&self) -> String {
        let to = self.left.map_or_else(String::new, |left| format!(" to {}", left.id));
        format!("{}{to}", self.did())
    }
}

impl PointStatus {
    /// Whether another side has still to answer it.
    pub fn is_unanswered(self) -> bool {
        matches!(self, Self::Open | Self::Dropped | Self::Standing)
    }

    /// Whether its own side gave it up.
    pub fn is_given_up(self) -> bool {
        matches!(self, Self::Withdrawn | Self::Narrowed)
    }

    /// The words for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Withdrawn => "withdrawn",
            Self::Narrowed => "narrowed",
            Self::Conceded => "granted",
            Self::Answered => "replied to",
            Self::PartlyAnswered => "replied to in part",
            Self::Dropped => "dropped",
            Self::Standing => "standing",
            Self::Open => "open",
        }
    }
}

/// A statement of someone who argues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its number.
    pub n: u32,
    /// The speaker's id.
    pub by: String,
    /// The speaker's side.
    pub side: String,
    /// The number of the last statement that stood on the record it was asked for with.
    pub saw: u32,
}
