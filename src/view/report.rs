//! The report on all debates.

use axum::extract::State;
use axum::http::StatusCode;

use super::app::App;
use super::respond::{Answer, answer_aside, html, missing};

pub(super) async fn page(State(app): State<App>) -> Answer {
    answer_aside(move || {
        let revision = app.index(|index| index.revision);
        match app.report.page(revision, &app.templates) {
            Ok(page) => html(StatusCode::OK, page),
            Err(why) => missing(&app, &why),
        }
    })
    .await
}
