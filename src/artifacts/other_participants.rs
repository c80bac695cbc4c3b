//! Who took part beside those who argued and judged, with their models, and whose models these are too.

use super::{arguments, known_answer, statement_place, who_argued};
use crate::call_id::{Aside, CallId};
use crate::job::models::model_name::same_model;
use crate::text;
use crate::trace::{Trace, TraceParticipant};

/// The id of who takes the notes.
const CLERK: &str = "clerk";
/// Names that are given of those on the same model.
const NAMED: usize = 3;

/// `Answer by Chair (qwen3); notes by Clerk (gemma3, also the model of Ann)`; nothing where nobody else did
/// anything.
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
        let all: Vec<String> = who.iter().map(|p| one(trace, p)).collect();
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

fn one(trace: &Trace, p: &TraceParticipant) -> String {
    let own = who_argued::models(p);
    let heard = |other: &&TraceParticipant| other.contestant || judged(trace, other);
    let heard: Vec<&TraceParticipant> = trace.participants.iter().filter(heard).collect();
    let is_own = |model: &&str| own.iter().any(|own| same_model(own, model));
    let is_same = |other: &&&TraceParticipant| who_argued::models(other).iter().any(is_own);
    let same: Vec<&str> = heard.iter().filter(is_same).map(|p| p.name.as_str()).collect();
    // Where one model plays everybody, that needs no word.
    let like = match same.len() {
        0 => String::new(),
        n if n == heard.len() => String::new(),
        n if n > NAMED => format!(", also the model of {n} of those above"),
        _ => format!(", also the model of {}", text::joined(&same, "and")),
    };
    format!("{} ({}{like})", p.name, own.join(", "))
}

fn judged(trace: &Trace, p: &TraceParticipant) -> bool {
    let verdicts = trace.own_verdicts().flat_map(|verdict| &verdict.judges);
    let mut judges = verdicts.map(|judge| &judge.judge.id);
    judges.any(|id| *id == p.id) || trace.ballots.iter().any(|ballot| ballot.by.id == p.id)
}
