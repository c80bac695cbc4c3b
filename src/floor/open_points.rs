//! The open points in a speaker's task: what needs an answer, and the status of the speaker's own points.

mod known;
mod questions;

use serde_json::{Value, json};

use self::known::Known;
pub(super) use self::known::{cases, made_by};
use super::Floor;
use super::said_question::names;
use crate::event::{Event, How, Statement};
use crate::flow::{Edge, Flow, FlowPoint, PointStatus, Yielded, newest, room};
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::text;

/// Maximum points of a kind that a speaker's task names, or one for each 2,048 tokens of its context if those are more: the side's
/// first point of the debate, and the newest.
const POINTS: usize = 6;
/// Tokens of context for each point of a kind in the task of whoever sums up the debate.
const CONTEXT_PER_POINT: u32 = 512;

impl Floor {
    /// Who made each of these points, with the case if that is not, or no longer, the maker's own; and whether it is one for a
    /// stance that the maker has left.
    pub fn made_by(&self, points: &[&FlowPoint]) -> Vec<(String, bool)> {
        let cases = self.log.look(|events| cases(&self.plan, events));
        let made = |p: &&FlowPoint| (made_by(&self.plan, p, cases.of_point(p)), cases.is_left(p));
        points.iter().map(made).collect()
    }

    /// Maximum points of a kind in a participant's task that sums up the debate.
    pub fn most_points(&self, id: &str) -> usize {
        let context = self.plan.participant(id).map_or(0, |by| by.context_window);
        (context / CONTEXT_PER_POINT) as usize
    }

    /// What became of positions, a line each.
    pub fn on_positions(&self, flow: &Flow) -> Vec<String> {
        flow.on_positions().iter().map(|it| on_position(&self.plan, it)).collect()
    }

    /// What became of positions, for somebody who judges a teammate.
    pub fn holds(&self, flow: &Flow, by: &Participant) -> Value {
        holds(&self.plan, flow, by)
    }

    /// What became of a point, and who did it, for somebody who did not argue.
    pub fn remarks(&self, flow: &Flow, point: &FlowPoint) -> String {
        Teller { plan: &self.plan, flow, you: "" }.remarks(point)
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
    // Of its own last turn alone, the speaker has all in front of it.
    let noted = flow.points.iter().map(|point| point.statement);
    let is_news = noted.chain(flow.questions.iter().map(|q| q.statement)).any(|n| n != last);
    let flow = if is_news { flow } else { Flow::default() };
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
        use PointStatus::{Answered, Conceded, Open, PartlyAnswered, Standing};
        let is_met = |point: &&FlowPoint| matches!(point.status, Answered | PartlyAnswered);
        let repeated = self.repeated().into_iter().filter(|point| !is_met(point));
        let (yielded, others): (Vec<&FlowPoint>, Vec<_>) =
            self.of_others().partition(|p| self.flow.granting(p).any(|it| self.is_own(&it.by)));
        let mut marked = false;
        let mut most = POINTS.max((self.by.context_window / CONTEXT_PER_POINT / 4) as usize);
        let mut value = holds(self.plan, self.flow, self.by);
        value["until"] = json!(self.known.until);
        value["faced"] = json!(self.faced_by());
        value["repeated"] = json!(self.rows(repeated.collect(), named));
        value["asked"] = json!(questions::asked(self.plan, self.flow, self.by, self.known));
        value["asks"] = json!(questions::unanswered(self.plan, self.flow, self.side, self.known));
        for (key, points, row) in [
            ("granted", self.own(&[Conceded]), told as Row),
            ("yielded", yielded, named),
            ("standing", self.own(&[Open, Standing]), told),
            ("attacked", self.own(&[Answered, PartlyAnswered]), told),
        ] {
            let (listed, more) = newest(points, most, |p| self.flow.is_first(p));
            marked |= self.has_marked(&listed);
            value[key] = json!({"points": self.rows(listed, row), "more": more});
        }
        for (key, was_met) in [("unanswered", false), ("disputed", true)] {
            let replies = |p: &FlowPoint| self.flow.disputed(p, |by| self.plan.side_of(by)).len();
            let such = |p: &&FlowPoint| (is_met(p) || replies(p) > 0) == was_met;
            let all: Vec<&FlowPoint> = others.iter().copied().filter(such).collect();
            let points = self.listed(all.clone(), most);
            marked |= self.has_marked(&points);
            let more = all.len() - points.len();
            most = most.saturating_sub(points.len()).max(POINTS / 2);
            value[key] = json!({"points": self.rows(points, told), "more": more});
        }
        value["marked"] = json!(marked);
        let mut attacked = value["attacked"]["points"].as_array().into_iter().flatten();
        value["attacked_in_notes"] = json!(attacked.any(|row| row["defended"] == json!(false)));
        value
    }

    /// Whether one of these was made for a stance that its maker has left since.
    fn has_marked(&self, points: &[&FlowPoint]) -> bool {
        points.iter().any(|point| self.known.cases.is_left(point))
    }

    fn rows(&self, points: Vec<&FlowPoint>, row: Row) -> Vec<Value> {
        points.into_iter().map(|point| row(self, point)).collect()
    }

    /// Points of the speaker's side with one of these statuses, except those argued for a case that is not its own. Of those for a
    /// stance that it has left, it is told what others did about them.
    fn own(&self, statuses: &[PointStatus]) -> Vec<&FlowPoint> {
        let own = self.flow.points.iter().filter(|p| p.side == self.side);
        let cases = &self.known.cases;
        let is_told = |p: &FlowPoint| cases.is_left(p) && !p.status.is_unanswered();
        let meant = own.filter(|p| cases.is_own(self.flow, p) || is_told(p));
        meant.filter(|p| statuses.contains(&p.status)).collect()
    }

    /// Whether somebody is on the speaker's side.
    fn is_own(&self, id: &str) -> bool {
        self.plan.side_of(id) == Some(self.side)
    }

    /// The name of who spoke last for another side after the notes and, where there are several, named the speaker.
    fn faced_by(&self) -> Option<&str> {
        let sides = self.plan.participants.iter().filter_map(|p| self.plan.side_of(&p.id));
        let several = text::distinct(sides).len() > 2;
        let faces = |said: &Statement| {
            let other = self.plan.side_of(&said.by).filter(|side| *side != self.side);
            other.is_some() && (!several || names(self.plan, &said.text, &self.by.name))
        };
        let last = self.known.since.iter().rfind(|said| faces(said));
        last.filter(|_| self.known.until.is_some()).map(|said| self.plan.name_of(&said.by))
    }

    /// Points of others, but for those that they gave up and those with which they made another side give one up.
    fn of_others(&self) -> impl Iterator<Item = &FlowPoint> {
        use PointStatus::{Answered, Conceded, Open, PartlyAnswered};
        let others = self.flow.points.iter().filter(|p| p.side != self.side);
        others.filter(|p| matches!(p.status, Open | PartlyAnswered | Answered | Conceded))
    }

    /// Those to list of them, those first that nobody answered. Those that others granted or replied to in part are left out last.
    fn listed<'f>(&self, mut points: Vec<&'f FlowPoint>, most: usize) -> Vec<&'f FlowPoint> {
        let is_open = |point: &FlowPoint| point.status == PointStatus::Open;
        let is_met = |p: &FlowPoint| self.flow.about(&p.id).any(|edge| !edge.how.is_own());
        // The weightiest come last: what waits for an answer, as a point of the same mind and one that was answered in full do not;
        // of that, what others did something about, then what its side argued last; of the points of one statement, the first.
        let agrees = |point: &FlowPoint| self.known.agree(&point.by, &self.by.id);
        let waits = |p: &FlowPoint| p.status != PointStatus::Answered && !agrees(p);
        points.reverse();
        points.sort_by_key(|point| (waits(point), is_met(point), self.last_argued(point)));
        let most = room(points.len(), most);
        let mut listed = of_each_side(points, most, |p| self.flow.is_first(p) && waits(p));
        listed.sort_by_key(|point| (!waits(point), !is_open(point), point.statement));
        listed
    }

    /// The number of the last statement in which its side made, defended or repeated a point.
    fn last_argued(&self, point: &FlowPoint) -> u32 {
        let own = self.flow.about(&point.id).filter(|edge| edge.how.is_own());
        let last = own.map(|edge| edge.statement).max();
        last.map_or(point.statement, |last| last.max(point.statement))
    }

    /// Points that the speaker repeated without adding to them, in its last turn covered by the notes. An answer to an
    /// interruption is no turn: it was to bring nothing new. Those that were replied to say so in their own list.
    fn repeated(&self) -> Vec<&FlowPoint> {
        let made = self.flow.points.iter().map(|point| (&point.by, point.statement));
        let done = self.flow.edges.iter().map(|e| (&e.by, e.statement));
        let is_turn = |n: &u32| !self.known.corrections.contains(n);
        let own = made.chain(done).filter(|(who, _)| **who == self.by.id);
        let last = own.map(|(_, n)| n).filter(is_turn).max();
        let again = |e: &&Edge| e.how == How::Repeated && Some(e.statement) == last;
        let again = self.flow.edges.iter().filter(again).filter(|e| e.by == self.by.id);
        again.filter_map(|e| self.flow.point(&e.at)).collect()
    }

    /// Whether there are several on other sides, whose points must be told apart; of teammates, each counts.
    fn has_several_others(&self) -> bool {
        let others = self.plan.participants.iter().filter_map(|p| self.plan.side_of(&p.id));
        others.filter(|side| *side != self.side).count() > 1
    }
}

/// Tells what became of points.
struct Teller<'s> {
    plan: &'s Plan,
    flow: &'s Flow,
    /// The id of whom it calls "you", if it speaks to somebody who argues.
    you: &'s str,
}

impl Teller<'_> {
    /// What became of a point.
    fn remarks(&self, point: &FlowPoint) -> String {
        use PointStatus::{Answered, Conceded, PartlyAnswered};
        let wider = self.flow.narrowed_from(point);
        let narrowed = wider.map(|wider| format!("narrowed from: {}", text::clause(&wider.text)));
        let granted = granted_by(self.plan, self.flow, point).map(|by| format!("granted by {by}"));
        // A whole reply need not settle a point.
        let held = self.flow.granting(point).filter_map(|edge| {
            let with = self.flow.left_of(self.flow.point(edge.with.as_deref()?)?)?;
            let by = self.plan.name_of(&edge.by);
            Some(format!("{by} holds against it: {}", text::clause(&with.text)))
        });
        let replies = match point.status {
            Conceded => self.flow.disputed(point, |id| self.plan.side_of(id)),
            Answered | PartlyAnswered => Vec::from_iter(self.flow.answer_that_counts(&point.id)),
            _ => Vec::new(),
        };
        let was_met = || self.flow.about(&point.id).any(|edge| edge.how == How::Full);
        let fell = (point.status.is_unanswered() && was_met())
            .then(|| "replied to; that reply was answered".to_owned());
        let replies = replies.into_iter().map(|edge| self.reply(edge));
        let all = narrowed.into_iter().chain(granted).chain(held);
        text::separated(text::distinct(all.chain(replies).chain(fell)), "; ")
    }

    /// `replied to in part by Ann: It costs; you answered that; defended since`. What was given up since is told by what is left
    /// of it.
    fn reply(&self, edge: &Edge) -> String {
        let with = edge.with.as_deref().and_then(|with| self.flow.point(with));
        let left = with.and_then(|with| self.flow.left_of(with));
        let narrowed = if left == with { "" } else { ", narrowed since to" };
        let with =
            left.map_or_else(String::new, |it| format!("{narrowed}: {}", self.set_against(it)));
        let held = left.filter(|left| left.status != PointStatus::Conceded);
        let answer = held.and_then(|held| self.flow.answer_that_counts(&held.id));
        // An answer since is the defence.
        let is_told = answer.is_some_and(|answer| answer.statement > edge.statement);
        let is_defended = !is_told && self.flow.is_defended(edge);
        let defended = if is_defended { "; defended since" } else { "" };
        format!("replied to{} by {}{with}{defended}", in_part(edge), self.who(edge))
    }

    /// A point that was set against another one, and what became of it.
    fn set_against(&self, point: &FlowPoint) -> String {
        let granted = self.flow.granting(point).last();
        let became = if let Some(edge) = granted {
            format!("; {} granted that", self.who(edge))
        } else if let Some(edge) = self.flow.answer_that_counts(&point.id) {
            let with = edge.with.as_deref().and_then(|with| self.flow.point(with));
            let left = with.and_then(|with| self.flow.left_of(with));
            let with = left.map_or_else(String::new, |it| format!(": {}", text::clause(&it.text)));
            format!("; {} answered that{}{with}", self.who(edge), in_part(edge))
        } else {
            String::new()
        };
        format!("{}{became}", text::clause(&point.text))
    }

    /// Who made a move, as the reader is told.
    fn who<'a>(&'a self, edge: &'a Edge) -> &'a str {
        if edge.by == self.you { "you" } else { self.plan.name_of(&edge.by) }
    }
}

/// What became of positions, for somebody who argues for one or judges who does: of its own, and of others', a line each.
fn holds(plan: &Plan, flow: &Flow, by: &Participant) -> Value {
    let positions = flow.on_positions().into_iter();
    let (own, others): (Vec<_>, Vec<_>) = positions.partition(|it| plan.argue_alike(it.by, &by.id));
    let on_other = |it: &Yielded<'_>| (it.by.to_owned(), json!(on_position(plan, it)));
    let own = own.last();
    json!({
        "positions": others.iter().map(on_other).collect::<Value>(),
        "own": own.map(Yielded::did),
        "own_by": own.filter(|it| it.by != by.id).map(|it| plan.name_of(it.by)),
        "left": own.and_then(|it| it.left).map(|left| text::clause(&left.text)),
    })
}

/// What a speaker narrowed of its position or gave up: `Ann has narrowed its position to: It costs an hour`. Those who share it are
/// bound by that.
fn on_position(plan: &Plan, it: &Yielded<'_>) -> String {
    let mut others = plan.participants.iter().filter(|p| p.id != it.by);
    let whose = if others.any(|p| plan.argue_alike(it.by, &p.id)) { "its side's" } else { "its" };
    let to =
        |left: &FlowPoint| format!("narrowed {whose} position to: {}", text::clause(&left.text));
    let did = it.left.map_or_else(|| format!("given up {whose} position"), to);
    format!("{} has {did}", plan.name_of(it.by))
}

fn in_part(edge: &Edge) -> &'static str {
    if edge.how == How::Partial { " in part" } else { "" }
}

/// Points of others to list of these, the weightiest of which come last: one of each side before a second of any.
fn of_each_side<'f>(
    points: Vec<&'f FlowPoint>,
    most: usize,
    is_first: impl Fn(&FlowPoint) -> bool,
) -> Vec<&'f FlowPoint> {
    let sides = text::gathered(points.into_iter().rev().map(|point| (&point.side, point)));
    let ranked = |(_, mut own): (_, Vec<&'f FlowPoint>)| {
        own.reverse();
        let (listed, _) = newest(own, most, &is_first);
        listed.into_iter().rev().enumerate().collect::<Vec<_>>()
    };
    let mut ranked: Vec<(usize, &FlowPoint)> = sides.into_iter().flat_map(ranked).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, point)| point).take(most).collect()
}

fn granted_by(plan: &Plan, flow: &Flow, point: &FlowPoint) -> Option<String> {
    let names = text::distinct(flow.granting(point).map(|edge| plan.name_of(&edge.by)));
    text::if_any(text::joined(names, "and"))
}

/// A point, with who made it if that was one of several other sides, or for a case that is not its own: `You, when for pause`.
fn named(shown: &Shown<'_>, point: &FlowPoint) -> Value {
    let by = shown.plan.name_of(&point.by);
    let mut name = made_by(shown.plan, point, shown.known.cases.of_point(point));
    let is_named = name != by || point.side != shown.side && shown.has_several_others();
    if point.side == shown.side {
        name = name.replacen(by, "You", 1);
    }
    json!({"name": is_named.then_some(name), "text": point.text, "told": "", "again": false})
}

/// A point with what became of it.
fn told(shown: &Shown<'_>, point: &FlowPoint) -> Value {
    let answer = shown.flow.answer_that_counts(&point.id);
    let mut row = named(shown, point);
    let teller = Teller { plan: shown.plan, flow: shown.flow, you: &shown.by.id };
    row["told"] = json!(teller.remarks(point));
    // Nobody is asked to defend a point for a stance that it has left.
    let is_own = shown.known.cases.is_own(shown.flow, point);
    row["defended"] = json!(!is_own || answer.is_some_and(|it| shown.flow.is_defended(it)));
    let is_met = matches!(point.status, PointStatus::Answered | PointStatus::PartlyAnswered);
    row["again"] = json!(is_met && shown.repeated().contains(&point));
    row
}
