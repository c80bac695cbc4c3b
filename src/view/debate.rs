//! A debate at one address, from its first call to the archive.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::{Value, json};

use super::app::App;
use super::blocking_work::aside;
use super::finished_cache::Finished;
use super::idle::Idle;
use super::index::row::Row;
use super::respond::{Answer, answer_aside, html, missing, page as answer, see, unmade};
use super::voting::open_votes::OpenVotes;
use crate::artifacts::page::{self as debate_page, Around, Live, Pages};
use crate::event::Statement;
use crate::id::{SHORT, may_be};
use crate::publish::calls::Calls;
use crate::store::finished::FinishedDebate;
use crate::store::live::ShortId;
use crate::store::running_batches::RunningBatch;
use crate::text::{capitalised, one_line, shorten};
use crate::trace::Trace;

/// Statements that a search shows.
const FOUND: usize = 200;
/// Characters around what was found.
const EXCERPT: usize = 240;

/// Said where a debate cannot be shown.
pub(super) const NONE: &str = "No such debate, or it is unreadable.";

/// Said of a debate that was begun, and of which nothing can be shown.
const UNTOLD: &str = "This debate is unfinished, and nothing of it can be shown yet.";
/// Said of a debate that should have been begun.
const NEVER_BEGUN: &str = "This debate has not begun.";

/// What is known of a debate.
pub(super) enum Known {
    /// It continues so, unless it has just ended.
    Running(Arc<Trace>, Option<Live>),
    /// It is finished.
    Finished(Arc<Finished>, Arc<Row>),
}

impl Known {
    /// All of it, as far as it has arrived; `None` if that cannot be read.
    pub(super) fn trace(&self) -> Option<&Trace> {
        match self {
            Self::Running(trace, _) => Some(trace),
            Self::Finished(finished, _) => finished.trace(),
        }
    }
}

/// A debate that is running, or else finished.
pub(super) async fn known(app: &App, id: &str) -> Option<Known> {
    let id = ShortId::parse(id)?;
    let its = app.clone();
    if let Some((trace, live)) = aside(move || running(&its, &id)).await.flatten() {
        return Some(Known::Running(trace, live));
    }
    let row = app.lists.find(&id).await?;
    let (its, path) = (app.clone(), row.path(&app.output));
    Some(Known::Finished(aside(move || its.archive.get(&path)).await?, row))
}

/// A debate that continues, from what its run tells: its trace so far, as if it ended now, and how it goes on, unless it has just
/// ended.
pub(super) fn running(app: &App, id: &ShortId) -> Option<(Arc<Trace>, Option<Live>)> {
    let (so_far, runs) = app.broadcast.so_far(id)?;
    let live = (!so_far.is_over).then(|| Live {
        after: so_far.after.to_string(),
        runs,
        is_cut: so_far.is_cut,
        round: so_far.round,
        ..Live::default()
    });
    Some((so_far.trace, live))
}

/// Which page of a long debate.
#[derive(Deserialize)]
pub(super) struct Turned {
    page: Option<String>,
}

pub(super) async fn page(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(turned): Query<Turned>,
) -> Answer {
    let found = known(&app, &id).await;
    answer_aside(move || {
        let Some((known, trace)) = found.as_ref().and_then(|it| Some((it, it.trace()?))) else {
            let idle = found.is_none().then(|| Idle::look(&app));
            return match idle {
                Some(idle) if idle.has_begun(&id) => untold(&app, &idle, &id, UNTOLD),
                Some(idle) if idle.never_begun.contains_key(&id) => {
                    untold(&app, &idle, &id, NEVER_BEGUN)
                }
                _ => match whole(&app, &id) {
                    Some(whole) => see(&format!("/d/{}", whole.as_str())),
                    None => missing(&app, NONE),
                },
            };
        };
        let mut around = around(&app, &id, known);
        let Some(n) = turned_to(trace, &around, turned.page.as_deref()) else {
            return missing(&app, "This debate has no such page.");
        };
        around.page = Some(n);
        let make = || debate_page::page(trace, &around, &app.templates);
        let page = match known {
            Known::Running(..) => make().map(Bytes::from),
            // Nothing else around a finished debate changes.
            Known::Finished(it, _) => {
                let calls = around.calls.as_deref().unwrap_or_default();
                it.page(&format!("{calls}?page={n}"), make)
            }
        };
        match page {
            Ok(page) => html(StatusCode::OK, page),
            Err(error) => unmade(&app, &error),
        }
    })
    .await
}

/// The only finished debate whose id begins with these digits, as `rebut show` takes them, if its short id is not these.
fn whole(app: &App, digits: &str) -> Option<ShortId> {
    let begin = digits.get(..SHORT).unwrap_or(digits).to_ascii_lowercase();
    let found = may_be(digits).then(|| app.index(|index| index.beginning(&begin)))?;
    found.filter(|found| found.as_str() != digits)
}

/// What is known of a debate without any text, and for its owner the command that continues it.
fn untold(app: &App, idle: &Idle, id: &str, words: &str) -> Answer {
    let next = idle.continues(app, id).filter(|_| !app.access.public);
    let context = json!({"title": "Unfinished debate", "words": words, "next": next});
    answer(app, "view/problem.html.j2", &[], context)
}

/// The page that is asked for, if there is one: otherwise the first, or the last one where it goes on.
fn turned_to(trace: &Trace, around: &Around, asked: Option<&str>) -> Option<usize> {
    let all = Pages::of(trace).count();
    match asked {
        Some(asked) => asked.parse().ok().filter(|n| (1..=all).contains(n)),
        None if around.live.is_some() => Some(all),
        None => Some(1),
    }
}

fn around(app: &App, id: &str, known: &Known) -> Around {
    let at = format!("/d/{id}");
    let (row, live) = match known {
        Known::Running(_, live) => (None, live.clone().map(|live| going_on(app, id, live))),
        Known::Finished(_, row) => (Some(row), None),
    };
    let shows_all = row.filter(|_| !app.access.public);
    let whole = shows_all.and_then(|row| FinishedDebate::read(&row.path(&app.output)));
    let calls = whole.and_then(|it| Calls::of(&app.output, &it.id));
    Around {
        files: shows_all.is_some(),
        list: Some("/debates".to_owned()),
        calls: calls.map(|_| format!("{at}/calls")),
        at: Some(at),
        live,
        ..Around::default()
    }
}

/// With what it is doing; where no process runs it, with the command that continues it, for its owner.
fn going_on(app: &App, id: &str, mut live: Live) -> Live {
    if !live.runs {
        let its_owner = Some(app).filter(|app| !app.access.public);
        live.next = its_owner.and_then(|app| Idle::look(app).continues(app, id));
        return live;
    }
    let states = RunningBatch::states(&app.output);
    let mut open = states.iter().flat_map(|state| &state.open);
    if let Some(debate) = open.find(|debate| debate.id == id) {
        let votes = OpenVotes::look(app);
        let doing = votes.doing(debate, |call| call.doing.clone());
        live.votes_left = votes.left(id);
        live.rounds = debate.rounds;
        live.now = Some(match debate.round {
            0 => capitalised(&doing),
            round => format!("Round {round} of {}: {doing}", debate.rounds),
        });
    }
    live
}

/// The address of a statement leads to its place on the page.
pub(super) async fn statement(
    State(app): State<App>,
    Path((id, n)): Path<(String, String)>,
) -> Answer {
    let known = known(&app, &id).await;
    answer_aside(move || {
        let trace = known.as_ref().and_then(Known::trace);
        let said = trace.into_iter().flat_map(|trace| &trace.statements);
        let found = said.map(|s| s.n).find(|its| n.parse() == Ok(*its));
        match trace.zip(found) {
            Some((trace, n)) => {
                let page = Pages::of(trace).address_of(n);
                see(&format!("/d/{id}{page}#m{n:03}"))
            }
            None => missing(&app, "No such statement."),
        }
    })
    .await
}

/// The page on which an anchor is missing.
#[derive(Deserialize)]
pub(super) struct Missed {
    from: Option<String>,
}

/// An anchor, which no server is told of, leads to the page that has it. One that is nowhere leads back, without the anchor.
pub(super) async fn anchor(
    State(app): State<App>,
    Path((id, anchor)): Path<(String, String)>,
    Query(missed): Query<Missed>,
) -> Answer {
    let from = missed.from.and_then(|page| page.parse::<usize>().ok());
    let from = format!("?page={}", from.unwrap_or(1));
    of_trace(app, &id.clone(), move |_, trace| {
        let page = Pages::of(trace).address_at(trace, &anchor);
        match page.filter(|page| *page != from) {
            Some(page) => see(&format!("/d/{id}{page}#{anchor}")),
            None => see(&format!("/d/{id}{from}")),
        }
    })
    .await
}

/// An answer made of a debate, as far as it has arrived.
async fn of_trace(
    app: App,
    id: &str,
    answer: impl FnOnce(&App, &Trace) -> Answer + Send + 'static,
) -> Answer {
    let known = known(&app, id).await;
    answer_aside(move || match known.as_ref().and_then(Known::trace) {
        Some(trace) => answer(&app, trace),
        None => missing(&app, NONE),
    })
    .await
}

/// What is looked for.
#[derive(Deserialize)]
pub(super) struct Search {
    #[serde(default)]
    q: String,
}

pub(super) async fn search(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<Search>,
) -> Answer {
    of_trace(app, &id.clone(), move |app, trace| {
        let needle = query.q.trim();
        let words = RegexBuilder::new(&regex::escape(needle)).case_insensitive(true).build();
        let words = words.ok().filter(|_| !needle.is_empty());
        let statements = words.iter().flat_map(|words| trace.statements.iter().map(move |s| (words, s)));
        let pages = Pages::of(trace);
        let mut found: Vec<Value> = statements.filter_map(|(words, s)| found(trace, &pages, s, words)).collect();
        let hits = found.len();
        found.truncate(FOUND);
        let context = json!({
            "title": format!("Search: {}", shorten(&trace.topic, 80)),
            "topic": trace.topic, "at": format!("/d/{id}"), "q": query.q, "found": found, "hits": hits,
        });
        answer(app, "view/search.html.j2", &[], context)
    })
    .await
}

/// A statement that has the words, with what stands around them.
fn found(trace: &Trace, pages: &Pages<'_>, s: &Statement, words: &Regex) -> Option<Value> {
    let said = one_line(&s.text);
    let hit = words.find(&said)?;
    let (before, after) = (&said[..hit.start()], &said[hit.end()..]);
    Some(json!({
        "n": format!("{:03}", s.n),
        "page": pages.address_of(s.n),
        "name": trace.name_of(&s.by),
        "before": end_of(before),
        "hit": shorten(hit.as_str(), EXCERPT),
        "after": start_of(after),
    }))
}

/// The end of a text, from the beginning of a word.
fn end_of(text: &str) -> String {
    let starts = text.char_indices().rev().take(EXCERPT / 2).map(|(at, _)| at);
    match starts.last() {
        None | Some(0) => text.to_owned(),
        Some(start) => {
            let part = &text[start..];
            let word = part.find(' ').map_or(part, |space| &part[space..]);
            format!("…{word}")
        }
    }
}

/// The start of a text, to the end of a word.
fn start_of(text: &str) -> String {
    match text.char_indices().nth(EXCERPT / 2) {
        None => text.to_owned(),
        Some((end, _)) => {
            let part = &text[..end];
            let words = part.rfind(' ').map_or(part, |space| &part[..space]);
            format!("{words} …")
        }
    }
}
