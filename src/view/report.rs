//! The report on all debates.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use super::app::App;
use super::blocking_work::aside;
use super::respond::{Answer, failed, html, missing};

pub(super) async fn page(State(app): State<App>) -> Answer {
    let its = app.clone();
    let Some(revision) = aside(move || its.index(|index| index.revision)).await else {
        return failed();
    };
    match Arc::clone(&app.report).page(revision).await {
        Ok(page) => html(StatusCode::OK, page),
        Err(why) => missing(&app, &why),
    }
}
