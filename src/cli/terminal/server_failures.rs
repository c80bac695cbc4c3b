//! Failing servers in words: what fails, for how long, and when it is next tried.

use chrono::{DateTime, Local, Utc};

use crate::servers::{ServerFailure, ServerView};
use crate::text;

/// Each failure on these servers, which need names if there are several.
pub(in crate::cli) fn lines(servers: &[ServerView], now: DateTime<Utc>) -> Vec<String> {
    let is_alone = servers.len() == 1;
    let lines = servers.iter().flat_map(|server| {
        let who = if is_alone { "the server" } else { &server.name };
        let failing = server.failing.iter();
        failing.map(move |it| format!("{who} {}", in_words(it, server.is_out, now)))
    });
    lines.collect()
}

/// `fails calls to llama3 (for 58 s), next try 17:43:20: it is busy`, as it follows a server's name.
pub(in crate::cli) fn in_words(
    failure: &ServerFailure,
    is_out: bool,
    now: DateTime<Utc>,
) -> String {
    let what = match &failure.model {
        Some(model) => format!("fails calls to {model}"),
        None if is_out => "does not answer".to_owned(),
        None => "fails all calls".to_owned(),
    };
    let for_ms = u64::try_from((now - failure.since).num_milliseconds());
    let lasting = text::lasting(for_ms.unwrap_or_default());
    let next = if failure.is_given_up { "given up".to_owned() } else { next_try(failure, now) };
    format!("{what} (for {lasting}), {next}: {}", failure.cause)
}

fn next_try(failure: &ServerFailure, now: DateTime<Utc>) -> String {
    match failure.next_try.filter(|next| *next > now) {
        Some(next) => format!("next try {}", next.with_timezone(&Local).format("%H:%M:%S")),
        None => "being tried now".to_owned(),
    }
}
