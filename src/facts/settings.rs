//! What a debate was set to: its format's settings, and what its people sample with.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::digest;
use crate::job::participant::role_of;
use crate::trace::Trace;

/// Characters of a setting's value; of a longer one there is the digest.
const MOST_OF_VALUE: usize = 24;
/// What a participant has beside what it samples with.
const NO_SAMPLING: [&str; 3] = ["model", "fallback", "description"];

/// The format's settings, and what its people sample with.
pub(super) fn settings<R>(trace: &Trace<R>) -> BTreeMap<String, String> {
    let own = trace.plan.settings.iter().map(|(name, value)| (name.clone(), worded(value)));
    own.chain(sampling(trace)).collect()
}

/// What contestants sample with, and the temperature of judges: of several who differ, all values.
fn sampling<R>(trace: &Trace<R>) -> impl Iterator<Item = (String, String)> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut add = |name: &str, value: &Value| {
        all.entry(name.to_owned()).or_default().insert(worded(value));
    };
    for person in &trace.participants {
        let own = &person.sampling;
        if person.contestant {
            let others = own.iter().filter(|(name, _)| !NO_SAMPLING.contains(&&***name));
            others.for_each(|(name, value)| add(name, value));
        } else if role_of(&person.id) == "judge" {
            let own = own.get("judging_temperature").or(own.get("temperature"));
            own.into_iter().for_each(|value| add("judges.temperature", value));
        }
    }
    let joined = |values: BTreeSet<String>| values.into_iter().collect::<Vec<_>>().join("/");
    all.into_iter().map(move |(name, values)| (name, joined(values)))
}

/// A setting's value in short.
fn worded(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let is_short = text.len() <= MOST_OF_VALUE && !text.contains([';', '#']);
    if is_short { text } else { format!("#{}", digest::brief(&digest::of_json(value))) }
}
