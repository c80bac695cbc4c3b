//! Phrases about an outcome that several formats use.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::event::{How, Winner};
use crate::floor::Floor;
use crate::flow::{Flow, FlowPoint, FlowQuestion, PointStatus};
use crate::job::THE_TEAM;
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::text;

/// Maximum points per side in an announcement.
const OPEN: usize = 5;
/// Maximum points of a kind per side for whoever sums up what several sides said: the newest, on which most of it rests.
const SUMMED_UP: usize = 2;
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

/// The winner, as a fact states it.
pub(super) fn won(plan: &Plan, winner: &Winner) -> String {
    let name = winner.id().map(|id| plan.name_of(id));
    name.unwrap_or("nobody, a draw").to_owned()
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

/// The points of each side to which others could have replied but did not, and how many more there are. One whose answer
/// fell is none of them, nor is one countered by a defence.
pub(super) fn unanswered(floor: &Floor, before: u32) -> Value {
    unanswered_of(floor, usize::MAX, before)
}

fn unanswered_of(floor: &Floor, newest: usize, before: u32) -> Value {
    let said = floor.statements();
    let by_number = |n: u32| said.iter().find(|statement| statement.n == n);
    let saw = |n: u32| Some(by_number(n)?.saw);
    let is_early = |n: u32| by_number(n).is_some_and(|statement| statement.round < before);
    listed(floor, newest, |flow, point| {
        let is_met = || flow.about(&point.id).any(|edge| edge.how.is_reply());
        let is_countered = || !flow.countered_by(point, saw).is_empty();
        let is_open = point.status == PointStatus::Open && point.faced && is_early(point.statement);
        is_open && !is_met() && !is_countered()
    })
}

/// The points of each side that were granted, by all who may dispute them, or given up.
pub(super) fn settled(floor: &Floor) -> Value {
    settled_of(floor, usize::MAX)
}

fn settled_of(floor: &Floor, newest: usize) -> Value {
    listed(floor, newest, |flow, point| {
        is_granted(floor, flow, point) || point.status.is_given_up()
    })
}

fn is_granted(floor: &Floor, flow: &Flow, point: &FlowPoint) -> bool {
    point.status == PointStatus::Conceded && !is_contested(floor.plan(), flow, point)
}

/// What is listed for whoever sums up what several sides said: a few points granted or given up, in dispute, and without a reply.
pub(super) fn summed_up(floor: &Floor) -> [(&'static str, Value); 3] {
    let contested = listed(floor, SUMMED_UP, |flow, point| {
        point.status == PointStatus::PartlyAnswered || is_contested(floor.plan(), flow, point)
    });
    [
        ("settled", settled_of(floor, SUMMED_UP)),
        ("contested", contested),
        ("open", unanswered_of(floor, 1, u32::MAX)),
    ]
}

/// All points, as an announcement lists them by what became of them.
pub(super) fn by_status(floor: &Floor, last: Option<u32>) -> Value {
    let answered = |_: &Flow, point: &FlowPoint| point.status == PointStatus::Answered;
    let given_up = |_: &Flow, point: &FlowPoint| point.status.is_given_up();
    let granted = listed(floor, usize::MAX, |flow, point| is_granted(floor, flow, point));
    json!([
        ["Points that still stand", open(floor, last)],
        ["Points granted", granted],
        ["Points replied to as a whole", listed(floor, usize::MAX, answered)],
        ["Points withdrawn or narrowed", listed(floor, usize::MAX, given_up)],
    ])
}

/// The points of each side that still stand, at least in part, as speakers are told of them, too: whether or not others
/// have had a turn since. Where only some have had one, a list of the points that could have been answered would hold one side's.
/// Those of a last round are marked.
fn open(floor: &Floor, last: Option<u32>) -> Value {
    let stands = |status| matches!(status, PointStatus::Open | PointStatus::PartlyAnswered);
    let mut open = listed(floor, usize::MAX, |flow, point| {
        stands(point.status) || is_contested(floor.plan(), flow, point)
    });
    let rows = open["points"].as_array_mut().into_iter().flatten();
    for row in rows.filter(|row| last.is_some() && row["round"] == json!(last)) {
        let told = row["told"].as_str().unwrap_or_default();
        let told = [told, "made in the last round"].into_iter().filter(|told| !told.is_empty());
        row["told"] = json!(text::separated(told, "; "));
    }
    open
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

/// Of each side such points, of at most so many newest ones, those first that nobody replied to.
fn listed(floor: &Floor, newest: usize, is_such: impl Fn(&Flow, &FlowPoint) -> bool) -> Value {
    let flow = floor.flow();
    let open = flow.points.iter().filter(|point| is_such(&flow, point));
    let sides = text::gathered(open.map(|point| (point.side.as_str(), point))).into_iter();
    let (listed, more): (Vec<_>, Vec<usize>) = sides
        .map(|(_, mut own)| {
            let all = own.len();
            own.drain(..all.saturating_sub(newest));
            own.sort_by_key(|point| point.status != PointStatus::Open);
            own.truncate(OPEN);
            let more = all - own.len();
            (own, more)
        })
        .unzip();
    let said = floor.statements();
    let row = |point: &FlowPoint| {
        let granted = floor.granted_by(&flow, point).map(|by| format!("granted by {by}"));
        let became = match (point.status, flow.narrowed_to(point)) {
            (_, Some(narrower)) => Some(format!("narrowed to: {}", narrower.text)),
            (PointStatus::PartlyAnswered | PointStatus::Withdrawn, _) => {
                Some(flow.stands(point).to_owned())
            }
            _ if is_contested(floor.plan(), &flow, point) => {
                Some(PointStatus::PartlyAnswered.words().to_owned())
            }
            _ => None,
        };
        json!({
            "name": floor.made_by(point),
            "text": point.text,
            "told": text::separated(granted.into_iter().chain(became), "; "),
            "round": said.iter().find(|s| s.n == point.statement).map(|s| s.round),
        })
    };
    let points: Vec<Value> = listed.into_iter().flatten().map(row).collect();
    json!({"more": more.iter().sum::<usize>(), "points": points})
}

/// Whether others replied in part to what one side granted.
fn is_contested(plan: &Plan, flow: &Flow, point: &FlowPoint) -> bool {
    let replies = flow.disputed(point, |id| plan.side_of(id));
    replies.iter().any(|edge| edge.how == How::Partial)
}
