//! What a debate's calls cost, kind by kind, in words that a reader knows from the debate.

use crate::call_id::{Aside, CallId};
use crate::event::{Call, CallSums, Use};
use crate::text;
use crate::trace::Trace;

/// Kinds of calls that do not ask for several of what they are called, with the words for what they ask for.
const KINDS: [(&str, &str); 13] = [
    ("interjection", "interruptions"),
    ("reply", "answers to interruptions"),
    ("summary", "summaries"),
    ("narrative", "the story"),
    ("answer", "the answer"),
    ("final", "the answer"),
    ("sample", "answers"),
    ("synthesis", "the synthesis"),
    ("clerk", "notes"),
    ("check", "checks of rules"),
    ("fact_check", "checks of facts"),
    ("compare", "comparisons of answers"),
    ("embed", "embeddings"),
];

/// What stands for a count that no server gave.
const NOT_REPORTED: &str = "not reported";

/// Tokens, with the calls that they are of if the server left out the counts of some.
pub(super) fn counted(tokens: u64, uncounted: u64, calls: u64) -> String {
    match calls.saturating_sub(uncounted) {
        _ if uncounted == 0 => tokens.to_string(),
        0 => NOT_REPORTED.to_owned(),
        of => format!("{tokens} (of {})", text::count(of, "call")),
    }
}

/// What the calls to a model used; where a trace lists none, `used` of its model.
pub(super) fn of_model(trace: &Trace, model: &str, used: Use) -> CallSums {
    CallSums { used, ..CallSums::of(trace.calls.iter().filter(|call| call.model == model)) }
}

/// What each kind of call used, in the order in which the debate came to them.
pub(super) fn by_kind(trace: &Trace) -> Vec<(String, CallSums)> {
    let kinds = text::gathered(trace.calls.iter().map(|call| (kind(call), call))).into_iter();
    let mut kinds: Vec<_> = kinds.map(|(kind, calls)| (kind, CallSums::of(calls))).collect();
    // Where rebuttals are counted apart, the others are called by what they are.
    if kinds.iter().any(|(kind, _)| kind == "rebuttals") {
        let others = kinds.iter_mut().filter(|(kind, _)| kind == "statements");
        others.for_each(|(kind, _)| *kind = "openings, arguments, closings".to_owned());
    }
    kinds
}

/// What a call asks for. One that is asked again, or in the reverse order, asks for the same.
fn kind(call: &Call) -> String {
    let Some(id) = CallId::parse(&call.call) else {
        return known(&call.purpose).unwrap_or(&call.purpose).to_owned();
    };
    match id.aside() {
        Some(Aside::Refusal) => return "checks for a refusal".to_owned(),
        Some(Aside::Doubt) => return "checks of a possible fault".to_owned(),
        None => {}
    }
    let base = id.kind.split('-').next().unwrap_or_default();
    known(base).map_or_else(|| format!("{}s", base.replace('_', " ")), str::to_owned)
}

fn known(kind: &str) -> Option<&'static str> {
    KINDS.iter().find(|(known, _)| *known == kind).map(|(_, words)| *words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a4_every_kind_of_call_is_called_by_what_it_asks_for() {
        let kind = |call: &str, purpose: &str| {
            let (call, purpose) = (call.to_owned(), purpose.to_owned());
            kind(&Call { call, purpose, ..Call::default() })
        };
        assert_eq!(kind("retrieval", "embed"), "embeddings");
        assert_eq!(kind("round-1/clerk", "clerk"), "notes");
        assert_eq!(kind("round-1/ballot/position_y_2", "judge"), "ballots");
    }
}
