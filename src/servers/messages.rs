//! What the user is told of the servers, in words.

use std::time::Duration;

use super::breaker::About;
use crate::model::{CallError, Fault};

/// How long trouble is waited for, and the flag that says so.
pub(super) struct Limit {
    pub(super) time: Option<Duration>,
    pub(super) flag: &'static str,
}

impl Limit {
    fn most(&self) -> String {
        match self.time {
            None => format!("without limit ({} never)", self.flag),
            Some(_) => format!("at most {}", self.time()),
        }
    }

    fn time(&self) -> String {
        let time = humantime::format_duration(self.time.unwrap_or(Duration::MAX));
        format!("{time} ({})", self.flag)
    }
}

/// The only server is in trouble.
pub(super) fn waiting(about: &About, limit: &Limit, message: &str) -> String {
    let most = limit.most();
    format!("waiting for the server{}, {most}: {message}", with(about))
}

/// One of several servers is in trouble; its calls go elsewhere, or can go nowhere.
pub(super) fn one_of_several(
    name: &str,
    about: &About,
    moves: bool,
    limit: &Limit,
    message: &str,
) -> String {
    let (with, most) = (with(about), limit.most());
    let calls = if moves {
        "its calls go to the other servers"
    } else {
        "no other server can take its calls now"
    };
    format!("{name} is in trouble{with}, {calls}; it is waited for {most}: {message}")
}

/// Trouble is over that the user heard of so long ago.
pub(super) fn answers_again(who: &str, after: Duration) -> String {
    let seconds = after.as_secs_f64().ceil().max(1.0);
    format!("{who} answers again after {seconds} s")
}

/// Trouble has lasted too long.
pub(super) fn given_up(who: &str, about: &About, limit: &Limit, message: &str) -> String {
    let (with, time) = (with(about), limit.time());
    format!("{who} was in trouble{with} for {time}: {message}")
}

/// This machine, and no server, is in trouble.
pub(super) fn short_of_files(message: &str) -> String {
    format!(
        "{message}; calls wait for that: raise the limit (`ulimit -n`), or lower --max-open or --at-once"
    )
}

/// A server lacks something that debates can do without.
pub(super) fn goes_without(message: &str) -> String {
    format!("{message}; debates go on without it")
}

fn with(about: &About) -> String {
    match about {
        About::Absence | About::Refusal => String::new(),
        About::Model(model) => format!(" with {model}"),
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
