//! How far all of it is: what runs now, what needs someone, what ended last.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use serde_json::{Value, json};

use super::app::App;
use super::blocking_work::look_aside;
use super::index::row::Row;
use super::live::sse;
use super::public;
use super::respond::{Answer, answer_aside, page as answer};
use crate::event::Status;
use crate::store::batches;
use crate::store::running_batches::RunningBatch;
use crate::store::state::{OpenDebate, RunState};
use crate::text::{self, one_line, shorten};

/// How often it is looked at while someone watches.
const LOOK: Duration = Duration::from_millis(500);
/// Open debates that are shown.
const OPEN: usize = 20;
/// Debates that ended last.
const LAST: usize = 10;
/// What runs told last.
const NOTICES: usize = 5;
/// Characters of a topic, of an outcome, of a notice.
const LINE: usize = 160;

pub(super) async fn page(State(app): State<App>) -> Answer {
    answer_aside(move || {
        let context = json!({"title": "Debates", "now": snapshot(&app)});
        answer(
            &app,
            "view/overview.html.j2",
            &["view/share.js", "view/overview.js"],
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
        let Some(now) = look_aside(move || sse::named("state", &snapshot(&its))).await else {
            continue;
        };
        if now != told {
            app.overview.send_replace(now.clone());
            told = now;
        }
    }
}

/// All that the page shows as far as it may be seen, and what its script gets as things change: 16 KB at most.
fn snapshot(app: &App) -> Value {
    let runs = RunningBatch::seen(&app.output).unwrap_or_default();
    let states = runs.iter().filter_map(|run| run.state()?.ok());
    let states: Vec<RunState> = states.collect();
    let open = states.iter().flat_map(|state| &state.open);
    let all = states
        .iter()
        .map(|state| state.open.len() + state.more_open.min(1 << 20));
    let open: Vec<Value> = open
        .take(OPEN)
        .map(|it| shown(it, app.access.public))
        .collect();
    let (last, finished) = app.index(|index| {
        let last = index.newest(None).take(LAST);
        let last: Vec<Value> = last.map(|row| ended(row)).collect();
        (last, index.len())
    });
    let line = match states.as_slice() {
        [] => idle(app),
        states => states.iter().map(running).collect::<Vec<_>>().join(" · "),
    };
    let mut now = json!({
        "line": line,
        "open": open,
        "more_open": all.sum::<usize>() - open.len(),
        // What may need someone.
        "told": told(&states),
        "last": last,
        "finished": finished,
    });
    if app.access.public {
        public::overview(&mut now);
    }
    now
}

fn idle(app: &App) -> String {
    let last = batches::last(&app.output).ok().flatten();
    match last {
        Some((_, batch)) => format!("Nothing is running. Last batch: {}", batch.headline()),
        None => "Nothing is running.".to_owned(),
    }
}

/// `61 of 240 debates ended: 59 done, 2 degraded; about 3h left`.
fn running(state: &RunState) -> String {
    let it = &state.debates;
    let ends = it.by_end();
    let left = state
        .seconds_left
        .map(|left| format!("; about {} left", text::lasting(left.saturating_mul(1000))))
        // A number stays with its unit.
        .map(|left| left.replace(' ', "\u{a0}").replacen('\u{a0}', " ", 1));
    format!("{}{ends}{}", it.progress(), left.unwrap_or_default())
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
                shorten(&notice.text, 2 * LINE)
            )
        })
        .collect()
}

fn shown(debate: &OpenDebate, public: bool) -> Value {
    let round = match debate.round {
        0 => String::new(),
        round => format!("round {round} of {}", debate.rounds),
    };
    let doing = debate.doing(|call| format!("{} ({})", call.doing, call.model));
    json!({
        "id": debate.id,
        "topic": shorten(heading(debate, public), LINE),
        "format": one_line(&debate.format),
        "round": round,
        "doing": shorten(&doing, LINE),
    })
}

/// The topic in a few words for the public, who may not see all of a question, and where a run of an earlier version tells no more.
fn heading(debate: &OpenDebate, public: bool) -> &str {
    if public || debate.heading.is_empty() {
        &debate.topic
    } else {
        &debate.heading
    }
}

fn ended(row: &Row) -> Value {
    let short = (row.status != Status::Done).then_some(row.status.word());
    let rehearsal = row.rehearsal.then_some("rehearsal");
    let marks: Vec<&str> = short.into_iter().chain(rehearsal).collect();
    json!({
        "id": row.id.as_str(),
        "topic": shorten(&row.topic, LINE),
        "outcome": shorten(&row.outcome, LINE),
        "marks": marks,
    })
}
