//! What a debate's calls cost, kind by kind, in words that a reader knows from the debate.

use crate::call_id::{Aside, CallId};
use crate::event::{Call, Use};
use crate::trace::Trace;

/// Kinds of calls, with the word for what they ask for.
const KINDS: [(&str, &str); 20] = [
    ("statement", "statements"),
    ("rebuttal", "rebuttals"),
    ("interjection", "interruptions"),
    ("reply", "answers to interruptions"),
    ("comment", "comments"),
    ("summary", "summaries"),
    ("narrative", "the story"),
    ("answer", "the answer"),
    ("final", "the answer"),
    ("sample", "answers"),
    ("draft", "drafts"),
    ("synthesis", "the synthesis"),
    ("clerk", "notes"),
    ("ballot", "ballots"),
    ("stance", "stances"),
    ("check", "checks of rules"),
    ("fact_check", "checks of facts"),
    ("ruling", "rulings"),
    ("verdict", "verdicts"),
    ("compare", "comparisons of answers"),
];

/// What each kind of call used, in the order in which the debate came to them; by purpose, where a trace lists no calls.
pub(super) fn by_kind(trace: &Trace) -> Vec<(String, Use)> {
    let mut kinds: Vec<(String, Use)> = Vec::new();
    for call in &trace.calls {
        let (kind, used) = (kind(call), Use::from(call));
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, sum)) => sum.add(&used),
            None => kinds.push((kind, used)),
        }
    }
    // Where rebuttals are counted apart, the others are called by what they are.
    if kinds.iter().any(|(kind, _)| kind == "rebuttals") {
        let others = kinds.iter_mut().filter(|(kind, _)| kind == "statements");
        others.for_each(|(kind, _)| *kind = "openings, arguments, closings".to_owned());
    }
    if kinds.is_empty() {
        let purposes = trace.usage.by_purpose.iter();
        kinds.extend(purposes.map(|(purpose, used)| (purpose.clone(), *used)));
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
    known.map_or_else(|| base.replace('_', " "), |(_, word)| (*word).to_owned())
}
