//! Which model gave the reply that a call ended with, where that is no statement: of these, each message says it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::call_id::CallId;
use crate::event::{Call, IncidentKind, REPLY};
use crate::text;
use crate::trace::{Trace, TraceParticipant};

/// The purposes whose replies are JSON and no statements.
pub(super) const SHAPED: [&str; 2] = ["judge", "clerk"];

/// The models behind the clerk's notes, in the order in which they noted.
pub(super) fn noted(trace: &Trace) -> Vec<&str> {
    let is_notes = |call: &&Call| {
        let id = CallId::parse(&call.call);
        id.is_some_and(|id| id.kind == "clerk" && id.by.is_none())
    };
    models(used(trace).into_iter().filter(is_notes))
}

/// A sentence on each participant for whom a fallback gave such replies: `2 replies of Clerk came from a fallback model
/// (mistral).`
pub(super) fn by_fallbacks(trace: &Trace) -> Vec<String> {
    let used = used(trace);
    let told = |p: &TraceParticipant| {
        let own = p.sampling.get("model").and_then(Value::as_str)?;
        let is_fallback = |call: &&Call| call.by.as_ref() == Some(&p.id) && call.model != own;
        let given: Vec<&Call> = used.iter().copied().filter(is_fallback).collect();
        let replies = replies(trace, given.iter().map(|_| &p.id))?;
        let models = text::joined(&models(given.into_iter()), "and");
        let line = format!("{replies} came from a fallback model ({models}).");
        Some(text::one_line(&line))
    };
    trace.participants.iter().filter_map(told).collect()
}

/// `2 replies of Ann and Ben`, by the ids of those who gave them; nothing where nobody did.
pub(super) fn replies(trace: &Trace, by: impl Iterator<Item = impl AsRef<str>>) -> Option<String> {
    let by: Vec<_> = by.collect();
    let names = text::distinct(by.iter().map(|id| trace.name_of(id.as_ref())));
    let names = text::one_line(&text::joined(&names, "and"));
    match by.len() {
        0 => None,
        1 => Some(format!("1 reply of {names}")),
        n => Some(format!("{n} replies of {names}")),
    }
}

/// The attempt that each such call ended with, where its reply could be used.
fn used(trace: &Trace) -> Vec<&Call> {
    let incidents = trace.incidents.iter();
    let invalid: BTreeSet<&str> = incidents
        .filter(|i| i.kind == IncidentKind::Invalid)
        .filter_map(|i| i.call.as_deref())
        .collect();
    let attempts = trace.calls.iter();
    let last: BTreeMap<&str, u32> = attempts.map(|c| (c.call.as_str(), c.attempt)).collect();
    let is_used = |call: &&Call| {
        let is_shaped = SHAPED.contains(&call.purpose.as_str());
        let is_last = last.get(call.call.as_str()) == Some(&call.attempt);
        is_shaped && is_last && call.outcome == REPLY && !invalid.contains(call.call.as_str())
    };
    trace.calls.iter().filter(is_used).collect()
}

fn models<'t>(calls: impl Iterator<Item = &'t Call>) -> Vec<&'t str> {
    text::distinct(calls.map(|call| call.model.as_str()))
}
