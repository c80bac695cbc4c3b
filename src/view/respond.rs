//! The responses of all handlers: pages from templates, JSON, plain text, errors.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, Response, StatusCode};
use serde_json::{Value, json};

use super::app::App;
use super::blocking_work::aside;
use crate::templates::TemplateError;

/// What a handler gives.
pub(super) type Answer = Response<Body>;

/// Sheets of the viewer's own pages.
const SHEETS: [&str; 5] =
    ["pages/base.css", "pages/debate.css", "pages/cards.css", "view/view.css", "view/lists.css"];

/// A page that a template makes of these fields, with further sheets and scripts.
pub(super) fn page(app: &App, template: &str, assets: &[&str], context: Value) -> Answer {
    rendered(app, StatusCode::OK, template, assets, context)
}

fn rendered(
    app: &App,
    status: StatusCode,
    template: &str,
    assets: &[&str],
    mut context: Value,
) -> Answer {
    let (sheets, scripts): (Vec<&str>, Vec<&str>) =
        assets.iter().partition(|name| name.ends_with(".css"));
    let sheets = [&SHEETS[..], &sheets].concat();
    context["assets"] = json!(app.templates.assets(&sheets, &scripts));
    context["public"] = json!(app.access.public);
    match app.templates.render(template, context) {
        Ok(page) => html(status, page),
        Err(error) => unmade(app, &error),
    }
}

/// There is no such thing.
pub(super) fn missing(app: &App, words: &str) -> Answer {
    let context = json!({"title": "Not Found", "words": words, "next": null});
    rendered(app, StatusCode::NOT_FOUND, "view/problem.html.j2", &[], context)
}

/// A whole page.
pub(super) fn html(status: StatusCode, page: impl Into<Body>) -> Answer {
    typed(status, "text/html; charset=utf-8", page.into())
}

/// Plain text.
pub(super) fn text(status: StatusCode, words: impl Into<Body>) -> Answer {
    typed(status, "text/plain; charset=utf-8", words.into())
}

/// A body of this type that is not to be kept.
pub(super) fn typed(status: StatusCode, kind: &'static str, body: Body) -> Answer {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// Leads to another page of ours: the address is made of checked parts.
pub(super) fn see(address: &str) -> Answer {
    let mut answer = text(StatusCode::SEE_OTHER, Body::empty());
    match HeaderValue::from_str(address) {
        Ok(address) => drop(answer.headers_mut().insert("location", address)),
        Err(_) => *answer.status_mut() = StatusCode::NOT_FOUND,
    }
    answer
}

/// Makes an answer that waits for the disk on its own thread.
pub(super) async fn answer_aside(work: impl FnOnce() -> Answer + Send + 'static) -> Answer {
    aside(work).await.unwrap_or_else(failed)
}

/// A template that cannot be used; whoever looks in public is not told which.
pub(super) fn unmade(app: &App, error: &TemplateError) -> Answer {
    if app.access.public {
        failed()
    } else {
        text(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

/// A mistake of ours; whose it is and where is not told.
pub(super) fn failed() -> Answer {
    text(StatusCode::INTERNAL_SERVER_ERROR, "internal error (please report)")
}
