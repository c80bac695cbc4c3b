//! How far all of it is: what runs now, what needs somebody, what ended last.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use serde::Serialize;
use serde_json::{Value, json};

use super::app::App;
use super::aside::look_aside;
use super::index::Row;
use super::respond::{Answer, answer_aside, page as answer};
use super::{public, sse};
use crate::store::batches;
use crate::store::requests::RunningBatch;
use crate::store::state::{OpenDebate, RunState};
use crate::text::{self, one_line, shorten};

/// How often it is looked at while somebody watches.
const LOOK: Duration = Duration::from_millis(500);
/// Open debates that are shown.
const OPEN: usize = 20;
/// Debates that ended last.
const LAST: usize = 10;
/// What runs told last.
const NOTICES: usize = 5;
/// Characters of a topic, of an outcome, of a notice.
const LINE: usize = 160;

/// All that the page shows, and what its script gets as things change: 16 KB at most.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Snapshot {
    /// How it stands, in a line.
    line: String,
    open: Vec<Open>,
    more_open: usize,
    /// What may need somebody.
    told: Vec<String>,
    last: Vec<Ended>,
    finished: usize,
}

/// A debate in progress.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Open {
    id: String,
    topic: String,
    format: String,
    round: String,
    doing: String,
}

/// A debate that ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Ended {
    id: String,
    topic: String,
    outcome: String,
    status: String,
}

pub(super) async fn page(State(app): State<App>) -> Answer {
    answer_aside(move || {
        let context = json!({"title": "Debates", "now": shown_now(&app)});
        answer(
            &app,
            "view/overview.html.j2",
            &["view/overview.js"],
            context,
        )
    })
    .await
}

/// Tells those who watch what is new, twice a second at most.
pub(super) async fn tell(app: App) {
    let mut told = Bytes::new();
    loop {
        tokio::time::sleep(LOOK).await;
        if app.overview.receiver_count() == 0 {
            continue;
        }
        let its = app.clone();
        let Some(now) = look_aside(move || sse::named("state", &shown_now(&its))).await else {
            continue;
        };
        if now != told {
            app.overview.send_replace(now.clone());
            told = now;
        }
    }
}

/// The snapshot as far as it may be seen.
fn shown_now(app: &App) -> Value {
    let mut now = json!(snapshot(app));
    if app.access.public {
        public::overview(&mut now);
    }
    now
}

fn snapshot(app: &App) -> Snapshot {
    let runs = RunningBatch::seen(&app.output).unwrap_or_default();
    let states = runs.iter().filter_map(|run| run.state()?.ok());
    let states: Vec<RunState> = states.collect();
    let open = states.iter().flat_map(|state| &state.open);
    let all: usize = states
        .iter()
        .map(|state| state.open.len() + state.more_open.min(1 << 20))
        .sum();
    let open: Vec<Open> = open.take(OPEN).map(shown).collect();
    let (last, finished) = app.index(|index| {
        let last = index
            .newest(None)
            .take(LAST)
            .map(|row| ended(row))
            .collect();
        (last, index.len())
    });
    Snapshot {
        line: match states.as_slice() {
            [] => idle(app),
            states => states.iter().map(running).collect::<Vec<_>>().join(" · "),
        },
        more_open: all - open.len(),
        open,
        told: told(&states),
        last,
        finished,
    }
}

fn idle(app: &App) -> String {
    let last = batches::last(&app.output).ok().flatten();
    match last {
        Some((_, batch)) => format!(
            "Nothing is running. Last batch: {}",
            one_line(&batch.headline())
        ),
        None => "Nothing is running.".to_owned(),
    }
}

/// `61 of 240 debates ended: 59 done, 2 degraded; about 3h left`.
fn running(state: &RunState) -> String {
    let it = &state.debates;
    let ends = it.by_end();
    let left = state
        .seconds_left
        .map(|left| format!("; about {} left", text::lasting(left.saturating_mul(1000))));
    format!(
        "{} of {} debates ended{ends}{}",
        it.ended(),
        it.chosen,
        left.unwrap_or_default()
    )
}

/// What runs told last, which may name machines and paths.
fn told(states: &[RunState]) -> Vec<String> {
    let notices = states
        .iter()
        .flat_map(|state| state.notices.iter().rev().take(NOTICES));
    notices
        .map(|notice| {
            format!(
                "{} UTC: {}",
                notice.at.format("%H:%M"),
                shorten(&one_line(&notice.text), 2 * LINE)
            )
        })
        .collect()
}

fn shown(debate: &OpenDebate) -> Open {
    let round = match debate.round {
        0 => String::new(),
        round => format!("round {round} of {}", debate.rounds),
    };
    Open {
        id: debate.id.clone(),
        topic: shorten(&one_line(&debate.topic), LINE),
        format: one_line(&debate.format),
        round,
        doing: shorten(
            &debate.doing(|call| format!("{} ({})", call.doing, call.model)),
            LINE,
        ),
    }
}

fn ended(row: &Row) -> Ended {
    Ended {
        id: row.id.clone(),
        topic: shorten(&one_line(&row.topic), LINE),
        outcome: shorten(&one_line(&row.outcome), LINE),
        status: row.status.clone(),
    }
}
