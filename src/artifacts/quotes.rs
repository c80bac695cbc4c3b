//! Whose words announcements hold.

use super::summary::story;
use crate::event::{Origin, Results, RoundWinner, Statement};
use crate::text;
use crate::trace::Trace;

/// Whose notes or ruling an announcement of ours holds whole, with their models: the clerk's, or those of whoever announces.
pub(super) fn quoted(trace: &Trace, s: &Statement) -> Option<String> {
    if s.origin != Origin::Template {
        return None;
    }
    let mut noted = trace.notes.iter().filter(|notes| notes.by_clerk);
    let clerk = noted.any(|notes| s.text.contains(&notes.summary)).then_some("clerk");
    let rulings = Results::of(trace.outcome.as_ref()).round_winners;
    let is_ruled = |it: &RoundWinner| !it.reason.is_empty() && s.text.contains(&it.reason);
    let ruling = rulings.iter().any(is_ruled).then_some(s.by.as_str());
    let all = clerk.into_iter().chain(ruling);
    text::if_any(text::joined(all.map(|id| story::with_model(trace, id)), "and"))
}
