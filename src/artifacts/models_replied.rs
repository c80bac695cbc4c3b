//! Which model gave the reply that a call ended with, where that is no statement: of these, each message says it.

use std::collections::{BTreeMap, BTreeSet};

use crate::call_id::CallId;
use crate::event::{Call, IncidentKind, Purpose, REPLY};
use crate::text;
use crate::trace::Trace;

/// Whether the replies to such a call are JSON and no statements.
pub(super) fn is_shaped(call: &Call) -> bool {
    matches!(call.purpose(), Some(Purpose::Judge | Purpose::Clerk))
}

/// The models behind the clerk's notes, in the order in which they noted.
pub(super) fn noted(trace: &Trace) -> Vec<&str> {
    let is_notes = |call: &&Call| {
        let id = CallId::parse(&call.call);
        id.is_some_and(|id| id.kind == "clerk" && id.by.is_none())
    };
    text::distinct(used(trace).into_iter().filter(is_notes).map(|call| call.model.as_str()))
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
        let is_last = last.get(call.call.as_str()) == Some(&call.attempt);
        is_shaped(call) && is_last && call.outcome == REPLY && !invalid.contains(call.call.as_str())
    };
    trace.calls.iter().filter(is_used).collect()
}
