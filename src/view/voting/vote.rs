//! HTTP handlers for voting (row L4): the pages to join and to vote, a session for a link, and casting a vote. Nothing here
//! tells how others voted before the window has closed.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::voters::{NoSession, Voter};
use super::windows;
use crate::clock;
use crate::store::audience_ballots::{Cast, CastBallot, Choice};
use crate::store::live::ShortId;
use crate::view::app::{App, Votes};
use crate::view::blocking_work::aside;
use crate::view::request_guard::{Ends, cookie_name, cookie_of, is_from_here, set_cookie};
use crate::view::respond::{Answer, answer_aside, missing, page, text, typed};

/// Maximum bytes of what is sent here.
const MOST: usize = 1 << 10;
/// How long it may take to come.
const PATIENCE: Duration = Duration::from_secs(10);

pub(in crate::view) async fn join(State(app): State<App>) -> Answer {
    shown(&app, "view/join.html.j2", &["view/join.js"])
}

pub(in crate::view) async fn vote(State(app): State<App>) -> Answer {
    shown(&app, "view/vote.html.j2", &["view/vote.css", "view/vote.js"])
}

fn shown(app: &App, template: &str, assets: &[&str]) -> Answer {
    let Some(votes) = &app.votes else { return missing(app, NO_VOTES) };
    let context = json!({"title": "Vote", "open": votes.voters.is_open()});
    page(app, template, assets, context)
}

const NO_VOTES: &str =
    "There is no voting: `rebut view` was started without --voters and --open-vote.";

/// What a link is exchanged with.
#[derive(Deserialize)]
struct Link {
    token: Option<String>,
}

pub(in crate::view) async fn session(
    State(app): State<App>,
    Extension(ends): Extension<Ends>,
    headers: HeaderMap,
    body: Body,
) -> Answer {
    let (votes, link) = match read::<Link>(&app, ends, &headers, body).await {
        Ok(read) => read,
        Err(answer) => return answer,
    };
    let known = votes.voter(&headers, ends).is_some();
    // Who loads the page again stays who they are.
    if known && link.token.is_none() {
        return text(StatusCode::NO_CONTENT, "");
    }
    let (votes, by) = (Arc::clone(votes), ends.there.ip());
    let entered = aside(move || votes.voters.enter(link.token.as_deref(), by));
    match entered.await.unwrap_or(Err(NoSession::Disk)) {
        Ok(session) => begun(&session, ends),
        Err(NoSession::Link) if known => text(StatusCode::NO_CONTENT, ""),
        Err(why) => refused(why),
    }
}

fn begun(session: &str, ends: Ends) -> Answer {
    let mut answer = text(StatusCode::NO_CONTENT, "");
    let cookie = format!("{}={session}", cookie_name(COOKIE, ends));
    set_cookie(&mut answer, &cookie, "Strict");
    answer
}

fn refused(why: NoSession) -> Answer {
    let used = "this link has been used or does not belong to this vote";
    let (status, words) = match why {
        NoSession::Link => (StatusCode::FORBIDDEN, used),
        NoSession::Closed => (StatusCode::FORBIDDEN, "open your voting link"),
        NoSession::Address => (StatusCode::TOO_MANY_REQUESTS, "too many voters at this address"),
        NoSession::Full => (StatusCode::TOO_MANY_REQUESTS, "too many voters without a link"),
        NoSession::Disk => (StatusCode::INTERNAL_SERVER_ERROR, "the disk is full or broken"),
    };
    text(status, words)
}

/// The cookie that holds a session.
const COOKIE: &str = "rebut-vote";

impl Votes {
    fn voter(&self, headers: &HeaderMap, ends: Ends) -> Option<Voter> {
        self.voters.voter(cookie_of(headers, &cookie_name(COOKIE, ends))?)
    }
}

/// What can be voted on now, and what was counted last.
pub(in crate::view) async fn state(
    State(app): State<App>,
    Extension(ends): Extension<Ends>,
    headers: HeaderMap,
) -> Answer {
    let known = |votes: Arc<Votes>| Some((votes.voter(&headers, ends)?, votes));
    let Some((voter, votes)) = app.votes.clone().and_then(known) else {
        return refused(NoSession::Closed);
    };
    answer_aside(move || {
        votes.put.heard_of(&voter);
        let windows = windows::now(&app, &votes);
        let mut now = windows.told(|debate| votes.voters.name(&voter, debate));
        now["unverified"] = json!(voter.unverified);
        answer(StatusCode::OK, &now)
    })
    .await
}

fn answer(status: StatusCode, value: &Value) -> Answer {
    typed(status, "application/json", Body::from(value.to_string()))
}

/// A vote.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vote {
    choice: Choice,
}

pub(in crate::view) async fn cast(
    State(app): State<App>,
    Extension(ends): Extension<Ends>,
    Path((id, round)): Path<(String, u32)>,
    headers: HeaderMap,
    body: Body,
) -> Answer {
    let (votes, vote) = match read::<Vote>(&app, ends, &headers, body).await {
        Ok(read) => read,
        Err(answer) => return answer,
    };
    let Some(voter) = votes.voter(&headers, ends) else { return refused(NoSession::Closed) };
    let Some(id) = ShortId::parse(&id) else {
        return text(StatusCode::NOT_FOUND, "no such debate");
    };
    if !votes.put.is_in_time(&voter) {
        return text(StatusCode::TOO_MANY_REQUESTS, "only one vote per second: try again");
    }
    let ballot = CastBallot {
        voter: votes.voters.name(&voter, id.as_str()),
        choice: vote.choice,
        at: app.clock.now(),
        unverified: voter.unverified,
    };
    counted(Arc::clone(votes), (id, round), ballot).await
}

/// Answers once the vote is on disk. It is written even if nobody waits for the answer.
async fn counted(votes: Arc<Votes>, of: (ShortId, u32), ballot: CastBallot) -> Answer {
    let told = votes.put.put(of, ballot);
    tokio::spawn(async move { votes.put.write(of).await });
    match told.await.ok().flatten() {
        Some(Cast::Counted { until }) => {
            answer(StatusCode::OK, &json!({"counted": true, "until": clock::text(until)}))
        }
        Some(Cast::Closed) => {
            let words = "voting is closed: this vote does not count";
            text(StatusCode::CONFLICT, words)
        }
        None => {
            let words = "the vote could not be saved: it does not count";
            text(StatusCode::INTERNAL_SERVER_ERROR, words)
        }
    }
}

/// What was sent, if it comes from a page of ours and is what it should be.
async fn read<'a, T: DeserializeOwned>(
    app: &'a App,
    ends: Ends,
    headers: &HeaderMap,
    body: Body,
) -> Result<(&'a Arc<Votes>, T), Answer> {
    let Some(votes) = &app.votes else { return Err(missing(app, NO_VOTES)) };
    if !is_from_here(&app.access, ends, headers) {
        return Err(text(StatusCode::FORBIDDEN, "only pages of this viewer may send this"));
    }
    let kind = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
    if kind.and_then(|kind| kind.split(';').next()) != Some("application/json") {
        return Err(text(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send JSON"));
    }
    let too_large = |_| text(StatusCode::PAYLOAD_TOO_LARGE, "at most 1 kB");
    let too_slow = |_| text(StatusCode::REQUEST_TIMEOUT, "sending took too long");
    let bytes =
        timeout(PATIENCE, to_bytes(body, MOST)).await.map_err(too_slow)?.map_err(too_large)?;
    let unlike = |_| text(StatusCode::BAD_REQUEST, "not a valid request");
    Ok((votes, serde_json::from_slice(&bytes).map_err(unlike)?))
}
