//! Sheets and scripts: what a name holds never changes, so it may be kept forever.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderValue, StatusCode};

use super::app::App;
use super::respond::{Answer, missing, typed};

pub(super) async fn asset(State(app): State<App>, Path(name): Path<String>) -> Answer {
    let Some(content) = app.templates.asset(&name) else { return missing(&app, "No such file.") };
    let kind = if name.ends_with(".css") {
        "text/css; charset=utf-8"
    } else {
        "text/javascript; charset=utf-8"
    };
    let mut answer = typed(StatusCode::OK, kind, Body::from(content));
    let kept = HeaderValue::from_static("public, max-age=31536000, immutable");
    answer.headers_mut().insert(CACHE_CONTROL, kept);
    answer
}
