//! Phrases about an outcome that several formats use.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::event::{How, Statement, Winner};
use crate::floor::Floor;
use crate::flow::{Edge, Flow, FlowPoint, FlowQuestion, PointStatus, explained, room};
use crate::job::THE_TEAM;
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::text;

/// Points of a kind for which whoever sums up what several sides said has room in any case, per side.
const SUMMED_UP: usize = 2;
/// Maximum points of a kind of each side that an announcement lists: it does so after every round.
const LISTED: usize = 12;
/// Maximum questions that are listed.
const QUESTIONS: usize = 5;

/// The line of a debate that should have a winner, if no judge's verdict is valid.
pub(super) const NO_WINNER: &str = "No winner: no valid verdict";

/// A sentence with a capital at its beginning if it begins with a team.
pub(super) fn capitalised(line: &str) -> String {
    match line.strip_prefix(THE_TEAM) {
        Some(rest) => format!("The team{rest}"),
        None => line.to_owned(),
    }
}

/// A named fact of an outcome.
pub(super) fn fact(name: &str, value: impl Into<String>) -> (String, String) {
    (name.to_owned(), value.into())
}

/// Who won by a verdict, as a fact states it.
pub(super) fn won(plan: &Plan, winner: Option<&Winner>) -> String {
    let name = match winner {
        None => "none (no valid verdict)",
        Some(winner) => winner.id().map_or("none (a draw)", |id| plan.name_of(id)),
    };
    name.to_owned()
}

/// The model of all who argue, if they share one.
fn shared_model(plan: &Plan) -> Option<&str> {
    let argue = plan.participants.iter().filter(|p| plan.format.profile.argues(p));
    match text::distinct(argue.map(|p| p.model.as_str()))[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// A contestant's model with its name: `mistral (Against)`; for a team, the model if all members share one. The name alone if all
/// who argue do.
pub(super) fn model_of(plan: &Plan, id: &str) -> String {
    let is_own = |p: &&Participant| p.id == id || plan.is_team(id) && p.role() == id;
    let own = plan.participants.iter().filter(is_own).map(|p| p.model.as_str());
    match text::distinct(own)[..] {
        [model] if shared_model(plan).is_none() => format!("{model} ({})", plan.name_of(id)),
        _ => plan.name_of(id).to_owned(),
    }
}

/// Contestants with their scores: `Ann 7.40, Ben 6.10`.
pub(super) fn scored<'a>(
    plan: &Plan,
    scores: impl IntoIterator<Item = (&'a String, &'a f64)>,
) -> String {
    let one =
        |(id, score): (&String, &f64)| format!("{} {}", plan.name_of(id), text::fixed(*score, 2));
    text::separated(scores.into_iter().map(one), ", ")
}

/// Means by criterion: `argument quality 7.40, depth 6.10`.
pub(super) fn means(breakdown: &BTreeMap<String, f64>) -> String {
    let means = breakdown
        .iter()
        .map(|(name, mean)| format!("{} {}", name.replace('_', " "), text::fixed(*mean, 2)));
    text::separated(means, ", ")
}

/// How a list tells what became of a point.
type Told = fn(&Floor, &Flow, &FlowPoint) -> String;

fn round_of(said: &[Statement], point: &FlowPoint) -> Option<u32> {
    said.iter().find(|s| s.n == point.statement).map(|s| s.round)
}

fn is_granted(floor: &Floor, flow: &Flow, point: &FlowPoint) -> bool {
    point.status == PointStatus::Conceded && !is_contested(floor.plan(), flow, point)
}

/// What is listed for whoever sums up what several sides said, as far as its context has room: points granted or given up, in
/// dispute, without a reply, made when nobody had a turn left, and replied to as a whole. What is new in a `last` round is in dispute
/// without a reply.
pub(super) fn summed_up(
    floor: &Floor,
    by: &str,
    dissenters: &[&str],
    last: Option<u32>,
) -> [(&'static str, Value); 5] {
    let plan = floor.plan();
    let sides = plan.participants.iter().filter_map(|p| plan.format.profile.side(p));
    let each = (floor.most_points(by) / text::distinct(sides).len().max(1)).max(SUMMED_UP);
    let said = floor.statements();
    let saw = |n: u32| said.iter().find(|statement| statement.n == n).map(|s| s.saw);
    // Each open point is in one list; what is left of one that others replied to stands behind that. One to which the reply fell
    // is in dispute, as is one that a defence met.
    let list_of = |flow: &Flow, point: &FlowPoint| match point.status {
        PointStatus::Answered => "met",
        PointStatus::PartlyAnswered => "contested",
        PointStatus::Conceded if is_contested(plan, flow, point) => "contested",
        PointStatus::Open if flow.is_left_over(point) => "settled",
        PointStatus::Open if last.is_some() && round_of(&said, point) == last => "contested",
        PointStatus::Open if was_met(flow, point) => "contested",
        PointStatus::Open if !flow.countered_by(point, saw).is_empty() => "contested",
        PointStatus::Open if !point.faced => "late",
        PointStatus::Open => "open",
        _ => "settled",
    };
    let list = |key: &str, told: Told| listed(floor, each, told, |f, p| list_of(f, p) == key);
    [
        ("settled", settled(floor, floor.most_points(by), dissenters)),
        ("contested", marked_late(list("contested", Floor::remarks), last)),
        ("open", list("open", became)),
        ("late", list("late", became)),
        ("met", marked_late(list("met", became), last)),
    ]
}

/// The points that were granted, by all who may dispute them, or given up: what dissenters gave up first, then what was granted,
/// the latest first. What was narrowed step by step is one.
fn settled(floor: &Floor, most: usize, dissenters: &[&str]) -> Value {
    let flow = floor.flow();
    let is_settled = |p: &&FlowPoint| is_granted(floor, &flow, p) || p.status.is_given_up();
    let begins = |p: &&FlowPoint| flow.narrowed_from(p).is_none();
    let mut all: Vec<&FlowPoint> = flow.points.iter().filter(is_settled).filter(begins).collect();
    all.sort_by_key(|p| {
        let is_dissent = p.status.is_given_up() && dissenters.contains(&p.by.as_str());
        let is_granted = is_granted(floor, &flow, flow.narrowest(p));
        (!is_dissent, !is_granted, Reverse(settled_in(&flow, p)))
    });
    let more = all.len() - room(all.len(), most);
    all.truncate(all.len() - more);
    rows(floor, &flow, &all, more, became)
}

/// The number of the last statement that granted a point or one that took its place, or gave it up.
fn settled_in(flow: &Flow, point: &FlowPoint) -> u32 {
    let settles = |edge: &&Edge| matches!(edge.how, How::Conceded | How::Withdrawn);
    let about = flow.narrowing(point).flat_map(|point| flow.about(&point.id));
    about.filter(settles).map(|edge| edge.statement).max().unwrap_or_default()
}

/// Positions that were narrowed or given up, and the points, as an announcement lists them by what became of them.
pub(super) fn by_status(floor: &Floor, last: Option<u32>) -> Value {
    let given_up = |flow: &Flow, point: &FlowPoint| {
        point.status.is_given_up() && flow.narrowed_from(point).is_none()
    };
    let granted = listed(floor, LISTED, became, |flow, point| is_granted(floor, flow, point));
    let met = listed(floor, LISTED, became, |_, point| point.status == PointStatus::Answered);
    json!([
        ["Positions narrowed or given up", {"points": floor.on_positions(&floor.flow()), "more": 0}],
        ["Points not settled", open(floor, last)],
        ["Points granted", granted],
        ["Points replied to as a whole", marked_late(met, last)],
        ["Points withdrawn or narrowed", listed(floor, LISTED, became, given_up)],
    ])
}

/// Whether others replied to the whole of a point.
fn was_met(flow: &Flow, point: &FlowPoint) -> bool {
    flow.about(&point.id).any(|edge| edge.how == How::Full)
}

/// The points of each side that are not settled, as speakers are told of them, too: whether or not others
/// have had a turn since. Where only some have had one, a list of the points that could have been answered would hold one side's.
/// Those of a last round are marked.
fn open(floor: &Floor, last: Option<u32>) -> Value {
    let stands = |status| matches!(status, PointStatus::Open | PointStatus::PartlyAnswered);
    let open = listed(floor, LISTED, became, |flow, point| {
        stands(point.status) || is_contested(floor.plan(), flow, point)
    });
    marked_late(open, last)
}

/// A list at the end that says which of its points were made, or replied to for good, in the last round.
fn marked_late(mut list: Value, last: Option<u32>) -> Value {
    let rows = list["points"].as_array_mut().into_iter().flatten();
    for row in rows.filter(|_| last.is_some()) {
        let late = (row["round"] == json!(last)).then_some("made in the last round");
        // What came at the end says more than how it stands.
        let told = row["told"].as_str().filter(|_| row["at_the_end"].is_null());
        let told = [told, late, row["at_the_end"].as_str()];
        let told = told.into_iter().flatten().filter(|told| !told.is_empty());
        row["told"] = json!(text::separated(told, "; "));
    }
    list
}

/// The newest questions without a full answer.
pub(super) fn questions(floor: &Floor) -> Vec<Value> {
    let flow = floor.flow();
    let open = flow.questions.iter().filter(|q| q.answered_in.is_none());
    let name = |q: &FlowQuestion| floor.plan().name_of(&q.by).to_owned();
    let row = |q| json!({"name": name(q), "text": q.text, "partly": flow.is_partly_answered(q)});
    let rows: Vec<Value> = open.map(row).collect();
    rows[rows.len().saturating_sub(QUESTIONS)..].to_vec()
}

/// Of each side so many such points, those first that nobody replied to, and of these and the others the newest.
fn listed(floor: &Floor, most: usize, told: Told, is: impl Fn(&Flow, &FlowPoint) -> bool) -> Value {
    let flow = floor.flow();
    let such = flow.points.iter().filter(|point| is(&flow, point));
    let (mut all, mut more) = (Vec::new(), 0);
    for (_, mut own) in text::gathered(such.map(|point| (point.side.as_str(), point))) {
        let left_out = own.len() - room(own.len(), most);
        own.sort_by_key(|point| point.status == PointStatus::Open);
        own.drain(..left_out);
        own.sort_by_key(|point| point.status != PointStatus::Open);
        all.extend(own);
        more += left_out;
    }
    rows(floor, &flow, &all, more, told)
}

fn rows(floor: &Floor, flow: &Flow, points: &[&FlowPoint], more: usize, told: Told) -> Value {
    let said = floor.statements();
    let made_by = floor.made_by(points);
    let marked = made_by.iter().any(|(_, is_marked)| *is_marked);
    let has_turn = |side: &str, n: u32| {
        said.iter().any(|s| s.saw >= n && floor.plan().side_of(&s.by) == Some(side))
    };
    let row = |(point, (name, _)): (&&FlowPoint, (String, bool))| json!({"name": name, "text": text::clause(&point.text), "told": told(floor, flow, point), "round": round_of(&said, point), "at_the_end": flow.at_the_end(point, has_turn).map(explained)});
    let points: Vec<Value> = points.iter().zip(made_by).map(row).collect();
    json!({"more": more, "marked": marked, "points": points})
}

/// What became of a point; of one that was narrowed, also what became of the narrower one: `narrowed to: …, then granted by Ann`.
fn became(floor: &Floor, flow: &Flow, point: &FlowPoint) -> String {
    let plan = floor.plan();
    let by = flow.about(&point.id).rfind(|it| it.how == How::Withdrawn && it.by != point.by);
    let by = by.map(|edge| format!(" by {}", plan.name_of(&edge.by))).unwrap_or_default();
    let wider = flow.narrowed_from(point).filter(|_| flow.is_left_over(point));
    match (point.status, flow.narrowed_to(point), wider) {
        (_, Some(narrower), _) => {
            let is_settled = is_granted(floor, flow, narrower) || narrower.status.is_given_up();
            let then = text::if_any(became(floor, flow, narrower)).filter(|_| is_settled);
            let then = then.map(|then| format!(", then {then}")).unwrap_or_default();
            format!("narrowed{by} to: {}{then}", text::clause(&narrower.text))
        }
        (PointStatus::Withdrawn, ..) => format!("withdrawn{by}"),
        (PointStatus::PartlyAnswered, ..) => {
            flow.told(point, flow.stands(point), |id| plan.name_of(id))
        }
        (PointStatus::Open, _, Some(wider)) => {
            format!("narrowed from: {}", text::clause(&wider.text))
        }
        _ => {
            let granted = floor.granted_by(flow, point).map(|by| format!("granted by {by}"));
            let part = || PointStatus::PartlyAnswered.words().to_owned();
            let part = is_contested(plan, flow, point).then(part);
            text::separated(granted.into_iter().chain(part), "; ")
        }
    }
}

/// Whether others replied in part to what one side granted.
fn is_contested(plan: &Plan, flow: &Flow, point: &FlowPoint) -> bool {
    let replies = flow.disputed(point, |id| plan.side_of(id));
    replies.iter().any(|edge| edge.how == How::Partial)
}
