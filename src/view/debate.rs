//! A debate at one address, from its first call to the archive.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::app::App;
use super::index::Row;
use super::respond::{Answer, answer_aside, html, missing, page as answer, text};
use crate::artifacts::page::{self as debate_page, Around, Live};
use crate::event::{Complete, Event, EventKind, Metadata, Statement, Status, Usage};
use crate::publish::calls::Calls;
use crate::run::debate::trace as fold;
use crate::store::finished::FinishedDebate;
use crate::store::live::{self, Grown, LiveTail, ShortId};
use crate::text::{one_line, shorten};
use crate::trace::Trace;

/// Statements that a search shows.
const FOUND: usize = 200;
/// Characters around what was found.
const EXCERPT: usize = 240;

/// What is known of a debate.
pub(super) struct Known {
    pub(super) trace: Trace,
    /// How it goes on, while it does.
    live: Option<Live>,
    row: Option<Row>,
}

/// A debate that is running, or else finished.
pub(super) fn known(app: &App, id: &str) -> Option<Known> {
    let id = ShortId::parse(id)?;
    if let Some(known) = running(app, &id) {
        return Some(known);
    }
    let find = || app.index(|index| index.get(&id).cloned());
    let row = find().or_else(|| {
        app.index.lock().look(&app.output, &app.clock);
        find()
    })?;
    let trace = Trace::read(&row.path.join("trace.json")).ok()?;
    let live = None;
    let row = Some(row);
    Some(Known { trace, live, row })
}

/// A debate that goes on, from what its run tells: its trace so far, as if it ended now.
fn running(app: &App, id: &ShortId) -> Option<Known> {
    let (mut tail, header) = LiveTail::open(&live::path(&app.output, id))?;
    let (mut events, mut after) = (Vec::new(), String::new());
    while let Grown::By(lines) = tail.read() {
        if lines.is_empty() {
            break;
        }
        for line in lines.iter().filter(|line| line.cursor.is_some()) {
            events.push(serde_json::from_str::<Event>(&line.text).ok()?);
            after = line.cursor.map(|cursor| cursor.to_string())?;
        }
    }
    let plan = match events.first().map(|event| &event.kind) {
        Some(EventKind::DebateStart(start)) => start.plan.clone(),
        _ => return None,
    };
    let is_over = Event::completion(&events).is_some();
    if !is_over {
        events.push(open_end(events.last()?));
    }
    let trace = fold(&plan, &events).ok()?;
    let runs = !is_over && live::is_running(&app.output, &header);
    let live = (!is_over).then_some(Live { after, runs });
    let row = None;
    Some(Known { trace, live, row })
}

/// The end that a debate does not have yet.
fn open_end(last: &Event) -> Event {
    let complete = Complete {
        status: Status::Done,
        cause: None,
        outcome: None,
        usage: Usage::default(),
        calls: Vec::new(),
        made_up: None,
    };
    Event {
        seq: None,
        kind: EventKind::Complete(complete),
        metadata: Metadata::default(),
        ..last.clone()
    }
}

pub(super) async fn page(State(app): State<App>, Path(id): Path<String>) -> Answer {
    answer_aside(move || {
        let Some(known) = known(&app, &id) else {
            return missing(&app, "There is no such debate, or it cannot be read.");
        };
        let around = around(&app, &id, &known);
        match debate_page::page(&known.trace, &around, &app.templates) {
            Ok(page) => html(StatusCode::OK, page),
            Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
        }
    })
    .await
}

fn around(app: &App, id: &str, known: &Known) -> Around {
    let at = format!("/d/{id}");
    let shows_all = known.row.as_ref().filter(|_| !app.access.public);
    let whole = shows_all.and_then(|row| FinishedDebate::read(&row.path));
    let calls = whole.and_then(|it| Calls::of(&app.output, &it.id));
    Around {
        files: shows_all.is_some(),
        list: Some("/debates".to_owned()),
        calls: calls.map(|_| format!("{at}/calls")),
        at: Some(at),
        live: known.live.clone(),
        ..Around::default()
    }
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
    answer_aside(move || {
        let Some(Known { trace, .. }) = known(&app, &id) else {
            return missing(&app, "There is no such debate, or it cannot be read.");
        };
        let needle = query.q.trim().to_lowercase();
        let statements = trace.statements.iter().filter(|_| !needle.is_empty());
        let found = statements.filter_map(|s| found(&trace, s, &needle));
        let found: Vec<Value> = found.take(FOUND).collect();
        let context = json!({
            "title": format!("Search: {}", shorten(&trace.topic, 80)),
            "topic": trace.topic, "at": format!("/d/{id}"), "q": query.q, "found": found,
        });
        answer(&app, "view/search.html.j2", &[], context)
    })
    .await
}

/// A statement that has the words, with what stands around them.
fn found(trace: &Trace, s: &Statement, needle: &str) -> Option<Value> {
    let said = one_line(&s.text);
    let at = said.to_lowercase().find(needle)?;
    let mut before = said.char_indices().map(|(at, _)| at);
    let start = before.rfind(|start| start + EXCERPT / 2 <= at);
    let start = start.unwrap_or(0);
    let excerpt = said.get(start..).unwrap_or(&said);
    let dots = if start > 0 { "… " } else { "" };
    Some(json!({
        "n": format!("{:03}", s.n),
        "name": trace.name_of(&s.by),
        "excerpt": format!("{dots}{}", shorten(excerpt, EXCERPT)),
    }))
}
