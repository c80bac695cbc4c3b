//! Who took part beside those who argued and judged, with their models.

use std::collections::BTreeMap;

use super::{arguments, known_answer, statement_place, who_argued};
use crate::call_id::{Aside, CallId};
use crate::job::cast::CLERK_ID;
use crate::text;
use crate::trace::{Trace, TraceParticipant};

/// `Answer by Chair (qwen3); notes by Clerk (gemma3)`; nothing where nobody else did anything.
pub(super) fn line(trace: &Trace) -> Option<String> {
    let mut all: BTreeMap<(u8, &str), Vec<String>> = BTreeMap::new();
    for p in trace.participants.iter().filter(|p| !p.contestant && !judged(trace, p)) {
        if let Some(did) = did(trace, p).filter(|_| who_argued::was_asked(trace, p)) {
            all.entry(did).or_default().push(who_argued::with_model(p));
        }
    }
    let all = all.iter().map(|((_, did), who)| format!("{did} {}", who.join(", ")));
    text::if_any(text::one_line(&text::capitalised(&text::separated(all, "; "))))
}

/// What somebody did, with its place in the line.
fn did(trace: &Trace, p: &TraceParticipant) -> Option<(u8, &'static str)> {
    Some(match statement_place::answer(trace) {
        _ if p.id == CLERK_ID => (4, clerk_did(trace)?),
        Some(answer) if answer.by == p.id => (1, "answer by"),
        _ if known_answer::by(trace).contains(&p.id.as_str()) => (2, "answered by"),
        _ => (3, "also:"),
    })
}

/// What the clerk did; in a debate without notes, it is asked for little or nothing.
fn clerk_did(trace: &Trace) -> Option<&'static str> {
    let asides = trace.calls.iter().filter_map(|call| CallId::parse(&call.call)?.aside());
    if arguments::by_clerk(trace) {
        Some("notes by")
    } else {
        asides.into_iter().any(|aside| aside == Aside::Refusal).then_some("refusals checked by")
    }
}

fn judged(trace: &Trace, p: &TraceParticipant) -> bool {
    let verdicts = trace.own_verdicts().flat_map(|verdict| &verdict.judges);
    let mut judges = verdicts.map(|judge| &judge.judge.id);
    judges.any(|id| *id == p.id) || trace.ballots.iter().any(|ballot| ballot.by.id == p.id)
}
