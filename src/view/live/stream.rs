//! Streams: a debate as it goes on, and how far all of it is.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use futures_util::stream::{self, Stream, StreamExt};
use serde::Deserialize;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;

use super::ongoing::Joined;
use super::sse::{self, Told};
use crate::stop::Stop;
use crate::store::live::{Cursor, ShortId};
use crate::view::app::App;
use crate::view::blocking_work::aside;
use crate::view::connection_limits::Open;
use crate::view::overview;
use crate::view::request_guard::Ends;
use crate::view::respond::{Answer, missing, text, typed};

/// After how much silence a stream shows that it is alive.
const ALIVE: Duration = Duration::from_secs(15);
/// Events that are told again; who is farther behind reads the page.
const REPLAYED: usize = 2_000;

/// Where a reader is.
#[derive(Deserialize)]
pub(in crate::view) struct After {
    after: Option<String>,
}

/// What follows.
struct Follow {
    waiting: VecDeque<Bytes>,
    /// `None` once all is told.
    joined: Option<Joined>,
    /// A place in the log that is not reached yet: the run tells it again.
    until: Option<Cursor>,
    page: String,
    stop: Stop,
    _open: Open,
}

pub(in crate::view) async fn debate(
    State(app): State<App>,
    Extension(ends): Extension<Ends>,
    Path(id): Path<String>,
    Query(query): Query<After>,
    headers: HeaderMap,
) -> Answer {
    let Some(id) = ShortId::parse(&id) else { return missing(&app, "No such debate.") };
    let Ok(after) = cursor(&headers, query.after.as_deref()) else {
        return text(StatusCode::BAD_REQUEST, "not a position in a log");
    };
    let Some(open) = app.streams.open(ends.there.ip()) else { return too_many() };
    let Some((log, joined)) = found(&app, &id).await else {
        return missing(&app, "No such debate.");
    };
    let mut follow = Follow {
        waiting: VecDeque::from([sse::BEGIN]),
        joined,
        until: None,
        page: format!("/d/{}", id.as_str()),
        stop: app.stop.clone(),
        _open: open,
    };
    if !follow.begin(&log, after) {
        return text(StatusCode::NO_CONTENT, Body::empty());
    }
    streamed(stream::unfold(follow, |mut follow| async {
        let next = follow.next().await?;
        Some((next, follow))
    }))
}

/// The place after which the reader wants to continue; what a browser sends on coming back counts for more than the address.
fn cursor(headers: &HeaderMap, after: Option<&str>) -> Result<Option<Cursor>, ()> {
    let last = headers.get("last-event-id").map(|id| id.to_str().unwrap_or("?"));
    let given = last.or(after).filter(|given| !given.is_empty());
    given.map(|given| Cursor::parse(given).ok_or(())).transpose()
}

/// A debate's log, and what comes next where it goes on.
async fn found(app: &App, id: &ShortId) -> Option<(Vec<Told>, Option<Joined>)> {
    let (its, live) = (app.clone(), *id);
    if let Some(mut joined) = aside(move || its.broadcast.join(&live)).await.flatten() {
        return Some((std::mem::take(&mut joined.log), Some(joined)));
    }
    let row = app.lists.find(id).await?;
    let finished = app.archive.with_log(&row.path(&app.output)).await?;
    Some((finished.log().to_vec(), None))
}

impl Follow {
    /// Tells first what the reader lacks, by its place in the log; whether anything is left to tell.
    fn begin(&mut self, log: &[Told], after: Option<Cursor>) -> bool {
        let goes_on = self.joined.is_some() && !log.last().is_some_and(|told| told.ends);
        // A run that asks a model has told all that it had before.
        let is_told_again = goes_on && self.joined.as_ref().is_some_and(|joined| !joined.asks);
        let told = after.map_or(0, |at| usize::try_from(at.seq).unwrap_or(usize::MAX));
        let before = told.checked_sub(1).and_then(|last| log.get(last));
        let is_same = told == 0 || before.is_some_and(|before| before.cursor == after);
        match log.get(told..) {
            // That is all that there will be.
            Some([]) if is_same && !goes_on && !log.is_empty() => return false,
            Some(rest) if is_same && rest.len() <= REPLAYED => self.replay(rest),
            None if is_told_again => self.until = after,
            // In another log, or far behind.
            _ => self.reset(),
        }
        let unreadable = self.joined.as_mut().and_then(|it| it.unreadable.take());
        if unreadable.is_some() || !goes_on {
            self.joined = None;
        }
        self.waiting.extend(unreadable);
        true
    }

    fn replay(&mut self, rest: &[Told]) {
        self.waiting.extend(rest.iter().map(|told| told.text.clone()));
        let now = self.joined.as_ref().map(|joined| joined.now.clone());
        self.waiting.extend(now);
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(waiting) = self.waiting.pop_front() {
                return Some(waiting);
            }
            let joined = self.joined.as_mut()?;
            let told = tokio::select! {
                told = timeout(ALIVE, joined.next.recv()) => told,
                () = self.stop.requested() => return self.bye(),
            };
            match told {
                Err(_) => return Some(sse::ALIVE),
                Ok(Ok(told)) => self.take(&told),
                // It comes back for what it missed.
                Ok(Err(RecvError::Lagged(_) | RecvError::Closed)) => return None,
            }
        }
    }

    fn take(&mut self, told: &Told) {
        match self.until {
            None => self.waiting.push_back(told.text.clone()),
            Some(until) => self.catch_up(until, told),
        }
        if told.ends {
            self.joined = None;
        }
    }

    /// What the reader knows is told to nobody again; once it is reached, the reader comes back for the rest. It never will be
    /// once the run asks a model.
    fn catch_up(&mut self, until: Cursor, told: &Told) {
        let Some(at) = told.cursor else { return self.reset() };
        if at.seq == until.seq && at == until {
            self.joined = None;
        } else if at.seq >= until.seq || told.ends {
            self.reset();
        }
    }

    fn reset(&mut self) {
        self.waiting.push_back(sse::reset(&self.page));
        self.joined = None;
    }

    fn bye(&mut self) -> Option<Bytes> {
        self.joined = None;
        Some(sse::BYE)
    }
}

/// How far all of it is: the newest state, and no log.
pub(in crate::view) async fn overview(
    State(app): State<App>,
    Extension(ends): Extension<Ends>,
) -> Answer {
    let Some(open) = app.streams.open(ends.there.ip()) else { return too_many() };
    // What was told to others may be long past.
    overview::look(&app).await;
    let mut newest = app.overview.subscribe();
    newest.mark_changed();
    let start = (newest, app.stop.clone(), open);
    let states = stream::unfold(start, |(mut newest, stop, open)| async {
        let text = tokio::select! {
            changed = timeout(ALIVE, newest.changed()) => match changed {
                Err(_) => sse::ALIVE,
                Ok(Ok(())) => said(&newest.borrow_and_update()),
                Ok(Err(_)) => return None,
            },
            // The address of nothing to come.
            () = stop.requested() => return None,
        };
        Some((text, (newest, stop, open)))
    });
    streamed(stream::iter([sse::BEGIN]).chain(states))
}

/// The newest state; nothing is known before the first look.
fn said(state: &Bytes) -> Bytes {
    Some(state.clone()).filter(|state| !state.is_empty()).unwrap_or(sse::ALIVE)
}

fn too_many() -> Answer {
    text(StatusCode::TOO_MANY_REQUESTS, "too many pages are open; close some")
}

fn streamed(texts: impl Stream<Item = Bytes> + Send + 'static) -> Answer {
    let body = Body::from_stream(texts.map(Ok::<_, Infallible>));
    let mut answer = typed(StatusCode::OK, "text/event-stream; charset=utf-8", body);
    answer.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    answer
}
