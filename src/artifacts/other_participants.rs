//! Who took part beside those who argued and judged, with their models.

use super::{arguments, known_answer, statement_place, who_argued};
use crate::call_id::{Aside, CallId};
use crate::text;
use crate::trace::{Trace, TraceParticipant};

/// The id of who takes the notes.
const CLERK: &str = "clerk";

/// `Answer by Chair (qwen3); notes by Clerk (gemma3)`; nothing where nobody else did anything.
pub(super) fn line(trace: &Trace) -> Option<String> {
    let others = trace
        .participants
        .iter()
        .filter(|p| !p.contestant && !judged(trace, p) && who_argued::was_asked(trace, p));
    let (clerk, others): (Vec<&TraceParticipant>, Vec<_>) = others.partition(|p| p.id == CLERK);
    let text = statement_place::answer(trace);
    let wrote = |p: &&TraceParticipant| text.is_some_and(|s| s.by == p.id);
    let (author, others): (Vec<&TraceParticipant>, Vec<_>) = others.into_iter().partition(wrote);
    let answered = |p: &&TraceParticipant| known_answer::by(trace).contains(&p.id.as_str());
    let (answering, others): (Vec<&TraceParticipant>, Vec<_>) =
        others.into_iter().partition(answered);
    let named = |words: &str, who: &[&TraceParticipant]| {
        let all: Vec<String> = who.iter().map(|p| who_argued::with_model(p)).collect();
        (!all.is_empty()).then(|| format!("{words} {}", all.join(", ")))
    };
    let all = [
        named("answer by", &author),
        named("answered by", &answering),
        named("also:", &others),
        clerk_did(trace).and_then(|did| named(did, &clerk)),
    ];
    let line =
        text::one_line(&text::capitalised(&text::separated(all.into_iter().flatten(), "; ")));
    (!line.is_empty()).then_some(line)
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
