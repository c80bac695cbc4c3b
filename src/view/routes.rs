//! Which address is answered by what.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Extension, Router, middleware};

use super::app::App;
use super::live::stream;
use super::request_guard::{Ends, guard};
use super::respond::{Answer, missing, text};
use super::voting::vote;
use super::{assets, calls, compare, debate, debates, files, overview, report};

/// All addresses, for one connection.
pub(super) fn routes(app: App, ends: Ends) -> Router {
    Router::new()
        .route("/", get(overview::page))
        .route("/events", get(stream::overview))
        .route("/debates", get(debates::page))
        .route("/day/{day}", get(debates::day))
        .route("/topic/{topic}", get(debates::topic))
        .route("/compare", get(compare::page))
        .route("/report", get(report::page))
        .route("/d/{id}", get(debate::page))
        .route("/d/{id}/events", get(stream::debate))
        .route("/d/{id}/search", get(debate::search))
        .route("/d/{id}/m/{n}", get(debate::statement))
        .route("/d/{id}/at/{anchor}", get(debate::anchor))
        .route("/d/{id}/calls", get(calls::all))
        .route("/d/{id}/call/{*name}", get(calls::one))
        .route("/d/{id}/file/{*path}", get(files::of_debate))
        .route("/join", get(vote::join))
        .route("/session", post(vote::session))
        .route("/vote", get(vote::vote))
        .route("/vote/state", get(vote::state))
        .route("/vote/{id}/{round}", post(vote::cast))
        .route("/assets/{name}", get(assets::asset))
        .route("/favicon.ico", get(async || text(StatusCode::NO_CONTENT, "")))
        .route("/healthz", get(healthz))
        .route("/{day}/{debate}/{*path}", get(files::of_list))
        .fallback(nothing)
        .layer(middleware::from_fn_with_state(app.clone(), guard))
        .layer(Extension(ends))
        .with_state(app)
}

async fn healthz() -> Answer {
    text(StatusCode::OK, "ok\n")
}

async fn nothing(State(app): State<App>, _: Request) -> Answer {
    missing(&app, "No such page.")
}
