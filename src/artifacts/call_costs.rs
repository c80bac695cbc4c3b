//! What a debate's calls cost, kind by kind, in words that a reader knows from the debate.

use crate::call_id::{Aside, CallId};
use crate::event::{Call, REPLY, Use};
use crate::text;
use crate::trace::Trace;

/// Kinds of calls that do not ask for several of what they are called, with the words for what they ask for.
const KINDS: [(&str, &str); 12] = [
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
];

/// What calls used, and of how many the server left out a count.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    pub(super) used: Use,
    /// Replies without a count of the prompt's tokens.
    pub(super) prompts_uncounted: u64,
    /// Replies without a count of their tokens.
    pub(super) replies_uncounted: u64,
}

impl Cost {
    fn of<'c>(calls: impl IntoIterator<Item = &'c Call>) -> Self {
        let mut cost = Self::default();
        for call in calls {
            cost.used.add(&Use::from(call));
            let is_reply = call.outcome == REPLY;
            cost.prompts_uncounted += u64::from(is_reply && call.prompt_tokens.is_none());
            cost.replies_uncounted += u64::from(call.is_uncounted());
        }
        cost
    }
}

/// What the calls to a model used; where a trace lists none, `used` of its model.
pub(super) fn of_model(trace: &Trace, model: &str, used: Use) -> Cost {
    Cost { used, ..Cost::of(trace.calls.iter().filter(|call| call.model == model)) }
}

/// What each kind of call used, in the order in which the debate came to them.
pub(super) fn by_kind(trace: &Trace) -> Vec<(String, Cost)> {
    let kinds = text::gathered(trace.calls.iter().map(|call| (kind(call), call))).into_iter();
    let mut kinds: Vec<_> = kinds.map(|(kind, calls)| (kind, Cost::of(calls))).collect();
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
        return call.purpose.clone();
    };
    match id.aside() {
        Some(Aside::Refusal) => return "checks for a refusal".to_owned(),
        Some(Aside::Doubt) => return "checks of a possible fault".to_owned(),
        None => {}
    }
    let base = id.kind.split('-').next().unwrap_or_default();
    let known = KINDS.iter().find(|(kind, _)| *kind == base);
    known.map_or_else(|| format!("{}s", base.replace('_', " ")), |(_, word)| (*word).to_owned())
}
