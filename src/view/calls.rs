//! What was asked and replied, for who may see prompts.

use axum::extract::{Path, State};
use axum::http::StatusCode;

use super::app::App;
use super::respond::{Answer, answer_aside, html, missing};
use crate::publish::calls::Calls;
use crate::store::finished::FinishedDebate;

pub(super) async fn all(State(app): State<App>, Path(id): Path<String>) -> Answer {
    answer_aside(move || calls(&app, &id, |_| true)).await
}

pub(super) async fn one(
    State(app): State<App>,
    Path((id, name)): Path<(String, String)>,
) -> Answer {
    answer_aside(move || calls(&app, &id, |call| call == name)).await
}

fn calls(app: &App, id: &str, is_wanted: impl Fn(&str) -> bool) -> Answer {
    let none =
        "No calls to show: the debate is unfinished, its prompts were removed, or they are hidden.";
    let Some(row) = app.row(id).filter(|_| !app.access.public) else { return missing(app, none) };
    let found = FinishedDebate::read(&row.path(&app.output));
    let Some(kept) = found.and_then(|it| Calls::of(&app.output, &it.id)) else {
        return missing(app, none);
    };
    let debate = app.archive.get(&row.path(&app.output));
    let mut shown = kept.shown(debate.trace()).ok();
    if let Some(calls) = &mut shown {
        calls.retain(|call| call["name"].as_str().is_some_and(&is_wanted));
        if calls.is_empty() {
            return missing(app, "No such call in this debate.");
        }
    }
    let debate = format!("/d/{}", row.id.as_str());
    match Calls::page(&row.topic, &debate, shown.as_deref(), &app.templates) {
        Ok(page) => html(StatusCode::OK, page),
        Err(_) => missing(app, none),
    }
}
