//! What the user is told of the servers, in words.

use std::time::Duration;

use super::trouble::About;
use crate::model::{CallError, Fault};

/// The only server is in trouble.
pub(super) fn waiting(about: &About, wait: Duration, message: &str) -> String {
    let most = in_words(wait);
    let with = match about {
        About::Server => String::new(),
        About::Model(model) => format!(" with {model}"),
    };
    format!("waiting for the server{with}, at most {most}: {message}")
}

/// One of several servers is in trouble; its calls go elsewhere, or can go nowhere.
pub(super) fn one_of_several(name: &str, moves: bool, wait: Duration, message: &str) -> String {
    let most = in_words(wait);
    let calls = if moves {
        "its calls go to the other servers"
    } else {
        "no other server can take its calls now"
    };
    format!("{name} is in trouble, {calls}; it is waited for at most {most}: {message}")
}

/// Trouble is over that the user heard of so long ago.
pub(super) fn answers_again(who: &str, after: Duration) -> String {
    let seconds = after.as_secs_f64().ceil().max(1.0);
    format!("{who} answers again after {seconds} s")
}

/// Trouble has lasted too long.
pub(super) fn given_up(who: &str, about: &About, wait: Duration, message: &str) -> String {
    let wait = in_words(wait);
    match about {
        About::Server => format!("{who} was in trouble for {wait}: {message}"),
        About::Model(model) => format!("{who} was in trouble with {model} for {wait}: {message}"),
    }
}

/// Why waiting would not help, if it would not.
pub(super) fn hopeless(who: &str, model: &str, error: &CallError) -> Option<String> {
    match error.fault {
        Fault::ModelNotFound => Some(format!(
            "{who} has no model {model}: run `ollama pull {model}`"
        )),
        Fault::AccessDenied => Some(format!(
            "{}; {model} wants a key in OLLAMA_API_KEY, or `ollama signin` on the server",
            error.message
        )),
        Fault::Forbidden => Some(format!(
            "{}; the server's settings do not let {model} be used",
            error.message
        )),
        _ => None,
    }
}

fn in_words(wait: Duration) -> String {
    if wait.as_secs() < 120 {
        format!("{} s", wait.as_secs())
    } else {
        format!("{} minutes", wait.as_secs() / 60)
    }
}
