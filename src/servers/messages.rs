//! The wording of messages to the user about the servers.

use std::time::Duration;

use super::breaker::{LASTING, Scope, lengthened};
use crate::digest::brief;
use crate::model::{CallError, Fault};

/// How long a failure is waited out, and the flag that sets the time.
pub(super) struct Limit {
    pub(super) time: Option<Duration>,
    pub(super) flag: &'static str,
    /// A wait that the server names.
    pub(super) named: Option<Duration>,
}

impl Limit {
    /// The limit where a server asked to be left alone for so long.
    pub(super) fn beyond(&self, asked: Duration) -> Self {
        let flag = if asked.is_zero() { self.flag } else { "Retry-After" };
        Self { time: self.time.map(|limit| lengthened(limit, asked)), flag, named: None }
    }

    /// When the wait ends: `giving up after 10m (--model-timeout)`.
    fn end(&self) -> String {
        if let Some(wait) = self.named {
            let most = self.beyond(wait);
            let ends = most.time.is_some_and(|most| most < wait).then(|| most.end());
            let asks = format!("it asks to wait {}", humantime::format_duration(wait));
            return text::separated([Some(asks), ends].into_iter().flatten(), ", ");
        }
        match self.time {
            None => format!("without limit ({} never)", self.flag),
            Some(_) => format!("giving up after {}", self.time()),
        }
    }

    fn time(&self) -> String {
        let time = humantime::format_duration(self.time.unwrap_or(Duration::MAX));
        format!("{time} ({})", self.flag)
    }
}

/// The only server is failing, or a server does not tell of a model, so debates that name it can't begin.
pub(super) fn waiting(what: &str, limit: &Limit, message: &str) -> String {
    format!("waiting for {what}: {message}; {}", limit.end())
}

/// One of several servers is failing; its calls go elsewhere, or can go nowhere.
pub(super) fn one_of_several(
    name: &str,
    what: &str,
    moves: bool,
    limit: &Limit,
    message: &str,
) -> String {
    let calls = if moves {
        "sending its calls to the other servers"
    } else {
        "no other server can take its calls now"
    };
    let mark = if limit.named.is_some() { ';' } else { ',' };
    format!("{name} is failing{what}: {message}; {calls}{mark} {}", limit.end())
}

/// A failure that was reported `after` this long is over.
pub(super) fn answers_again(who: &str, (after, scope): &(Duration, Scope)) -> String {
    let seconds = after.as_secs_f64().ceil().max(1.0);
    let with = scope.model().map(|model| format!(" ({model})")).unwrap_or_default();
    let is_short = *after < LASTING && *scope != Scope::Absence;
    let again = "; short failures are not told again within 10 minutes";
    format!("{who} answers again after {seconds} s{with}{}", if is_short { again } else { "" })
}

/// The server was waited for long enough.
pub(super) fn given_up(who: &str, scope: &Scope, limit: &Limit, message: &str) -> String {
    let (with, time) = (with(scope), limit.time());
    format!("gave up on {who}{with} after {time}: {message}")
}

/// A server has not described a model in this time.
pub(super) fn no_answer_within(limit: Duration) -> String {
    format!("no answer within {} s", limit.as_secs())
}

/// The description of a model was waited for long enough.
pub(super) fn no_card(model: &str, limit: &Limit, message: &str) -> String {
    format!("no server described {model} within {}: {message}", limit.time())
}

/// The failure is this machine's, not a server's.
pub(super) fn short_of_files(message: &str) -> String {
    format!(
        "{message}; waiting: raise the limit (`ulimit -n`), or lower --max-debates or --concurrency"
    )
}

/// A server does not offer something that debates can do without.
pub(super) fn goes_without(message: &str) -> String {
    format!("{message}; debates continue without it")
}

/// A server has other weights for a model than the debate began with.
pub(super) fn other_weights(who: &str, model: &str, theirs: &str, wanted: Option<&str>) -> String {
    let (theirs, wanted) = (brief(theirs), brief(wanted.unwrap_or_default()));
    format!(
        "{who} has other weights for {model} (digest {theirs}) than this debate began with (digest {wanted}): restore them, or run --restart --only ID"
    )
}

/// What is failing, as it follows a server's name: ` with llama3`.
pub(super) fn with(scope: &Scope) -> String {
    scope.model().map(|model| format!(" with {model}")).unwrap_or_default()
}

/// That none of so many servers has these models, if there are any: the user was told before what to do.
pub(super) fn lacks(servers: usize, models: &[&str]) -> Option<String> {
    let who = if servers == 1 { "the server has no" } else { "no server has the" };
    let noun = if models.len() == 1 { "model" } else { "models" };
    (!models.is_empty()).then(|| format!("{who} {noun} {}", text::joined(models, "and")))
}

/// That a server has lost several models which it had, so that pulling one does not help.
pub(super) fn lost(who: &str, models: &std::collections::BTreeSet<String>) -> String {
    format!("{who} has no models {} any more: restore them there", text::joined(models, "and"))
}

/// What the user can do about that.
pub(super) fn restore<'m>(who: &str, models: impl Iterator<Item = &'m String>) -> String {
    format!("restore models {} on {who}", text::joined(models, "and"))
}

/// A failure of the model itself, with what the user can do about it.
pub(super) fn with_remedy(who: &str, model: &str, error: CallError) -> CallError {
    let hopeless = hopeless(who, model, &error);
    CallError::new(error.fault, hopeless.unwrap_or(error.message))
}

/// Why waiting would not help, and what would; `None` if waiting may help. What the server said comes last: it may be long.
pub(super) fn hopeless(who: &str, model: &str, error: &CallError) -> Option<String> {
    let remedy = error.remedy.as_deref();
    match error.fault {
        Fault::ModelNotFound => {
            let remedy = remedy.map(|remedy| format!(": {remedy}")).unwrap_or_default();
            Some(format!("{who} has no model {model}{remedy}"))
        }
        Fault::AccessDenied | Fault::Forbidden => {
            let said = error.message.replacen("the server", "it", 1);
            let told = remedy.map_or_else(|| said.clone(), |remedy| format!("{remedy} ({said})"));
            Some(format!("{who} refuses {model}: {told}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j10c_a_refusal_names_server_and_model_and_what_helps_before_what_was_said() {
        let told = |said: &str, remedy: Option<&str>| {
            let remedy = remedy.map(str::to_owned);
            let error = CallError { remedy, ..CallError::new(Fault::Forbidden, said) };
            hopeless("http://gpu1", "m", &error).unwrap()
        };
        let said = "the server answered 402: payment required";
        assert_eq!(told(said, None), "http://gpu1 refuses m: it answered 402: payment required");
        let long = format!("the server answered 401: sign in at https://{}", "x".repeat(200));
        let first = "http://gpu1 refuses m: set a key (it answered 401: sign in at https://xxx";
        assert!(told(&long, Some("set a key")).starts_with(first));
    }
}
