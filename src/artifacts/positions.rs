//! What became of positions that their own sides narrowed or gave up, as the clerk noted it.

use serde::Serialize;

use super::arguments::endings::{quoted, words};
use super::statement_place::number;
use crate::event::Statement;
use crate::flow::Yielded;
use crate::panel::candidates::side_of;
use crate::text;
use crate::trace::Trace;

/// The last such move of a side.
pub(super) fn of_side<'t>(trace: &'t Trace, side: &str) -> Option<Yielded<'t>> {
    trace.flow.on_positions().into_iter().rfind(|it| side_of(trace, it.by) == side)
}

/// The last such move that stood when one of these last spoke, by whoever of its side shares its position: what came later was
/// not theirs to argue for.
pub(super) fn of<'t>(trace: &'t Trace, ids: &[&str]) -> Option<Yielded<'t>> {
    let is_own = |s: &&Statement| ids.contains(&s.by.as_str()) && trace.is_own_view(s);
    let moves = trace.statements.iter().filter(is_own).filter_map(|s| yielded_in(trace, s));
    moves.max_by_key(|it| it.statement)
}

/// What those of a statement's side who share its speaker's position had done to that by then.
fn yielded_in<'t>(trace: &'t Trace, s: &Statement) -> Option<Yielded<'t>> {
    trace.flow.on_position_of(|by| argue_alike(trace, by, &s.by), s.n)
}

/// Whether two argue for one position: on the same side, unless members of a team have positions of their own.
pub(in crate::artifacts) fn argue_alike(trace: &Trace, one: &str, other: &str) -> bool {
    let stand = |by: &str| trace.participant(by).map(|it| (side_of(trace, &it.id), &it.position));
    stand(one) == stand(other)
}

/// The position for which a statement speaks, and how those of its side who share it had narrowed it by then; nothing of one given up,
/// or of who spoke for another's.
pub(super) fn held_in(trace: &Trace, s: &Statement) -> Option<(String, Option<Became>)> {
    let own = trace.participant(&s.by).filter(|_| trace.is_own_view(s))?;
    let became = yielded_in(trace, s).map(|it| noted(trace, &it, &[&s.by]));
    let is_held = became.as_ref().is_none_or(|it| it.to.is_some());
    let position = text::if_any(own.position.clone()).filter(|_| is_held)?;
    Some((position, became))
}

/// What became of a position: `given up`, `narrowed to “Not at once” (A3)`.
pub(super) fn in_words(it: &Yielded<'_>) -> String {
    let to = it.left.map(|left| format!(" to {} ({})", quoted(left), left.id));
    format!("{}{}", it.did(), to.unwrap_or_default())
}

/// What became of a position for those who argue for it.
#[derive(Debug, Serialize)]
pub(super) struct Became {
    /// `as the clerk noted it, narrowed by Ann`.
    did: String,
    /// The statement's number.
    at: String,
    /// What is left of it.
    to: Option<String>,
}

impl Became {
    /// ` – as the clerk noted it, narrowed by Ann in [003] to: Not at once`.
    pub(super) fn text(&self) -> String {
        let to = self.to.as_ref().map(|to| format!(" to: {to}"));
        format!(" – {} in [{}]{}", self.did, self.at, to.unwrap_or_default())
    }
}

/// What became of the position that these argue for.
pub(super) fn became(trace: &Trace, ids: &[&str]) -> Option<Became> {
    of(trace, ids).map(|it| noted(trace, &it, ids))
}

/// What the clerk noted of the position that these argue for.
fn noted(trace: &Trace, it: &Yielded<'_>, ids: &[&str]) -> Became {
    let by = (ids != [it.by]).then(|| format!(" by {}", trace.name_of(it.by)));
    let did = format!("as the clerk noted it, {}{}", it.did(), by.unwrap_or_default());
    Became { did, at: number(it.statement), to: it.left.map(|left| words(&left.text)) }
}
