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

/// Tokens, with the calls or readings that they are of if the server left out the counts of some.
pub(super) fn counted(tokens: u64, uncounted: u64, (all, noun): (u64, &str)) -> String {
    match all.saturating_sub(uncounted) {
        _ if uncounted == 0 => tokens.to_string(),
        0 => NOT_REPORTED.to_owned(),
        of => format!("{tokens} (of {})", text::count(of, noun)),
    }
}

/// `300 in prompts, 40 in replies`: the tokens of failed attempts, the counts of so many of which nobody gave.
pub(super) fn of_failed(prompt: u64, reply: u64, uncounted: u64) -> String {
    let known = [(prompt, "prompts"), (reply, "replies")].into_iter().filter(|it| it.0 > 0);
    let told = known.map(|(tokens, within)| format!("{} in {within}", text::grouped(tokens)));
    let told = text::if_any(text::separated(told, ", "));
    let lacking = ", without attempts whose tokens nobody counted";
    let lacking = if uncounted > 0 { lacking } else { "" };
    told.map_or_else(|| "unknown".to_owned(), |told| told + lacking)
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

    #[test]
    fn b3_tokens_that_nobody_counted_are_not_told_as_zero() {
        assert_eq!(of_failed(300, 1040, 0), "300 in prompts, 1,040 in replies");
        let lacking = "40 in replies, without attempts whose tokens nobody counted";
        assert_eq!(of_failed(0, 40, 1), lacking);
        assert_eq!(of_failed(0, 0, 3), "unknown");
        assert_eq!(counted(523, 1, (2, "reading")), "523 (of 1 reading)");
    }
}
