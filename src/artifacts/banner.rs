//! What a reader must know of a debate before anything else: that it was a rehearsal, that it fell short, that it failed.

use crate::call_id::{CallId, CallStage};
use crate::event::Status;
use crate::text::overlap::is_stop_word;
use crate::text::{self, mentions};
use crate::trace::Trace;

/// What follows for a reader.
pub(super) const LABELS: &str = "Model names are labels; the result says nothing about models.";

/// Where a rehearsal's replies come from, behind a colon: `: every reply is from duel.script.txt`; nothing without a script.
pub(super) fn scripted(trace: &Trace) -> String {
    match (trace.script.as_deref().map(text::one_line), trace.made_up) {
        (None, _) => String::new(),
        (Some(script), Some(0)) => format!(": every reply is from {script}"),
        (Some(script), lacks) => {
            let lacks = lacks.map_or_else(|| "any".to_owned(), |n| n.to_string());
            let were = if lacks == "1" { "was" } else { "were" };
            format!(": the replies are from {script}; {lacks} that it lacks {were} made up")
        }
    }
}

/// The notices as a word and what it means, such as `Rehearsal` and `No model was asked.`
pub(super) fn notices(trace: &Trace) -> Vec<(&'static str, String)> {
    let rehearsal = trace.rehearsal.then(|| {
        let replies = match scripted(trace) {
            none if none.is_empty() => ": the built-in participant made up every reply".to_owned(),
            replies => replies,
        };
        let line = format!("No model was asked{replies}. {LABELS}");
        ("Rehearsal", line)
    });
    let cause = sentence(trace, &cause(trace).unwrap_or_default());
    let short = match trace.status {
        Status::Done => None,
        Status::Degraded => Some(("Degraded", cause)),
        Status::Failed => Some(("Failed", cause)),
    };
    rehearsal.into_iter().chain(short).collect()
}

/// Why a debate is not done, with rounds for the names of calls, which only metadata explains.
pub(super) fn cause(trace: &Trace) -> Option<String> {
    let mut parts = trace.cause.as_deref()?.split(" (");
    let first = parts.next()?.to_owned();
    let others = parts.map(|part| {
        let named = part.split_once(')');
        let call = named.and_then(|(name, rest)| Some((CallId::parse(name)?.stage, rest)));
        match call {
            Some((CallStage::Round(round), rest)) => format!(" in round {round}{rest}"),
            Some((_, rest)) => rest.to_owned(),
            None => format!(" ({part}"),
        }
    });
    Some(first + &others.collect::<String>())
}

/// A cause or the message of an incident as a sentence. A name such as `a` is rather a word in it.
pub(super) fn sentence(trace: &Trace, words: &str) -> String {
    let names = names(trace).filter(|name| !is_stop_word(name));
    text::sentence(&with_capital(&plain(words), names))
}

/// Words of ours without marks of code, which would be shown.
pub(super) fn plain(words: &str) -> String {
    words.replace('`', "'")
}

/// Words of ours about participants at the beginning of a sentence.
pub(super) fn begun(trace: &Trace, words: &str) -> String {
    with_capital(words, names(trace))
}

fn names(trace: &Trace) -> impl Iterator<Item = &String> {
    let models = trace.models.iter().map(|model| &model.name);
    models.chain(trace.participants.iter().map(|p| &p.name))
}

/// Words with a capital, unless they begin with a name, which stays as it is written.
fn with_capital<'t>(words: &str, mut names: impl Iterator<Item = &'t String>) -> String {
    let begins = |name: &String| {
        words.starts_with(name.as_str()) && mentions::after_name(words, name).is_some()
    };
    if names.any(begins) { words.to_owned() } else { text::capitalised(words) }
}
