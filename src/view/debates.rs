//! The list of debates, finished or left unfinished: the address is the filter.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use chrono::NaiveDate;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::app::App;
use super::idle::Idle;
use super::index::Index;
use super::index::row::{Row, Search, UNFINISHED, listed};
use super::needs;
use super::respond::{Answer, answer_aside, missing, page as answer, see};
use crate::artifacts::listing;
use crate::event::Status;
use crate::id::DebateId;
use crate::store::live;
use crate::store::running_batches::RunningBatch;
use crate::store::state::RunState;
use crate::text;
use statistics::groups::tally;

/// Debates on a page: a browser takes a millisecond to lay out and draw each.
const PAGE: usize = 50;
/// Which debates.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct Wanted {
    q: String,
    status: String,
    format: String,
    model: String,
    day: String,
    #[serde(skip_serializing)]
    before: String,
}

impl Wanted {
    fn takes(&self, row: &Row, search: &mut Search) -> bool {
        let is = |wanted: &str, found: &str| wanted.is_empty() || wanted == found;
        is(&self.status, row.status())
            && is(&self.format, &row.format)
            && (self.model.is_empty() || row.models().any(|model| model == self.model))
            && (self.day.is_empty() || row.key().0.starts_with(&self.day))
            && search.takes(row)
    }

    /// The filter as addresses have it.
    fn query(&self) -> String {
        let all = json!(self);
        let texts = all.as_object().into_iter().flatten();
        let given = texts.filter_map(|(key, value)| Some((key, value.as_str()?)));
        let given = given.filter(|(_, value)| !value.is_empty());
        let encoded = |value| utf8_percent_encode(value, NON_ALPHANUMERIC);
        let pairs = given.map(|(key, value)| format!("{key}={}", encoded(value)));
        pairs.collect::<Vec<_>>().join("&")
    }
}

pub(super) async fn page(State(app): State<App>, Query(wanted): Query<Wanted>) -> Answer {
    answer_aside(move || {
        let states = RunningBatch::states(&app.output);
        let left = live::left(&app.output, &states).unwrap_or_default();
        let idle = Idle::look(&app);
        let mut context = if wanted.status == UNFINISHED {
            let mut context = found(&wanted, &unfinished(&app, &idle, &left, &states));
            let all = app.index(|index| json!(index.choices()));
            context["choices"]["status"] = all["status"].clone();
            if !app.access.public {
                context["commands"] = json!(commands(&idle, &left, &states));
                context["running"] = json!(!states.is_empty());
                context["waiting"] = json!(idle.waiting(&app));
            }
            context
        } else {
            app.index(|index| found(&wanted, index))
        };
        context["unfinished"] = json!(left.len() + idle.never_begun.len());
        context["never_begun"] = json!(idle.never_begun.len());
        context["statuses"] = json!(statuses_besides(&wanted.status));
        answer(&app, "view/debates.html.j2", &[], context)
    })
    .await
}

/// The statuses that there are, for one that is none: `done, degraded, failed or unfinished`.
fn statuses_besides(wanted: &str) -> Option<String> {
    let [done, degraded, failed] =
        [Status::Done, Status::Degraded, Status::Failed].map(Status::word);
    let all = [done, degraded, failed, UNFINISHED];
    (!wanted.is_empty() && !all.contains(&wanted)).then(|| text::joined(all, "or"))
}

/// The page of those among these that are wanted.
fn found(wanted: &Wanted, index: &Index) -> Value {
    let (query, mut search) = (wanted.query(), Search::of(&wanted.q));
    let matching = (!query.is_empty()).then(|| {
        let mut search = Search::of(&wanted.q);
        index.newest(None).filter(|row| wanted.takes(row, &mut search)).count()
    });
    let before = before(&wanted.before);
    let found = index.newest(before);
    let (rows, next) = pageful(found.filter(|row| wanted.takes(row, &mut search)));
    json!({
        "title": "Debates",
        "all": index.len(),
        "rows": listed(&rows),
        "wanted": wanted,
        "query": query,
        "matching": matching,
        "first": before.is_none(),
        "next": next,
        "choices": index.choices(),
        "commands": [],
        "waiting": [],
        "running": false,
    })
}

/// The debates that no run has open, each with why.
fn unfinished(app: &App, idle: &Idle, left: &[DebateId], states: &[RunState]) -> Index {
    let causes = || states.iter().flat_map(|state| &state.causes).chain(idle.causes());
    let cause = |id: &str| needs::named_in(causes(), id).map(|(_, cause)| cause.cause.clone());
    Index::of_unfinished(&app.output, left, app.access.public, cause)
}

/// What continues them, and begins those that never began.
fn commands(idle: &Idle, left: &[DebateId], states: &[RunState]) -> Vec<[String; 2]> {
    let with_left = states.iter().filter(|state| state.debates.parked > 0);
    let mut all: Vec<_> = with_left.map(needs::continuing).chain(idle.resuming(left)).collect();
    let new = idle.beginning(!states.is_empty());
    all.retain(|[command, _]| !new.iter().any(|[known, _]| known == command));
    all.extend(new);
    all
}

/// The key before which debates are wanted, if one is given.
fn before(given: &str) -> Option<&str> {
    Some(given).filter(|it| !it.is_empty())
}

/// The first of these debates, as many as a page holds, and the key before which the others are, if there are more.
fn pageful<'r>(found: impl Iterator<Item = &'r Arc<Row>>) -> (Vec<Arc<Row>>, Option<String>) {
    let mut rows: Vec<Arc<Row>> = found.take(PAGE + 1).cloned().collect();
    let more = rows.len() > PAGE;
    rows.truncate(PAGE);
    let next = rows.last().filter(|_| more).map(|row| row.address());
    (rows, next)
}

/// The address of a day leads to its part of the list.
pub(super) async fn day(State(app): State<App>, Path(day): Path<String>) -> Answer {
    match NaiveDate::parse_from_str(&day, "%Y-%m-%d") {
        Ok(day) => see(&format!("/debates?day={day}")),
        Err(_) => missing(&app, "No such day."),
    }
}

/// Where on a topic's list.
#[derive(Deserialize)]
pub(super) struct Older {
    #[serde(default)]
    before: String,
}

pub(super) async fn topic(
    State(app): State<App>,
    Path(topic): Path<String>,
    Query(older): Query<Older>,
) -> Answer {
    answer_aside(move || {
        let own = app.index(|index| index.topic(&topic)).unwrap_or_default();
        let before = before(&older.before);
        let (rows, next) = pageful(own.newest(before));
        let Some(title) = rows.first().map(|row| row.topic.to_string()) else {
            return missing(&app, "No debate on this topic.");
        };
        // What they came to is told on the page that begins the list.
        let first = before.is_none();
        let sum = if first { own.sum(sum) } else { "" };
        let context = json!({
            "title": title, "topic": topic, "all": own.len(), "rows": listed(&rows), "first": first, "next": next, "sum": sum,
        });
        answer(&app, "view/topic.html.j2", &[], context)
    })
    .await
}

/// What these debates between sides came to, rehearsals left aside: `Pro won 5, Con won 4, 3 draws`; empty if none has a winner
/// or is a draw.
fn sum(debates: &Index) -> String {
    let counted = debates.newest(None).filter(|row| !row.rehearsal && row.has_sides());
    let mut won: BTreeMap<&str, usize> = tally(counted.map(|row| &*row.won));
    let [draws, none] = [listing::DRAW, ""].map(|it| won.remove(it).unwrap_or(0));
    if won.is_empty() && draws == 0 {
        return String::new();
    }
    let mut won: Vec<(&str, usize)> = won.into_iter().collect();
    won.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let draws = (draws > 0).then(|| text::count(draws, "draw"));
    let none = (none > 0).then(|| format!("{} without a winner", text::grouped(none)));
    let won = won.into_iter().map(|(who, times)| format!("{who} won {}", text::grouped(times)));
    won.chain(draws).chain(none).collect::<Vec<_>>().join(", ")
}
