//! What became of positions that their own sides narrowed or gave up, as the clerk noted it.

use super::arguments::endings::words;
use super::statement_place::number;
use crate::flow::Yielded;
use crate::panel::candidates::side_of;
use crate::trace::Trace;

/// The last such move of a side.
pub(super) fn of_side<'t>(trace: &'t Trace, side: &str) -> Option<Yielded<'t>> {
    trace.flow.on_positions().into_iter().rfind(|it| side_of(trace, it.by) == side)
}

/// The last such move of one of these.
pub(super) fn of<'t>(trace: &'t Trace, ids: &[&str]) -> Option<Yielded<'t>> {
    trace.flow.on_positions().into_iter().rfind(|it| ids.contains(&it.by))
}

/// What one of these did to the position that it argues for, the statement's number, and what is left: `as the clerk noted it, narrowed
/// by Ann`, `003`, ` to: Not at once`.
pub(super) fn became(trace: &Trace, ids: &[&str]) -> Option<[String; 3]> {
    let it = of(trace, ids)?;
    let by = (ids.len() > 1).then(|| format!(" by {}", trace.name_of(it.by)));
    let did = format!("as the clerk noted it, {}{}", it.did(), by.unwrap_or_default());
    let to = it.left.map_or_else(String::new, |left| format!(" to: {}", words(&left.text)));
    Some([did, number(it.statement), to])
}
