//! What happened on the way, as `summary.md` shows it: stances, interruptions, checked claims, replies that were not taken.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::event::{FactCheck, Interjection, InterjectionCause, Rejection};
use crate::trace::Trace;

/// Everyone who took a stance, in the order in which they take part.
pub(super) fn stance_names(trace: &Trace) -> Vec<&str> {
    holders(trace).map(|(_, name)| name).collect()
}

fn holders(trace: &Trace) -> impl Iterator<Item = (&str, &str)> {
    let holds = |id: &str| trace.stances.iter().any(|stance| stance.by.id == id);
    trace
        .participants
        .iter()
        .filter(move |p| holds(&p.id))
        .map(|p| (p.id.as_str(), p.name.as_str()))
}

/// The stances by round; in a round in which somebody was asked twice, the later one.
pub(super) fn stances(trace: &Trace) -> Vec<Value> {
    let rounds: BTreeSet<u32> = trace.stances.iter().map(|stance| stance.round).collect();
    let of = |round: u32, id: &str| {
        let mut taken = trace.stances.iter();
        let last = taken.rfind(|s| s.round == round && s.by.id == id);
        last.and_then(|stance| stance.stance.clone())
    };
    let row = |round: u32| {
        let stances: Vec<Option<String>> = holders(trace).map(|(id, _)| of(round, id)).collect();
        json!({"round": round, "stances": stances})
    };
    rounds.into_iter().map(row).collect()
}

pub(super) fn interjection(trace: &Trace, i: &Interjection) -> Value {
    let about = trace.statements.iter().find(|s| s.n == i.about);
    let cause = match i.cause {
        InterjectionCause::Rule => "a broken rule",
        InterjectionCause::Fact => "a false claim",
    };
    json!({
        "round": about.map_or(0, |s| s.round),
        "by": trace.name_of(&i.by.id),
        "speaker": trace.name_of(&i.speaker),
        "cause": cause,
        "point": i.point,
    })
}

pub(super) fn claims(trace: &Trace, check: &FactCheck) -> Vec<Value> {
    let said = trace.statements.iter().find(|s| s.n == check.about);
    let speaker = said.map_or("", |s| trace.name_of(&s.by));
    let claim = |c: &crate::event::Claim| json!({"speaker": speaker, "claim": c.claim, "verdict": c.verdict, "reason": c.reason});
    check.claims.iter().map(claim).collect()
}

pub(super) fn rejection(trace: &Trace, r: &Rejection) -> Value {
    json!({"round": r.round, "by": trace.name_of(&r.by), "reasons": r.reasons.join("; ")})
}
