//! What people said of a debate who read it on a label sheet, in a line.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::text;
use crate::trace::{Label, Trace};

/// `2 people read it without names: Ann is ahead (1), a tie (1)`. Where somebody read it twice, on one sheet or
/// on two, the first time counts.
pub(in crate::artifacts) fn line(trace: &Trace) -> Option<String> {
    let mut first: Vec<_> = trace.preferences().collect();
    first.sort_by_key(|(_, own)| (own.at, own.repeat));
    let mut raters = BTreeSet::new();
    first.retain(|(_, own)| raters.insert(&own.rater));
    let mut kinds = text::gathered(first.iter().map(|(label, _)| (said(trace, label), ())));
    kinds.sort_by_key(|(_, all)| std::cmp::Reverse(all.len()));
    let kinds = kinds.iter().map(|(kind, all)| format!("{kind} ({})", all.len()));
    let people = match first.len() as u64 {
        0 => return None,
        1 => "1 person".to_owned(),
        n => format!("{n} people"),
    };
    Some(format!("{people} read it without names: {}", text::separated(kinds, ", ")))
}

fn said(trace: &Trace, label: &Label) -> String {
    match label.value.as_str() {
        Some("tie") => "a tie".to_owned(),
        Some("both_bad") => "both are bad".to_owned(),
        Some("cannot_say") => "cannot say".to_owned(),
        Some(side) => format!("{} is ahead", trace.name_of(side)),
        None => text::one_line(&Value::to_string(&label.value)),
    }
}
